import { SvcError } from '@svc/errors'
import type { JsonDocument } from '@svc/json'
import { type ChatCompletionRequest, chatCompletionRequest, parseBody } from '@svc/wire'
import type { InferenceCodec } from '../../../inference/codec.ts'
import type { ChatRequest } from '../../../inference/request.ts'
import { unparsable } from '../../../inference/stages/body.ts'
import { collectChat } from './collect.ts'
import { streamChat } from './stream.ts'
import { chatToDomain } from './to-domain.ts'

/** A chat request with what only its own format asks for. */
interface CompatibleChatRequest extends ChatRequest {
  readonly includeUsage: boolean
}

function validate(document: JsonDocument): ChatCompletionRequest {
  try {
    return parseBody(chatCompletionRequest, document.root.toValue())
  } catch (error) {
    if (SvcError.is(error) && error.code === 'invalid_body') throw unparsable(error.message, error.details?.param)
    throw error
  }
}

/** The two ends of `POST /v1/chat/completions`. */
export const chatCodec: InferenceCodec<CompatibleChatRequest> = {
  parse(document) {
    const body = validate(document)
    return { ...chatToDomain(body), includeUsage: body.stream_options?.include_usage ?? false }
  },
  stream: (request, facts) => streamChat(facts, { choices: request.choices, includeUsage: request.includeUsage }),
  collect: (request, facts) => collectChat(facts, request.choices),
}
