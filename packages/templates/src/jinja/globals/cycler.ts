import { raise } from '../errors.ts'
import { type Arguments, BuiltinFunction, Callable, define } from '../values/callable.ts'
import { TemplateObject, Tuple, type Value } from '../values/value.ts'

/** The result of `cycler(…)`: gives its values in a cycle. */
export class Cycler extends TemplateObject {
  readonly typeName = 'Cycler'
  readonly #items: readonly Value[]
  #position = 0

  constructor(items: readonly Value[]) {
    super()
    if (items.length === 0) raise('RuntimeError', 'at least one item has to be provided')
    this.#items = items
  }

  override attribute(name: string): Value | undefined {
    switch (name) {
      case 'current':
        return this.#items[this.#position]
      case 'next':
        return new BuiltinFunction(
          name,
          define(name, '', () => this.#next()),
        )
      case 'reset':
        return new BuiltinFunction(
          name,
          define(name, '', () => this.#reset()),
        )
      case 'items':
        return new Tuple(this.#items)
      case 'pos':
        return this.#position
      default:
        return undefined
    }
  }

  #reset(): null {
    this.#position = 0
    return null
  }

  #next(): Value {
    const item = this.#items[this.#position] ?? null
    this.#position = (this.#position + 1) % this.#items.length
    return item
  }
}

/** The result of `joiner(…)`: empty on the first call, its text from then on. */
export class Joiner extends Callable {
  readonly typeName = 'Joiner'
  readonly #separator: Value
  #used = false

  constructor(separator: Value) {
    super()
    this.#separator = separator
  }

  call(_run: unknown, { positional, named }: Arguments): Value {
    if (positional.length > 0 || named.size > 0) raise('TypeError', 'a joiner takes no arguments')
    if (this.#used) return this.#separator
    this.#used = true
    return ''
  }

  override attribute(name: string): Value | undefined {
    if (name === 'sep') return this.#separator
    return name === 'used' ? this.#used : undefined
  }
}
