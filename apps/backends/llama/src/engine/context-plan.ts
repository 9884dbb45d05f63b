/** The wished context and its memory limit. */
export interface ContextWish {
  /** Tokens of one slot. */
  readonly contextSize: number
  /** Number of parallel slots. */
  readonly slots: number
  /** Bytes available to the context. */
  readonly budgetBytes: number
  /** Computes the bytes of a context. */
  readonly costBytes: (contextSize: number, slots: number) => Promise<number>
}

/** The planned context. */
export interface ContextPlan {
  readonly contextSize: number
  readonly slots: number
  /** Reasons for planning less than the wish, as lines for the log. */
  readonly warnings: readonly string[]
}

/** A smaller context is useless: this size is tried even where it seems not to fit. */
const MIN_CONTEXT_SIZE = 512
const STEP = 256

/** Share of the free memory; the rest is for other models. */
const SHARE_OF_MANY_SLOTS = 0.5

/**
 * Fits a context into memory: with as many slots as fit into half of the free memory, else with one slot, which may
 * take all of it, else with the largest context that fits. Never exceeds the wish.
 */
export async function planContext(wish: ContextWish): Promise<ContextPlan> {
  const fits = async (contextSize: number, slots: number): Promise<boolean> =>
    (await wish.costBytes(contextSize, slots)) <= wish.budgetBytes * (slots > 1 ? SHARE_OF_MANY_SLOTS : 1)
  for (let slots = wish.slots; slots >= 1; slots--) {
    if (!(await fits(wish.contextSize, slots))) continue
    const lowered = slots < wish.slots
    const warning = `memory is short: ${slots} of ${wish.slots} slots, of ${wish.contextSize} tokens each`
    return { contextSize: wish.contextSize, slots, warnings: lowered ? [warning] : [] }
  }
  const contextSize = await findLargest(wish.contextSize, (size) => fits(size, 1))
  const warning = `memory is short: context lowered from ${wish.contextSize} to ${contextSize} tokens, 1 slot`
  return { contextSize, slots: 1, warnings: [warning] }
}

/** Largest multiple of 256 below `limit` that fits, by halving; never below the minimum or above the limit. */
async function findLargest(limit: number, fits: (size: number) => Promise<boolean>): Promise<number> {
  const smallest = Math.min(MIN_CONTEXT_SIZE, limit)
  let low = Math.ceil(smallest / STEP)
  let high = Math.floor(limit / STEP)
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (await fits(middle * STEP)) low = middle
    else high = middle - 1
  }
  return Math.min(limit, Math.max(smallest, low * STEP))
}
