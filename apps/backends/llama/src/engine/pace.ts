import type { LlamaContextSequence, Token } from 'node-llama-cpp'

/** How fast a model reads, in milliseconds. */
export interface ReadingSpeed {
  /** For one token alone: mostly the time to fetch the weights. */
  readonly oneMs: number
  /** For {@link PROBE_TOKENS} at once. */
  readonly probeMs: number
}

/** Reads prompts bite by bite, since the engine cannot be interrupted inside one. */
export interface Pace {
  /** Tokens of a bite for a prompt that is read alone. */
  readonly biteTokens: number
  /** Begins to read a prompt; the result ends that. */
  begin(): () => void
  /** Tokens of the next bite: all prompts that are read now share one batch. */
  nextBite(): number
}

/** Tokens in the second measurement of {@link measureSpeed}. */
export const PROBE_TOKENS = 16
/** A bite takes no longer than this, so that a caller who leaves is heard. */
const BITE_MS = 80
/** On a slow machine it may take this many times as long as a single token, or reading would crawl. */
const BITE_PER_TOKEN = 3
const MIN_BITE_TOKENS = 8
const MIN_SHARE_TOKENS = 4
const RUNS = 3
const LONG_RUN_MS = 20

/** A pace of bites of this size. */
export function createPace(biteTokens: number): Pace {
  let readers = 0
  return {
    biteTokens,
    begin: () => {
      readers++
      return () => {
        readers--
      }
    },
    nextBite: () => Math.max(Math.min(MIN_SHARE_TOKENS, biteTokens), Math.floor(biteTokens / Math.max(1, readers))),
  }
}

/**
 * Measures how fast a model reads on this machine, and warms it up. To be done once, when it is loaded: bites of
 * changing size would make the same seed give different answers.
 */
export async function measureSpeed(sequence: LlamaContextSequence, token: Token): Promise<ReadingSpeed> {
  const oneMs = await measure(sequence, [token])
  const probeMs = await measure(sequence, Array<Token>(PROBE_TOKENS).fill(token))
  return { oneMs, probeMs }
}

/** The bite for a speed: a power of two, at most a batch. */
export function chooseBite({ oneMs, probeMs }: ReadingSpeed, batchSize: number): number {
  const perTokenMs = Math.max(1e-6, (probeMs - oneMs) / (PROBE_TOKENS - 1))
  const limitMs = Math.max(BITE_MS, BITE_PER_TOKEN * oneMs)
  const fitting = Math.max(1, (limitMs - oneMs) / perTokenMs)
  return Math.max(1, Math.min(batchSize, Math.max(MIN_BITE_TOKENS, 2 ** Math.floor(Math.log2(fitting)))))
}

/** The best of some runs: what is slower was somebody else's doing. */
async function measure(sequence: LlamaContextSequence, tokens: Token[]): Promise<number> {
  let bestMs = Number.POSITIVE_INFINITY
  for (let run = 0; run < RUNS; run++) {
    const startedAt = performance.now()
    await sequence.evaluateWithoutGeneratingNewTokens(tokens)
    bestMs = Math.min(bestMs, performance.now() - startedAt)
    await sequence.clearHistory()
    // After the first run the weights are in memory, and a long run is measured well enough by one.
    if (run > 0 && bestMs > LONG_RUN_MS) break
  }
  return bestMs
}
