import { cosineSimilarity, type Ranked, type RankRequest, type SlotPool } from '@svc/backend-kit'
import type { LlamaRankingContext } from 'node-llama-cpp'
import { invalidRequest } from '../errors.ts'
import { type Embedder, embed } from './embed.ts'
import { mapWithPauses } from './map-with-pauses.ts'

/** Ranks texts by the head of a model, one pair of texts at a time. */
export interface Ranker {
  readonly pool: SlotPool<LlamaRankingContext>
  /** Most tokens of query and document together, marks between them included. */
  readonly contextSize: number
}

interface CallOptions {
  readonly signal: AbortSignal
}

/** Scores documents by the head of a model, 0 to 1. @throws LlamaError `invalid_request` where a pair does not fit */
export async function rankByHead(
  ranker: Ranker,
  { query, documents }: RankRequest,
  { signal }: CallOptions,
): Promise<Ranked> {
  const lease = await ranker.pool.acquire({ signal })
  try {
    const toLength = (document: string): number => lease.slot.calculateInputLength(query, document)
    const lengths = await mapWithPauses(documents, toLength, { signal })
    const tooLong = lengths.findIndex((length) => length >= ranker.contextSize)
    if (tooLong >= 0) {
      const message = `query and document have ${lengths[tooLong]} tokens, this model reads up to ${ranker.contextSize - 1}`
      throw invalidRequest(message, `documents[${tooLong}]`)
    }
    const scores: number[] = []
    for (const document of documents) {
      signal.throwIfAborted()
      scores.push(await lease.slot.rank(query, document))
    }
    return { scores, promptTokens: lengths.reduce((sum, length) => sum + length, 0) }
  } finally {
    lease.release()
  }
}

/** Scores documents by the cosine between vectors of whole texts. @throws LlamaError `invalid_request`, see {@link embed} */
export async function rankByCosine(
  embedder: Embedder,
  { query, documents }: RankRequest,
  { signal }: CallOptions,
): Promise<Ranked> {
  if (documents.length === 0) return { scores: [], promptTokens: 0 }
  const asked = await embed(embedder, query, { signal })
  const [queryVector = new Float32Array()] = asked.vectors
  const scores: number[] = []
  let promptTokens = asked.promptTokens
  for (const document of documents) {
    const { vectors, promptTokens: tokens } = await embed(embedder, document, { signal })
    scores.push(cosineSimilarity(queryVector, vectors[0] ?? queryVector.subarray(0, 0)))
    promptTokens += tokens
  }
  return { scores, promptTokens }
}
