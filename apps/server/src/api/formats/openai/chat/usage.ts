import type { CompletionUsage } from '@svc/wire/openai'
import type { Usage } from '../../../../inference/core/events.ts'

/**
 * Converts usage of the compatible format. Clients that asked with `Extra-Usage` also get timings (milliseconds), and
 * the tokens that a local engine remembered: those depend on the requests before, not on the request.
 */
export function toCompletionUsage(usage: Usage, extra: boolean): CompletionUsage {
  const { promptTokens, completionTokens, cacheWriteTokens, reasoningTokens } = usage
  const cachedTokens = usage.cachedTokens ?? (extra ? usage.reusedTokens : undefined)
  const prompt = {
    ...(cachedTokens === undefined ? {} : { cached_tokens: cachedTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cache_creation_tokens: cacheWriteTokens }),
  }
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    ...(Object.keys(prompt).length > 0 ? { prompt_tokens_details: prompt } : {}),
    ...(reasoningTokens === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
    ...(extra ? { timing_prompt_processing: usage.promptMs, timing_token_generation: usage.generationMs } : {}),
  }
}
