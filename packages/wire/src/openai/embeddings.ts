import * as z from 'zod'
import { endAtFirstFault } from '../first-fault.ts'
import { count, MAX_INT32 } from '../scalars.ts'
import { chatRequestMessage } from './chat-message.ts'
import { textOrTokens } from './token-input.ts'

/** Body of `POST /v1/embeddings`: `input`, or `messages` that are embedded as one text. */
export const embeddingRequest = z.looseObject({
  model: z.string().nullish(),
  input: textOrTokens.nullish(),
  messages: endAtFirstFault(z.array(chatRequestMessage).min(1)).nullish(),
  /** @default 'float' */
  encoding_format: z.enum(['float', 'base64']).nullish(),
  /** Length of the vectors, at most the model's own: the leading numbers, normalised to length 1. */
  dimensions: z.int().min(1).max(MAX_INT32).nullish(),
  /**
   * Pooling of token vectors to one vector of a text, for backends that give one vector a token. @default the model's
   * own
   */
  pooling: z.enum(['backend', 'mean', 'last', 'decayed_mean']).nullish(),
  /** Distance from the end, in tokens, at which the weight of a token in `decayed_mean` is one half. @default 256 */
  pooling_half_life_tokens: count.nullish(),
  user: z.string().nullish(),
})

/** Tokens that were read. */
export const embeddingUsage = z.looseObject({ prompt_tokens: z.int().min(0), total_tokens: z.int().min(0) })

/** The vector of one input: numbers, or their 32-bit floats in little-endian order as base64. */
export const embedding = z.looseObject({
  object: z.literal('embedding'),
  /** Place of the input in the request. */
  index: z.int().min(0),
  embedding: z.union([z.array(z.number()), z.string()]),
})

/** Reply of `POST /v1/embeddings`. */
export const embeddingList = z.looseObject({
  id: z.string(),
  object: z.literal('list'),
  model: z.string(),
  data: z.array(embedding),
  usage: embeddingUsage,
})

/** Body of `POST /v1/embeddings`. */
export type EmbeddingRequest = z.infer<typeof embeddingRequest>
/** The vector of one input. */
export type Embedding = z.infer<typeof embedding>
/** Reply of `POST /v1/embeddings`. */
export type EmbeddingList = z.infer<typeof embeddingList>
