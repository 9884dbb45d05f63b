import type { MessagesUsage } from '@svc/wire/messages'
import type { Usage } from '../../../inference/core/events.ts'

/** Converts usage of the messages format, whose input tokens leave those of the prompt cache out. */
export function toMessagesUsage(usage: Usage): MessagesUsage {
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens } = usage
  return {
    input_tokens: Math.max(0, promptTokens - (cachedTokens ?? 0) - (cacheWriteTokens ?? 0)),
    ...(cachedTokens === undefined ? {} : { cache_read_input_tokens: cachedTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cache_creation_input_tokens: cacheWriteTokens }),
    output_tokens: completionTokens,
    ...(reasoningTokens === undefined ? {} : { output_tokens_details: { thinking_tokens: reasoningTokens } }),
  }
}
