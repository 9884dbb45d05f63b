import { MAX_COMPILE_STEPS } from './limits.ts'

/**
 * The step limit of one compilation, which blocks the event loop. Steps are counted, not timed, so every machine
 * compiles or refuses the same schemas, under any load.
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

  /** Ends the compilation: using the result has no limit of steps. */
  stop(): void {
    this.#left = Number.POSITIVE_INFINITY
  }
}
