import * as z from 'zod'
import { chatCompletionRequest } from './chat.ts'
import { textOrTokens } from './token-input.ts'
import { completionUsage } from './usage.ts'

/** Fields that chat and completions share. */
const shared = chatCompletionRequest.pick({
  model: true,
  stream: true,
  stream_options: true,
  response_format: true,
  metadata: true,
  temperature: true,
  top_p: true,
  n: true,
  max_tokens: true,
  max_completion_tokens: true,
  stop: true,
  seed: true,
  frequency_penalty: true,
  presence_penalty: true,
  logit_bias: true,
  reasoning_effort: true,
  top_k: true,
  min_p: true,
  typical_p: true,
  tfz: true,
  repeat_penalty: true,
  repeat_last_n: true,
  n_keep: true,
  batch: true,
  ignore_eos: true,
  echo: true,
  grammar: true,
  negative_prompt: true,
  negative_prompt_scale: true,
  clip_skip: true,
  rope_freq_base: true,
  rope_freq_scale: true,
  user: true,
}).shape

/**
 * Body of `POST /v1/completions`. Unknown keys survive; an optional field that is `null` counts as absent. `suffix` and
 * `best_of` are accepted and change nothing.
 */
export const completionRequest = z.looseObject({
  ...shared,
  prompt: textOrTokens,
  /** Most tokens of the answer: 0 generates nothing, -1 means no limit. */
  max_tokens: shared.max_tokens,
  /** Puts the prompt before the answer; with `logprobs` its tokens too. */
  echo: shared.echo,
  /** Number of alternatives for each token; 0 gives only the tokens. */
  logprobs: z.union([z.boolean(), z.int().min(0).max(20)]).nullish(),
  suffix: z.string().nullish(),
  best_of: z.int().min(0).max(128).nullish(),
})

/** The reason why a completion ended. */
export const completionFinishReason = z.enum(['stop', 'length', 'content_filter'])

/**
 * The tokens of a completion, one entry each in every list. Offsets count the characters (code points) of `text` before
 * the token; `top_logprobs` maps tokens to log-probabilities, the token itself among them. Both are null for the first
 * token of an echoed prompt.
 */
export const completionLogprobs = z.looseObject({
  tokens: z.array(z.string()),
  token_logprobs: z.array(z.number().nullable()),
  text_offset: z.array(z.int().min(0)),
  top_logprobs: z.array(z.record(z.string(), z.number()).nullable()),
})

/** One completion of one prompt. */
export const completionChoice = z.looseObject({
  index: z.int().min(0),
  text: z.string(),
  finish_reason: completionFinishReason,
  logprobs: completionLogprobs.nullable(),
})

const envelope = {
  id: z.string(),
  object: z.literal('text_completion'),
  created: z.int(),
  model: z.string(),
}

/** Reply of `POST /v1/completions` without `stream`; `created` is in seconds. */
export const completion = z.looseObject({
  ...envelope,
  choices: z.array(completionChoice),
  usage: completionUsage.exactOptional(),
})

/** One event of a streamed completion: every choice has a string `text`, the last one with the reason of its end. */
export const completionChunk = z.looseObject({
  ...envelope,
  choices: z.array(
    z.looseObject({
      index: z.int().min(0),
      text: z.string(),
      finish_reason: completionFinishReason.nullable(),
      logprobs: completionLogprobs.nullable(),
    }),
  ),
  usage: completionUsage.exactOptional(),
})

/** Body of `POST /v1/completions`. */
export type CompletionRequest = z.infer<typeof completionRequest>
/** The reason why a completion ended. */
export type CompletionFinishReason = z.infer<typeof completionFinishReason>
/** The tokens of a completion. */
export type CompletionLogprobs = z.infer<typeof completionLogprobs>
/** One completion of one prompt. */
export type CompletionChoice = z.infer<typeof completionChoice>
/** A whole reply. */
export type Completion = z.infer<typeof completion>
/** One event of a streamed reply. */
export type CompletionChunk = z.infer<typeof completionChunk>
