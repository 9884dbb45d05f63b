import * as z from 'zod'

const nanoseconds = z.int().min(0)
const tokens = z.int().min(0)

/** Figures on the last line of an answer. Durations are nanoseconds. */
export const ollamaFigures = {
  /** `load` and `unload` answer a request that only loads or unloads. */
  done_reason: z.enum(['stop', 'length', 'load', 'unload']).exactOptional(),
  total_duration: nanoseconds.exactOptional(),
  load_duration: nanoseconds.exactOptional(),
  prompt_eval_count: tokens.exactOptional(),
  prompt_eval_duration: nanoseconds.exactOptional(),
  eval_count: tokens.exactOptional(),
  eval_duration: nanoseconds.exactOptional(),
}

const alternative = {
  token: z.string(),
  logprob: z.number(),
  bytes: z.array(z.int().min(0).max(255)).exactOptional(),
}

/** One generated token with its log probability and the likeliest alternatives. */
export const ollamaLogprob = z.looseObject({
  ...alternative,
  top_logprobs: z.array(z.looseObject(alternative)).exactOptional(),
})

/** Fields at the start of every line of an answer. */
export const ollamaLine = {
  model: z.string(),
  /** RFC 3339. */
  created_at: z.string(),
  done: z.boolean(),
  logprobs: z.array(ollamaLogprob).exactOptional(),
}

/** Reply of an error; also a line that ends a stream. */
export const ollamaError = z.looseObject({ error: z.string() })

/** One generated token with its log probability. */
export type OllamaLogprob = z.infer<typeof ollamaLogprob>
/** Reply of an error. */
export type OllamaError = z.infer<typeof ollamaError>
