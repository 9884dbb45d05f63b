import { fail } from './errors.ts'
import type { Budget } from './limits.ts'
import type { GoValue } from './values.ts'

interface Variable {
  readonly name: string
  value: GoValue
}

/** The variables of a running template: a stack, where the last of a name wins. */
export class Variables {
  readonly #budget: Budget
  readonly #stack: Variable[]

  /** @param data the value of `$` */
  constructor(budget: Budget, data: GoValue) {
    this.#budget = budget
    this.#stack = [{ name: '$', value: data }]
  }

  /** Number of variables; {@link dropTo} returns to it. */
  get size(): number {
    return this.#stack.length
  }

  /** Forgets the variables declared since {@link size} had this value. */
  dropTo(size: number): void {
    this.#stack.length = size
  }

  /** Declares a variable, with its `$`. */
  push(name: string, value: GoValue): void {
    this.#stack.push({ name, value })
  }

  /** The value of a variable. @throws GoCallError when it is not declared */
  get(name: string): GoValue {
    return this.#find(name).value
  }

  /** Changes a variable. @throws GoCallError when it is not declared */
  set(name: string, value: GoValue): void {
    this.#find(name).value = value
  }

  /** Changes a variable by its place, counted from the first one declared. */
  setAt(place: number, value: GoValue): void {
    const variable = this.#stack[place]
    if (variable !== undefined) variable.value = value
  }

  /** Looking far down costs steps, so that many variables and many uses do not multiply for free. */
  #find(name: string): Variable {
    for (let at = this.#stack.length - 1; at >= 0; at--) {
      const variable = this.#stack[at]
      if (variable?.name !== name) continue
      this.#budget.spend((this.#stack.length - at) >> 3)
      return variable
    }
    return fail(`undefined variable: ${name}`)
  }
}
