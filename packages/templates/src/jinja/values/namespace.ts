import { raise } from '../errors.ts'
import type { Dict } from './dict.ts'
import { TemplateObject, type Value } from './value.ts'

/** A set of names that a template may change, also from inside a loop. */
export class Namespace extends TemplateObject {
  readonly typeName = 'Namespace'
  readonly #values: Dict

  /** @param values taken over, not copied */
  constructor(values: Dict) {
    super()
    for (const key of values.keys()) checkName(key)
    this.#values = values
  }

  set(name: string, value: Value): void {
    checkName(name)
    this.#values.set(name, value)
  }

  override attribute(name: string): Value | undefined {
    return this.#values.get(name)
  }

  override describe(repr: (value: Value) => string): string {
    return `<Namespace ${repr(this.#values)}>`
  }
}

/** The reference refuses names with an underscore in front, which could reach into its own machinery. */
function checkName(name: Value): void {
  if (typeof name !== 'string' || !name.startsWith('_')) return
  raise(
    'SecurityError',
    `Chat templates cannot store underscore-prefixed attributes on a namespace, but got '${name}'. Please rename the attribute.`,
  )
}
