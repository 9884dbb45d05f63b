import { EmbeddingLayout, type EmbeddingResult } from '@svc/backend-client/proto'
import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { toEmbeddingOptions } from '../engine/to-predict-options.ts'
import { writeConversation } from './conversation-text.ts'
import { mapConcurrently } from './map-concurrently.ts'
import { normalizeVector } from './normalize-vector.ts'
import type { EmbedRequest } from './operation.ts'
import type { OperationContext, OperationRunner } from './operation-runner.ts'
import { type Pooling, poolTokens } from './pool-tokens.ts'
import { shortenText } from './shorten-text.ts'
import { runTokenize } from './tokenize.ts'

/** Number of inputs of one request that a backend works on at the same time. */
const INPUTS_AT_ONCE = 4
/** Default half-life of `decayed_mean`, in tokens. */
const HALF_LIFE_TOKENS = 256
const EUCLIDEAN = 2

/** Plan that turns the answers of a backend into vectors. */
interface VectorPlan {
  readonly pooling: 'backend' | Pooling
  readonly halfLife: number
  /** Kind of {@link normalizeVector} for vectors that are pooled here. */
  readonly normalize: number
  readonly dimensions: number | undefined
  readonly truncates: boolean
}

/**
 * Asks for one vector for each input, each in a call of its own. The pooling is never guessed from the shape of an
 * answer.
 */
export const runEmbed: OperationRunner<'embed'> = async (request, context) => {
  const plan = planVectors(request, context.model)
  const embedded = await mapConcurrently(
    request.inputs,
    { limit: INPUTS_AT_ONCE, signal: context.signal },
    async (input, { signal }) => {
      const own = { ...context, signal }
      return embedOne(isConversation(input) ? await writeConversation(input.messages, own) : input, plan, own)
    },
  )
  return {
    vectors: embedded.map(({ vector }) => vector),
    promptTokens: embedded.reduce((sum, { promptTokens }) => sum + promptTokens, 0),
  }
}

function isConversation(
  input: EmbedRequest['inputs'][number],
): input is Exclude<typeof input, string | readonly number[]> {
  return typeof input === 'object' && 'messages' in input
}

function planVectors(request: EmbedRequest, model: ModelConfig): VectorPlan {
  const { parameters } = model
  const pooling = request.pooling ?? parameters.pooling ?? 'backend'
  const halfLife = request.poolingHalfLifeTokens ?? 0
  if (halfLife > 0 && pooling !== 'decayed_mean') {
    throw refusal('pooling_half_life_tokens', 'it applies to the pooling decayed_mean only')
  }
  return {
    pooling,
    halfLife: halfLife || parameters.poolingHalfLifeTokens || HALF_LIFE_TOKENS,
    normalize: readNormalize(model.options),
    dimensions: request.dimensions,
    truncates: request.truncates ?? false,
  }
}

function readNormalize(options: readonly string[]): number {
  const text = options
    .find((option) => option.startsWith('embd_normalize:'))
    ?.slice('embd_normalize:'.length)
    .trim()
  const kind = Number(text || Number.NaN)
  return Number.isInteger(kind) ? kind : EUCLIDEAN
}

async function embedOne(
  input: string | readonly number[],
  plan: VectorPlan,
  context: OperationContext,
): Promise<{ readonly vector: Float32Array; readonly promptTokens: number }> {
  const result = await askBackend(input, plan, context)
  const vector = cutVector(readVector(result, plan), plan.dimensions)
  return { vector, promptTokens: await countTokens(input, result, context) }
}

/** Asks for a vector. Our backends cut a text themselves; for others it is cut here, once they have refused it. */
async function askBackend(
  input: string | readonly number[],
  { truncates }: VectorPlan,
  context: OperationContext,
): Promise<EmbeddingResult> {
  const { client, model, correlationId, signal } = context
  const ask = (text: string | readonly number[]): Promise<EmbeddingResult> =>
    client.embedding(toEmbeddingOptions(model, text, { correlationId, truncates }), { signal })
  try {
    return await ask(input)
  } catch (error) {
    if (!truncates || typeof input !== 'string' || signal.aborted) throw error
    const shorter = await shortenText(input, context).catch(() => undefined)
    signal.throwIfAborted()
    if (shorter === undefined) throw error
    return await ask(shorter)
  }
}

/** Counts the tokens of an input. When the backend reports none, models with the flag `usage` are asked to count. */
async function countTokens(
  input: string | readonly number[],
  { promptTokens }: EmbeddingResult,
  context: OperationContext,
): Promise<number> {
  if (promptTokens > 0) return promptTokens
  if (typeof input !== 'string') return input.length
  if (context.model.featureFlags.usage !== true) return 0
  const { tokens } = await runTokenize({ kind: 'tokenize', text: input }, context)
  return tokens.length
}

function readVector(result: EmbeddingResult, { pooling, halfLife, normalize }: VectorPlan): Float32Array {
  const { embeddings, tokens, dim, layout } = result
  if (embeddings.length === 0 || !embeddings.every(Number.isFinite)) throw unusable('gave no usable vector')
  const isPerToken = layout === EmbeddingLayout.EMBEDDING_LAYOUT_PER_TOKEN
  if (pooling === 'backend') {
    if (isPerToken) throw refusal('pooling', 'the backend gives one vector a token: name mean, last or decayed_mean')
    return Float32Array.from(embeddings)
  }
  if (!isPerToken) throw refusal('pooling', `${pooling} needs a backend that gives one vector a token`)
  if (tokens * dim !== embeddings.length) throw unusable('gave vectors of another shape than it says')
  return normalizeVector(poolTokens(embeddings, dim, { pooling, halfLife }), normalize)
}

/** Cuts a vector to its first numbers and normalises it to length 1. */
function cutVector(vector: Float32Array, dimensions = vector.length): Float32Array {
  if (dimensions > vector.length) {
    throw refusal('dimensions', `the vectors of this model have ${vector.length} numbers`)
  }
  return dimensions === vector.length ? vector : normalizeVector(vector.subarray(0, dimensions), EUCLIDEAN)
}

function refusal(param: string, reason: string): SvcError {
  return new SvcError('invalid_request', `${param}: ${reason}`, {
    code: 'invalid_embedding_request',
    details: { param },
  })
}

function unusable(reason: string): SvcError {
  return new SvcError('internal', `the backend ${reason}`, { code: 'invalid_embedding' })
}
