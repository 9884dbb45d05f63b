import * as z from 'zod'
import { endAtFirstFault } from '../first-fault.ts'
import { MAX_INT32 } from '../scalars.ts'
import { ollamaKeepAlive, ollamaOptions } from './options.ts'

const common = {
  model: z.string().nullish(),
  /** Whether a text that is longer than the model's context loses its end, or is refused. @default true */
  truncate: z.boolean().nullish(),
  keep_alive: ollamaKeepAlive.nullish(),
  options: ollamaOptions.nullish(),
}

/** Body of `POST /api/embed`; `prompt` is the older word for `input`. */
export const ollamaEmbedRequest = z.looseObject({
  ...common,
  input: z.union([z.string(), endAtFirstFault(z.array(z.string()))]).nullish(),
  prompt: z.string().nullish(),
  /** Length of the vectors, at most the model's own. */
  dimensions: z.int().min(0).max(MAX_INT32).nullish(),
})

/** Reply of `POST /api/embed`: one vector for each input. Durations are nanoseconds. */
export const ollamaEmbedReply = z.looseObject({
  model: z.string(),
  embeddings: z.array(z.array(z.number())),
  total_duration: z.int().min(0),
  load_duration: z.int().min(0),
  prompt_eval_count: z.int().min(0),
})

/** Body of `POST /api/embeddings`, the older route for one text. */
export const ollamaEmbeddingsRequest = z.looseObject({ ...common, prompt: z.string().nullish() })

/** Reply of `POST /api/embeddings`. */
export const ollamaEmbeddingsReply = z.looseObject({ embedding: z.array(z.number()) })

/** Body of `POST /api/embed`. */
export type OllamaEmbedRequest = z.infer<typeof ollamaEmbedRequest>
/** Reply of `POST /api/embed`. */
export type OllamaEmbedReply = z.infer<typeof ollamaEmbedReply>
/** Body of `POST /api/embeddings`. */
export type OllamaEmbeddingsRequest = z.infer<typeof ollamaEmbeddingsRequest>
/** Reply of `POST /api/embeddings`. */
export type OllamaEmbeddingsReply = z.infer<typeof ollamaEmbeddingsReply>
