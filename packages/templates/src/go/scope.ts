/** The names in force inside one template definition during parsing. */
export class Scope {
  /** Number of open loops. */
  ranges = 0
  readonly #declared: string[] = []
  readonly #counts = new Map<string, number>()

  constructor() {
    this.declare('$')
  }

  /** Number of declared variables; {@link dropTo} returns to it. */
  get size(): number {
    return this.#declared.length
  }

  /** Whether a variable, with its `$`, is declared. */
  has(name: string): boolean {
    return (this.#counts.get(name) ?? 0) > 0
  }

  /** Declares a variable; it may hide another of its name. */
  declare(name: string): void {
    this.#declared.push(name)
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  /** Forgets the variables declared since {@link size} had this value. */
  dropTo(size: number): void {
    for (const name of this.#declared.splice(size)) this.#counts.set(name, (this.#counts.get(name) ?? 0) - 1)
  }
}
