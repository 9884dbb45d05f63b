import { Undefined, type Value } from './values/value.ts'

/** Options of a scope. */
export interface ScopeOptions {
  /** Names that are undefined here until they are set, even when an outer scope has them. */
  readonly hidden?: ReadonlySet<string> | undefined
  /** Whether names hidden further out are seen nevertheless, as from inside a block. @default false */
  readonly seesHidden?: boolean | undefined
}

/** The variables that tags have set, and the variables around them. */
export class Scope {
  readonly #values = new Map<string, Value>()
  readonly #parent: Scope | undefined
  readonly #hidden: ReadonlySet<string> | undefined
  readonly #seesHidden: boolean

  constructor(parent?: Scope, { hidden, seesHidden = false }: ScopeOptions = {}) {
    this.#parent = parent
    this.#hidden = hidden
    this.#seesHidden = seesHidden
  }

  /**
   * The value of a name here or further out; an undefined value of the template language for a name that was never set.
   */
  get(name: string): Value {
    let seesHidden = false
    let scope: Scope | undefined = this
    while (scope !== undefined) {
      const value = scope.#values.get(name)
      if (value !== undefined) return value
      seesHidden ||= scope.#seesHidden
      if (!seesHidden && scope.#hidden?.has(name)) break
      scope = scope.#parent
    }
    return new Undefined(`'${name}' is undefined`)
  }

  /** Sets a name here, where it hides the same name further out. */
  set(name: string, value: Value): void {
    this.#values.set(name, value)
  }
}
