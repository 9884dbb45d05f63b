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

  /** Takes steps; returns false if no steps are left. */
  spend(steps = 1): boolean {
    this.#left -= steps
    return this.#left >= 0
  }

  /** No step is left. */
  get isSpent(): boolean {
    return this.#left < 0
  }

  /** Ends the compilation: using the result has no limit of steps. */
  stop(): void {
    this.#left = Number.POSITIVE_INFINITY
  }
}
