import { MAX_COMPILE_STEPS } from './limits.ts'

/**
 * What one compilation may cost: everybody else waits for it. It is counted and not timed, so the same schema is
 * compiled or refused on every machine, however busy.
 */
export class CompileBudget {
  #left: number

  constructor(steps = MAX_COMPILE_STEPS) {
    this.#left = steps
  }

  /** Takes one step; false where none is left. */
  spend(): boolean {
    this.#left -= 1
    return this.#left >= 0
  }

  /** Says that it is done: what was compiled is used without this limit. */
  stop(): void {
    this.#left = Number.POSITIVE_INFINITY
  }
}
