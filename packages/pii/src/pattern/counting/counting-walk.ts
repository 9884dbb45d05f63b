import { anotherRound, areCompatible, enterLoop, join, leaveLoop, type Value } from './counts.ts'
import type { Position, Step } from './positions.ts'
import type { Shape, Shapes } from './shapes.ts'

/** A state of a walk: the characters of the pattern that may just have been read with the known rounds of each. */
export interface Snapshot {
  readonly shape: Shape
  readonly values: readonly (Value | undefined)[]
}

/**
 * Walks over a text in one direction and knows at every position all possible states, with the rounds of each loop. It
 * does not know the starts of attempts, which keeps it small.
 */
export class CountingWalk {
  private readonly shapes: Shapes
  private shape: Shape
  /** By position of the shape; undefined: its loops do not allow it. */
  private values: (Value | undefined)[] = []
  private spare: (Value | undefined)[] = []
  /** Without counted loops the shape is the whole state. */
  private readonly isCounted: boolean

  constructor(shapes: Shapes) {
    this.shapes = shapes
    this.isCounted = shapes.isCounted
    this.shape = shapes.empty
  }

  get isIdle(): boolean {
    return this.shape === this.shapes.empty
  }

  clear(): void {
    this.shape = this.shapes.empty
  }

  /** Reads a character. `guards` hold between it and the previous one; a match may begin with it. */
  read(characterClass: number, guards: number, begins: boolean): void {
    const { next, steps, begun } = this.shapes.move(this.shape, characterClass, guards, begins)
    if (!this.isCounted) {
      this.shape = next
      return
    }
    const { values, spare } = this
    const positions = next.positions
    let isAlive = false
    for (let at = 0; at < positions.length; at++) {
      const position = positions[at]
      if (position === undefined) continue
      let value = begun[at]
      for (const step of steps[at] ?? []) {
        const before = values[step.from.index]
        if (before === undefined) continue
        const after = followed(step, before)
        if (after !== undefined) value = value === undefined ? after : join(position.loop, value, after)
      }
      spare[position.index] = value
      if (value !== undefined) isAlive = true
    }
    this.values = spare
    this.spare = values
    this.shape = isAlive ? next : this.shapes.empty
  }

  /** Whether the text so far may be a whole match; `guards` hold after it. */
  accepts(guards: number): boolean {
    const last = this.shape.last[guards] ?? []
    if (!this.isCounted) return last.length > 0
    for (const position of last) {
      const value = this.values[position.index]
      if (value !== undefined && mayEnd(position, value)) return true
    }
    return false
  }

  /** A state to continue from or to compare with. */
  snapshot(): Snapshot {
    const { shape, values } = this
    return { shape, values: this.isCounted ? shape.positions.map(({ index }) => values[index]) : [] }
  }

  goTo({ shape, values }: Snapshot): void {
    this.shape = shape
    for (const [at, { index }] of shape.positions.entries()) this.values[index] = values[at]
  }

  /**
   * Whether this walk and one from the other side, both of which have just read the same character, make up a match.
   */
  meets({ shape, values }: Snapshot): boolean {
    const own = this.shape.positions
    // Both are in the order of the pattern.
    let next = 0
    for (const [at, position] of shape.positions.entries()) {
      while (next < own.length && (own[next]?.index ?? 0) < position.index) next++
      if (own[next] !== position) continue
      if (!this.isCounted) return true
      const mine = this.values[position.index]
      const other = values[at]
      if (mine !== undefined && other !== undefined && areCompatible(position.loop, mine, other)) return true
    }
    return false
  }
}

function followed(step: Step, before: Value): Value | undefined {
  const { kept, isRound, left, entered, divisor, factor } = step
  if (typeof before === 'number' && divisor > 0) {
    const outside = divisor === 1 ? before : Math.floor(before / divisor)
    if (!isRound || kept === undefined) return outside * factor
    if ((outside % kept.base) + 1 < kept.base) return (outside + 1) * factor
    return kept.max === Number.POSITIVE_INFINITY ? outside * factor : undefined
  }
  let value = before
  for (const loop of left) {
    const outside = leaveLoop(loop, value)
    if (outside === undefined) return undefined
    value = outside
  }
  if (isRound && kept !== undefined) {
    const again = anotherRound(kept, value)
    if (again === undefined) return undefined
    value = again
  }
  for (const loop of entered) value = enterLoop(loop, value)
  return value
}

/** Whether a match may end with a character. */
function mayEnd(position: Position, before: Value): boolean {
  let value: Value | undefined = before
  for (let loop = position.loop; loop !== undefined && value !== undefined; loop = loop.parent) {
    value = leaveLoop(loop, value)
  }
  return value !== undefined
}
