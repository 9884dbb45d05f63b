import type { CompletionUsage } from '@svc/wire/openai'
import { NO_USAGE, type Usage } from '../../core/events.ts'

/** Converts the figures of an upstream; they have no times. */
export function toUsage(usage: CompletionUsage): Usage {
  const { prompt_tokens_details: prompt = {}, completion_tokens_details: completion = {} } = usage
  return {
    ...NO_USAGE,
    promptTokens: usage.prompt_tokens,
    completionTokens: usage.completion_tokens,
    cachedTokens: prompt.cached_tokens,
    cacheWriteTokens: prompt.cache_creation_tokens,
    reasoningTokens: completion.reasoning_tokens,
  }
}
