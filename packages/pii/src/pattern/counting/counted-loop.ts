/** Largest number that the engine handles as a small integer. */
const MAX_PACKED = 2 ** 30

/** Rounds up to which sets of counts are bits. */
const MAX_BITS = 8192

/** A repeat with counted rounds. The count is the number of completed rounds during the current one. */
export interface CountedLoop {
  readonly min: number
  readonly max: number
  /** The loop around it. */
  readonly parent: CountedLoop | undefined
  /**
   * Completed rounds from which on the current one may be the last: of such counts the lower can do everything that a
   * higher can.
   */
  readonly threshold: number
  /** Number of counts. */
  readonly base: number
  /** Number of stacks of counts of this loop and the loops around it. */
  readonly stacks: number
  /** Whether a stack of counts is kept as one number. */
  readonly isPacked: boolean
  /** Whether a set of counts is kept as bits: this loop has no outer loop. */
  readonly usesBits: boolean
  /**
   * Whether a round can end after any character, and the next begin with any. A stack with fewer rounds can then do
   * everything that one with more can, for any counts of the inner loops.
   */
  readonly restarts: boolean
  /** Whether of two stacks, as numbers, the lower can do everything that the higher can. */
  readonly isOrdered: boolean
}

export interface LoopOptions {
  readonly min: number
  readonly max: number
  readonly parent: CountedLoop | undefined
  /** Whether each character of the body may be its first and its last, without conditions. */
  readonly isLoose: boolean
}

export function countedLoop({ min, max, parent, isLoose }: LoopOptions): CountedLoop {
  const threshold = Math.max(min - 1, 0)
  const base = max === Number.POSITIVE_INFINITY ? threshold + 1 : max
  const stacks = base * (parent?.stacks ?? 1)
  const isPacked = stacks <= MAX_PACKED
  return {
    min,
    max,
    parent,
    threshold,
    base,
    stacks,
    isPacked,
    usesBits: parent === undefined && threshold > 0 && base <= MAX_BITS,
    restarts: threshold === 0 && isLoose,
    isOrdered: isPacked && threshold === 0 && (parent === undefined || (parent.isOrdered && parent.restarts)),
  }
}
