/** What a number may hold and still be a small one to the engine. */
const MAX_PACKED = 2 ** 30

/** Rounds up to which sets of counts are bits. */
const MAX_BITS = 8192

/** A repeat whose rounds are counted. What is counted are the rounds done while another one is under way. */
export interface CountedLoop {
  readonly min: number
  readonly max: number
  /** The loop around it. */
  readonly parent: CountedLoop | undefined
  /** Rounds done from which on the one under way may be the last: of such counts the lower can do whatever a higher can. */
  readonly threshold: number
  /** How many counts there are. */
  readonly base: number
  /** All stacks of counts of this loop and those around it. */
  readonly stacks: number
  /** Whether a stack of counts is kept as one number. */
  readonly isPacked: boolean
  /** Whether a set of counts is kept as bits: no other loop is around this one. */
  readonly usesBits: boolean
  /**
   * Whether a round can end behind any character, and the next begin with any: a stack with fewer rounds can then do whatever
   * one with more can, whatever the counts of the loops inside are.
   */
  readonly restarts: boolean
  /** Whether of two stacks, as numbers, the lower can do whatever the higher can. */
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
