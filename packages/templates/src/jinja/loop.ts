import { isEqual } from './compare.ts'
import { raise } from './errors.ts'
import type { Rendering } from './rendering.ts'
import { type Arguments, BuiltinFunction, Callable } from './values/callable.ts'
import { Tuple, Undefined, type Value } from './values/value.ts'

/** Input of a loop. */
export interface LoopOptions {
  /** The items; they are taken one by one, except when the loop looks ahead. */
  readonly iterator: Iterator<Value>
  /** Their number, if known. */
  readonly length: number | undefined
  /** 0 for a loop that no other has called. */
  readonly depth: number
  /** Renders the loop again over other items, for recursive loops. */
  readonly recurse: ((items: Value, depth: number) => Value) | undefined
}

/** The variable `loop`: the position of a loop, and the outer loops. */
export class Loop extends Callable {
  readonly typeName = 'LoopContext'
  readonly #run: Rendering
  readonly #options: LoopOptions
  /** Items that were looked at before their turn, from {@link #aheadIndex} on. */
  #ahead: Value[] = []
  #aheadIndex = 0
  #length: number | undefined
  #index = -1
  #current: Value | undefined
  #previous: Value | undefined
  #lastChanged: Value | undefined

  constructor(run: Rendering, options: LoopOptions) {
    super()
    this.#run = run
    this.#options = options
    this.#length = options.length
  }

  /** Moves to the next item; undefined at the end. */
  next(): Value | undefined {
    const item = this.#ahead.length > 0 ? this.#takeAhead() : this.#pull()
    if (item === undefined) return undefined
    this.#index++
    this.#previous = this.#current
    this.#current = item
    return item
  }

  #pull(): Value | undefined {
    const next = this.#options.iterator.next()
    return next.done === true ? undefined : next.value
  }

  #takeAhead(): Value | undefined {
    const item = this.#ahead[this.#aheadIndex]
    if (item !== undefined && ++this.#aheadIndex === this.#ahead.length) {
      this.#ahead = []
      this.#aheadIndex = 0
    }
    return item
  }

  #peek(): Value | undefined {
    if (this.#ahead.length === 0) {
      const item = this.#pull()
      if (item !== undefined) this.#ahead.push(item)
    }
    return this.#ahead[this.#aheadIndex]
  }

  /** Takes all remaining items when their number is not known otherwise. */
  #countAll(): number {
    if (this.#length === undefined) {
      for (let item = this.#pull(); item !== undefined; item = this.#pull()) {
        this.#run.spend()
        this.#ahead.push(item)
      }
      this.#length = this.#index + 1 + this.#ahead.length - this.#aheadIndex
    }
    return this.#length
  }

  override itemCount(): number {
    return this.#countAll()
  }

  override attribute(name: string): Value | undefined {
    switch (name) {
      case 'index':
        return this.#index + 1
      case 'index0':
        return this.#index
      case 'first':
        return this.#index === 0
      case 'last':
        return this.#peek() === undefined
      case 'length':
        return this.#countAll()
      case 'revindex':
        return this.#countAll() - this.#index
      case 'revindex0':
        return this.#countAll() - this.#index - 1
      case 'depth':
        return this.#options.depth + 1
      case 'depth0':
        return this.#options.depth
      case 'previtem':
        return this.#previous === undefined ? new Undefined('there is no previous item') : this.#previous
      case 'nextitem': {
        const next = this.#peek()
        return next === undefined ? new Undefined('there is no next item') : next
      }
      case 'cycle':
        return new BuiltinFunction(name, (_run, given) => this.#cycle(given))
      case 'changed':
        return new BuiltinFunction(name, (callRun, given) => this.#changed(callRun, given))
      default:
        return undefined
    }
  }

  /** Renders a recursive loop one level deeper. */
  call(_run: Rendering, { positional, named }: Arguments): Value {
    const { recurse, depth } = this.#options
    if (recurse === undefined) {
      return raise('TypeError', "The loop must have the 'recursive' marker to be called recursively.")
    }
    const [items] = positional
    if (items === undefined || positional.length > 1 || named.size > 0) {
      return raise('TypeError', 'a recursive loop is called with one iterable')
    }
    return recurse(items, depth + 1)
  }

  #cycle({ positional, named }: Arguments): Value {
    if (named.size > 0) raise('TypeError', 'cycle() takes no keyword arguments')
    const item = positional[this.#index % positional.length]
    return item === undefined ? raise('TypeError', 'no items for cycling given') : item
  }

  #changed(run: Rendering, { positional, named }: Arguments): boolean {
    if (named.size > 0) raise('TypeError', 'changed() takes no keyword arguments')
    const value = new Tuple(positional)
    if (this.#lastChanged !== undefined && isEqual(run, this.#lastChanged, value)) return false
    this.#lastChanged = value
    return true
  }

  override describe(): string {
    return `<LoopContext ${this.#index + 1}/${this.#countAll()}>`
  }
}
