import type { ChatCompletionRequest } from '@svc/wire/openai'
import type { GenerationOptions } from '../../../inference/core/request.ts'

/** The fields that chat and completions share. */
type GenerationFields = Pick<
  ChatCompletionRequest,
  | 'batch'
  | 'frequency_penalty'
  | 'ignore_eos'
  | 'logit_bias'
  | 'logprobs'
  | 'max_completion_tokens'
  | 'max_tokens'
  | 'min_p'
  | 'n_keep'
  | 'negative_prompt'
  | 'negative_prompt_scale'
  | 'presence_penalty'
  | 'repeat_last_n'
  | 'repeat_penalty'
  | 'rope_freq_base'
  | 'rope_freq_scale'
  | 'seed'
  | 'stop'
  | 'temperature'
  | 'tfz'
  | 'top_k'
  | 'top_logprobs'
  | 'top_p'
  | 'typical_p'
>

/** Converts stop texts; empty ones are dropped. */
export function toStop(stop: GenerationFields['stop']): readonly string[] | undefined {
  if (stop == null) return undefined
  return (typeof stop === 'string' ? [stop] : stop).filter((word) => word !== '')
}

/** Converts the generation options of a request. @param logitBias a map of biases that was taken out of the body */
export function toGeneration(body: GenerationFields, logitBias?: string | undefined): GenerationOptions {
  const logprobs = body.logprobs === true || (typeof body.logprobs === 'number' && body.logprobs > 0)
  return {
    temperature: body.temperature ?? undefined,
    topP: body.top_p ?? undefined,
    topK: body.top_k ?? undefined,
    minP: body.min_p ?? undefined,
    typicalP: body.typical_p ?? undefined,
    tfz: body.tfz ?? undefined,
    maxTokens: toLimit(body.max_completion_tokens ?? body.max_tokens),
    stop: toStop(body.stop),
    seed: body.seed ?? undefined,
    repeatPenalty: body.repeat_penalty ?? undefined,
    repeatLastN: body.repeat_last_n ?? undefined,
    frequencyPenalty: body.frequency_penalty ?? undefined,
    presencePenalty: body.presence_penalty ?? undefined,
    nKeep: body.n_keep ?? undefined,
    batch: body.batch ?? undefined,
    ignoreEos: body.ignore_eos ?? undefined,
    logprobs,
    topLogprobs: logprobs ? (body.top_logprobs ?? 1) : undefined,
    logitBias: logitBias ?? (body.logit_bias == null ? undefined : JSON.stringify(body.logit_bias)),
    negativePrompt: body.negative_prompt ?? undefined,
    negativePromptScale: body.negative_prompt_scale ?? undefined,
    ropeFreqBase: body.rope_freq_base ?? undefined,
    ropeFreqScale: body.rope_freq_scale ?? undefined,
  }
}

/** Converts the maximum number of tokens, 0 for no limit; some clients write -1 for that. */
export function toLimit(tokens: number | null | undefined): number | undefined {
  return tokens == null ? undefined : Math.max(0, tokens)
}
