import type { LlamaContextSequence, Token } from 'node-llama-cpp'

/** A prompt is read in bites of about this time, since the engine cannot be interrupted inside one. */
const BITE_MS = 40
const MIN_BITE_TOKENS = 16
const PROBE_TOKENS = 16
const PROBES = 3
const ENOUGH_MS = 20

/**
 * Tokens of one bite of a prompt, a power of two, measured on this machine. Measured once, when the model is
 * loaded: bites of changing size would make the same seed give different answers. The run also warms the weights up.
 */
export async function measureBite(sequence: LlamaContextSequence, token: Token, batchSize: number): Promise<number> {
  const probe = Array.from({ length: Math.min(PROBE_TOKENS, batchSize) }, () => token)
  let bestMs = Number.POSITIVE_INFINITY
  for (let run = 0; run < PROBES; run++) {
    const startedAt = performance.now()
    await sequence.evaluateWithoutGeneratingNewTokens(probe)
    bestMs = Math.min(bestMs, performance.now() - startedAt)
    await sequence.clearHistory()
    // A model this slow is measured well enough by one run after the weights are in memory.
    if (run > 0 && bestMs > ENOUGH_MS) break
  }
  return chooseBite(probe.length / bestMs, batchSize)
}

/** The bite for a speed in tokens per millisecond. */
export function chooseBite(tokensPerMs: number, batchSize: number): number {
  const fitting = 2 ** Math.floor(Math.log2(Math.max(1, tokensPerMs * BITE_MS)))
  return Math.max(1, Math.min(batchSize, Math.max(MIN_BITE_TOKENS, fitting)))
}
