import type { CompletionUsage } from '@svc/wire/openai'
import { NO_USAGE, type Usage } from '../events.ts'

/** Converts the figures of an upstream; they have no times. */
export function toUsage({ prompt_tokens, completion_tokens }: CompletionUsage): Usage {
  return { ...NO_USAGE, promptTokens: prompt_tokens, completionTokens: completion_tokens }
}
