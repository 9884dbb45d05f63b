import type { ChatCompletionRequest } from '@svc/wire/openai'
import { dropAbsent } from '../fields.ts'

/** The fields of a request that choose among likely tokens. */
export function readSampling(
  chat: ChatCompletionRequest,
): Pick<ChatCompletionRequest, 'temperature' | 'top_p' | 'top_k' | 'min_p' | 'seed'> {
  const { temperature, top_p, top_k, min_p, seed } = chat
  return dropAbsent({ temperature, top_p, top_k, min_p, seed })
}
