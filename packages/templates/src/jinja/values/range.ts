import { TemplateObject, type Value } from './value.ts'

/** Integers at equal distances. Kept small enough that all its numbers are safe. */
export class Range extends TemplateObject {
  readonly typeName = 'range'
  readonly start: number
  readonly stop: number
  readonly step: number
  readonly length: number

  constructor(start: number, stop: number, step: number) {
    super()
    this.start = start
    this.stop = stop
    this.step = step
    this.length = Math.max(0, Math.ceil((stop - start) / step))
  }

  /** The integer at a place that exists. */
  at(index: number): number {
    return this.start + index * this.step
  }

  /** The place of an integer, -1 where it is not in the range. */
  indexOf(value: number): number {
    const index = (value - this.start) / this.step
    return Number.isInteger(index) && index >= 0 && index < this.length ? index : -1
  }

  override itemCount(): number {
    return this.length
  }

  override *iterate(): Iterator<Value> {
    for (let index = 0; index < this.length; index++) yield this.at(index)
  }

  override attribute(name: string): Value | undefined {
    switch (name) {
      case 'start':
        return this.start
      case 'stop':
        return this.stop
      case 'step':
        return this.step
      default:
        return undefined
    }
  }

  override describe(): string {
    const step = this.step === 1 ? '' : `, ${this.step}`
    return `range(${this.start}, ${this.stop}${step})`
  }
}
