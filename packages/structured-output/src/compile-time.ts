import { MAX_COMPILE_MS } from './limits.ts'

/** How long a compilation may take: everybody else waits for it. */
export class CompileTime {
  #latest = performance.now() + MAX_COMPILE_MS

  /** Whether it has taken too long. */
  get isOver(): boolean {
    return performance.now() > this.#latest
  }

  /** Says that it is done: what was compiled is used without this limit. */
  stop(): void {
    this.#latest = Infinity
  }
}
