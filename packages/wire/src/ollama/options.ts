import * as z from 'zod'
import { stopWords } from '../openai/chat.ts'
import { anyObject, anySeed, float32, MAX_INT32, positiveFloat32, unitInterval } from '../scalars.ts'

/** A whole number; clients write some of them with a fraction of zero. */
const whole = z.int().min(-MAX_INT32).max(MAX_INT32)

/**
 * Sampling options. Options of loading (`num_gpu`, `num_thread`, `use_mmap` and the like) are accepted and ignored: the
 * operator sets them.
 */
export const ollamaOptions = z.looseObject({
  temperature: positiveFloat32.nullish(),
  top_k: z.int().min(-1).max(MAX_INT32).nullish(),
  top_p: unitInterval.nullish(),
  min_p: unitInterval.nullish(),
  typical_p: unitInterval.nullish(),
  tfs_z: positiveFloat32.nullish(),
  /** Most tokens of the answer; below 1: no limit but the context. */
  num_predict: whole.nullish(),
  /** Tokens of the context; only lowers the model's own. */
  num_ctx: whole.nullish(),
  num_keep: z.int().min(-1).max(MAX_INT32).nullish(),
  repeat_last_n: z.int().min(-1).max(MAX_INT32).nullish(),
  repeat_penalty: positiveFloat32.nullish(),
  presence_penalty: float32.nullish(),
  frequency_penalty: float32.nullish(),
  seed: anySeed.nullish(),
  stop: stopWords.nullish(),
})

/**
 * Time that the model stays in memory after the call: seconds, or a duration such as `10m`. 0 unloads it at once, a
 * negative value keeps it.
 */
export const ollamaKeepAlive = z.union([
  z.number(),
  z.string().regex(/^-?(?:\d+(?:\.\d*)?|(?:\d+(?:\.\d*)?(?:h|ms|m|s|us|µs|ns))+)$/, 'must be a duration such as "5m"'),
])

/** The form an answer must have: `json`, or a JSON Schema; empty text asks for no form. */
export const ollamaFormat = z.union([z.enum(['', 'json']), anyObject])

/** Whether the model thinks before it answers, or how much. */
export const ollamaThink = z.union([z.boolean(), z.enum(['low', 'medium', 'high'])])

/** Fields that chat and generate share beside their text. */
export const ollamaGeneration = {
  model: z.string().nullish(),
  /** @default true */
  stream: z.boolean().nullish(),
  format: ollamaFormat.nullish(),
  think: ollamaThink.nullish(),
  keep_alive: ollamaKeepAlive.nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  options: ollamaOptions.nullish(),
}

/** Sampling options. */
export type OllamaOptions = z.infer<typeof ollamaOptions>
/** Time that the model stays in memory after the call, as it came. */
export type OllamaKeepAlive = z.infer<typeof ollamaKeepAlive>
/** The form an answer must have, as it came. */
export type OllamaFormat = z.infer<typeof ollamaFormat>
/** Whether and how much the model thinks, as it came. */
export type OllamaThink = z.infer<typeof ollamaThink>
