import { Undefined, type Value } from './values/value.ts'

/** The variables that tags have set, and those around them. */
export class Scope {
  readonly #values = new Map<string, Value>()
  readonly #parent: Scope | undefined
  /** The outermost scope, which is that of the template. */
  readonly root: Scope

  constructor(parent?: Scope) {
    this.#parent = parent
    this.root = parent?.root ?? this
  }

  /** The value of a name here or further out; undefined where it was never set. */
  find(name: string): Value | undefined {
    let scope: Scope | undefined = this
    while (scope !== undefined) {
      const value = scope.#values.get(name)
      if (value !== undefined) return value
      scope = scope.#parent
    }
    return undefined
  }

  /** Like {@link find}, with an undefined value of the template language for what was never set. */
  get(name: string): Value {
    const value = this.find(name)
    return value === undefined ? new Undefined(`'${name}' is undefined`) : value
  }

  /** Sets a name here, where it hides the same name further out. */
  set(name: string, value: Value): void {
    this.#values.set(name, value)
  }
}
