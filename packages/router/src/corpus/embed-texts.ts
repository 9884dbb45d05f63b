import { isVector } from '../classifiers/knn.ts'
import { classifierError } from '../errors.ts'
import type { CallOptions, Clock, Embedder } from '../ports.ts'
import { createProbe } from '../probe/probe.ts'
import { createTrimmer, type Trimmer } from '../trim.ts'
import { waitWithLimit } from '../wait.ts'

/** Texts of one call of the embedder. */
const BATCH_SIZE = 64
/** The time limit of one call: a model may have to be loaded first. */
const BATCH_TIMEOUT_MS = 60_000

/**
 * The vectors of texts, in their order; undefined for a text without a usable vector.
 *
 * @throws `router_classifier` for an answer that cannot be assigned to the texts; the error of the embedder
 */
export async function embedTexts(
  embedder: Embedder,
  texts: readonly string[],
  { signal, caller, clock }: CallOptions & { readonly clock: Clock },
): Promise<(Float32Array | undefined)[]> {
  const trimmer = createTrimmer({ tokens: embedder.tokens })
  const vectors: (Float32Array | undefined)[] = []
  for (let first = 0; first < texts.length; first += BATCH_SIZE) {
    signal.throwIfAborted()
    const batch = texts.slice(first, first + BATCH_SIZE)
    const answers = await waitWithLimit(
      async (call) => await embedder.embed(await cutTexts(batch, trimmer, call), call),
      { signal, caller, clock, timeoutMs: BATCH_TIMEOUT_MS, what: 'the embedding model' },
    )
    if (answers.length !== batch.length) {
      throw classifierError(`the embedding model gave ${answers.length} vectors for ${batch.length} texts`)
    }
    for (const answer of answers) vectors.push(isVector(answer) ? Float32Array.from(answer) : undefined)
  }
  return vectors
}

/** Texts as prompts are embedded, cut to what the model reads. */
async function cutTexts(texts: readonly string[], trimmer: Trimmer, call: CallOptions): Promise<string[]> {
  const cut: string[] = []
  for (const text of texts) {
    const probe = createProbe([text])
    cut.push(trimmer.isNeeded(probe) ? (await trimmer.trim(probe, call)).text : probe.text)
  }
  return cut
}
