import type { Token } from 'node-llama-cpp'
import type { NativeContext } from './native.ts'

/** Reading speed of a model, in milliseconds. */
export interface ReadingSpeed {
  /** For a single token: mostly the time to fetch the weights. */
  readonly oneMs: number
  /** For {@link PROBE_TOKENS} at once. */
  readonly probeMs: number
}

/** Tokens in the second measurement of {@link measureSpeed}. */
export const PROBE_TOKENS = 16
/** Longest time of a bite, so that aborts take effect. */
const BITE_MS = 50
/** On a slow machine a bite may take this many times as long as a single token; shorter bites would be too slow. */
const BITE_PER_TOKEN = 3
const MIN_BITE_TOKENS = 8
const RUNS = 3
const LONG_RUN_MS = 20

/**
 * Measures the reading speed of a model on this machine, and warms it up. Call it once, when the model is loaded: with
 * changing bites the same seed would give different answers.
 */
export async function measureSpeed(context: NativeContext, token: Token): Promise<ReadingSpeed> {
  const oneMs = await measure(context, [token])
  const probeMs = await measure(context, Array<Token>(PROBE_TOKENS).fill(token))
  return { oneMs, probeMs }
}

/** Chooses the bite for a speed: a power of two, at most a batch. */
export function chooseBite({ oneMs, probeMs }: ReadingSpeed, batchSize: number): number {
  const perTokenMs = Math.max(1e-6, (probeMs - oneMs) / (PROBE_TOKENS - 1))
  const limitMs = Math.max(BITE_MS, BITE_PER_TOKEN * oneMs)
  const fitting = Math.max(1, (limitMs - oneMs) / perTokenMs)
  return Math.max(1, Math.min(batchSize, Math.max(MIN_BITE_TOKENS, 2 ** Math.floor(Math.log2(fitting)))))
}

/** The best of some runs: slower ones show other load. */
async function measure(context: NativeContext, tokens: readonly Token[]): Promise<number> {
  let bestMs = Number.POSITIVE_INFINITY
  for (let run = 0; run < RUNS; run++) {
    const startedAt = performance.now()
    context.initBatch(tokens.length)
    context.addToBatch(0, 0, Uint32Array.from(tokens), Uint32Array.of(tokens.length - 1))
    await context.decodeBatch()
    bestMs = Math.min(bestMs, performance.now() - startedAt)
    context.disposeSequence(0)
    // After the first run the weights are in memory, and one run is enough for a long measurement.
    if (run > 0 && bestMs > LONG_RUN_MS) break
  }
  return bestMs
}
