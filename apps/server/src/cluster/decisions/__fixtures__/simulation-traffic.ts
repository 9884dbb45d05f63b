import type { PrefixChain } from '../prefix-chain.ts'
import { mix, type RandomSource } from './simulation-random.ts'

/** One turn of a conversation. */
export interface Turn {
  readonly model: string
  readonly chain: PrefixChain
  /** Time until the next turn begins, after the reply to this one, ms; undefined: the conversation has ended. */
  readonly thinkMs: number | undefined
}

/** Conversations: those of one application share their first windows, and each turn holds the turns before it. */
export interface Traffic {
  /** The turns of a new conversation, in order. */
  converse(): Generator<Turn>
  /** Time until the next conversation begins, ms. */
  pause(now: number): number
}

const DAY_MS = 86_400_000
const MEAN_TURNS = 5
const MAX_WINDOWS = 64

/** Popularity falls with the rank, as Zipf's law has it. */
function createRanking(count: number, random: RandomSource): () => number {
  const sums: number[] = []
  let sum = 0
  for (let rank = 0; rank < count; rank += 1) {
    sum += 1 / (rank + 1)
    sums.push(sum)
  }
  return () => {
    const point = random.next() * sum
    let [low, high] = [0, count - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] ?? 0) < point) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Creates traffic whose conversations come more often by day than by night. */
export function createTraffic({
  models,
  requestsPerMs,
  random,
}: {
  readonly models: number
  readonly requestsPerMs: number
  readonly random: RandomSource
}): Traffic {
  const rank = createRanking(models, random)
  let conversations = 0
  return {
    *converse() {
      conversations += 1
      const conversation = 1_000_000 + conversations
      const model = rank()
      const application = model * 4 + random.below(1 + (model % 4))
      const shared = 2 + (application % 12)
      const windows: number[] = Array.from({ length: shared }, (_, window) => mix(application, window))
      for (let turn = 0; ; turn += 1) {
        const more = 1 + random.below(8)
        for (let window = 0; window < more && windows.length < MAX_WINDOWS - 1; window += 1)
          windows.push(mix(conversation, windows.length))
        const isLast = random.next() < 1 / MEAN_TURNS
        // The last window is cut off in the middle, so the next turn has another one there.
        const chain = [...windows, mix(conversation, 1000 + turn)]
        yield { model: `m${model}`, chain, thinkMs: isLast ? undefined : random.exponential(45_000) }
        if (isLast) return
      }
    },
    pause(now) {
      const daylight = 1 + 0.6 * Math.sin((2 * Math.PI * now) / DAY_MS)
      return random.exponential(MEAN_TURNS / (requestsPerMs * daylight))
    },
  }
}
