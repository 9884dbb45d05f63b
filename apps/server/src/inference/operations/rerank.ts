import { SvcError } from '@svc/errors'
import { runEmbed } from './embed.ts'
import type { RerankRequest, RerankResult } from './operation.ts'
import type { OperationContext, OperationRunner } from './operation-runner.ts'

/** Option of a model file: an embedding model ranks by the cosine of query and document. */
const BY_COSINE = 'rerank:cosine'

type Ranked = RerankResult['ranking'][number]

/**
 * Orders documents by relevance. Documents without text come last, because models refuse them or score them by chance.
 * A model without ranking uses the cosine of its vectors when its file has the option; scores are then in -1..1.
 */
export const runRerank: OperationRunner<'rerank'> = async (request, context) => {
  const { documents } = request
  const places = documents.flatMap((text, index) => (text.trim() === '' ? [] : [index]))
  if (places.length === documents.length) return rankTexts(request, context)
  const texts = places.map((index) => documents[index] ?? '')
  const { ranking, ...figures } = await rankTexts({ ...request, documents: texts }, context)
  const ranked = ranking.map(({ index, score }) => ({ index: places[index] ?? index, score }))
  const lowest = ranked.reduce((least, { score }) => Math.min(least, score), 0)
  const known = new Set(places)
  const empty = documents.flatMap((_, index) => (known.has(index) ? [] : [{ index, score: lowest }]))
  return { ...figures, ranking: [...sortBestFirst(ranked, ranked.length), ...empty].slice(0, toLimit(request)) }
}

/** Orders documents that have text. */
async function rankTexts(request: RerankRequest, context: OperationContext): Promise<RerankResult> {
  if (request.documents.length === 0) return { ranking: [], promptTokens: 0, totalTokens: 0 }
  try {
    return await rankOnBackend(request, context)
  } catch (error) {
    if (!SvcError.is(error) || error.kind !== 'not_implemented') throw error
    if (context.model.options.includes(BY_COSINE)) return rankByCosine(request, context)
    const message = `model "${context.model.name}" cannot rank documents: an embedding model can, with the option ${BY_COSINE}`
    throw new SvcError('not_implemented', message, { code: 'no_ranking', cause: error })
  }
}

async function rankOnBackend(request: RerankRequest, context: OperationContext): Promise<RerankResult> {
  const { query, documents } = request
  const { client, model, signal } = context
  const topN = toLimit(request)
  const reply = await client.rerank(
    { query, documents: [...documents], topN, ModelIdentity: model.parameters.model ?? '' },
    { signal },
  )
  const scored = reply.results.map(({ index, relevanceScore }) => ({ index, score: relevanceScore }))
  const places = new Set(scored.map(({ index }) => index))
  const isUsable = scored.every(({ index, score }) => documents[index] !== undefined && Number.isFinite(score))
  if (!isUsable || places.size !== scored.length) {
    throw new SvcError('internal', 'the backend gave no usable ranking', { code: 'invalid_ranking' })
  }
  const promptTokens = Math.max(0, reply.usage?.promptTokens ?? 0)
  return {
    ranking: sortBestFirst(scored, topN),
    promptTokens,
    totalTokens: Math.max(promptTokens, reply.usage?.totalTokens ?? 0),
  }
}

async function rankByCosine(request: RerankRequest, context: OperationContext): Promise<RerankResult> {
  const { vectors, promptTokens } = await runEmbed(
    { kind: 'embed', inputs: [request.query, ...request.documents] },
    context,
  )
  const [query = new Float32Array(), ...documents] = vectors
  const scored = documents.map((vector, index) => ({ index, score: computeCosine(query, vector) }))
  return { ranking: sortBestFirst(scored, toLimit(request)), promptTokens, totalTokens: promptTokens }
}

function toLimit({ documents, topN = documents.length }: RerankRequest): number {
  return Math.min(topN, documents.length)
}

/** Ties stay in the order of the request. */
function sortBestFirst(scored: readonly Ranked[], limit: number): readonly Ranked[] {
  return [...scored].sort((a, b) => b.score - a.score || a.index - b.index).slice(0, limit)
}

/** Cosine of two vectors in -1..1; 0 when one has length 0. */
function computeCosine(a: Float32Array, b: Float32Array): number {
  let product = 0
  let lengthA = 0
  let lengthB = 0
  for (const [index, value] of a.entries()) {
    const other = b[index] ?? 0
    product += value * other
    lengthA += value * value
    lengthB += other * other
  }
  const lengths = Math.sqrt(lengthA * lengthB)
  return lengths > 0 ? product / lengths : 0
}
