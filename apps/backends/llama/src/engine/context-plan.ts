/** What a context is to be and what it may cost. */
export interface ContextWish {
  /** Tokens of one slot. */
  readonly contextSize: number
  /** Slots beside each other. */
  readonly slots: number
  /** Bytes that may be taken. */
  readonly budgetBytes: number
  /** Bytes a context takes. */
  readonly costBytes: (contextSize: number, slots: number) => Promise<number>
}

/** What a context will be. */
export interface ContextPlan {
  readonly contextSize: number
  readonly slots: number
  /** Why it is less than what was wished, as lines for the log. */
  readonly warnings: readonly string[]
}

/** Below this a context is of no use: it is tried even where it seems not to fit. */
const MIN_CONTEXT_SIZE = 512
const STEP = 256

/** Of what is free; the rest is for other models. */
const SHARE_OF_MANY_SLOTS = 0.5

/**
 * Fits a context into memory: with as many of the slots as fit into half of what is free, else with one slot, which
 * may take all of it, and if even that is too much, with the largest context that fits. What is wished for is never
 * exceeded.
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
