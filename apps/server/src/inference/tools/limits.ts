/** Bounds of the tool loop of one request. */
export interface LoopLimits {
  /** Longest time of all turns and tools together, milliseconds. */
  readonly totalMs: number
  /** Most bytes of the text of one result; the rest is cut off. */
  readonly resultBytes: number
  /** Most bytes of the texts of all results. */
  readonly totalBytes: number
  /** Most calls of one turn; further ones fail. */
  readonly calls: number
  /** Most calls that run at the same time. */
  readonly callsAtOnce: number
}

/** The bounds of every request. The file of a model decides the number of turns (`agent.max_iterations`). */
export const LOOP_LIMITS: LoopLimits = {
  totalMs: 30 * 60_000,
  resultBytes: 256 * 1024,
  totalBytes: 4 * 1024 * 1024,
  calls: 64,
  callsAtOnce: 8,
}

/** Turns of a model whose file names no number. */
export const DEFAULT_TURNS = 10
