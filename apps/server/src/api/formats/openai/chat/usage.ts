import type { CompletionUsage } from '@svc/wire/openai'
import type { Usage } from '../../../../inference/events.ts'

/** Converts usage of the compatible format; timings (milliseconds) only for clients that asked with `Extra-Usage`. */
export function toCompletionUsage(usage: Usage, extra: boolean): CompletionUsage {
  const { promptTokens, completionTokens } = usage
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    ...(extra ? { timing_prompt_processing: usage.promptMs, timing_token_generation: usage.generationMs } : {}),
  }
}
