import type { JsonDocument } from '@svc/json'
import { type ChatCompletionRequest, chatCompletionRequest } from '@svc/wire/openai'
import type { GenerationCodec } from '../../../../inference/codec.ts'
import { readBody } from '../../../../inference/read-body.ts'
import type { ChatRequest } from '../../../../inference/request.ts'
import { unparsable } from '../../../../inference/stages/body.ts'
import { MAX_MESSAGES } from '../limits.ts'
import { collectChat } from './collect.ts'
import { streamChat } from './stream.ts'
import { chatToDomain } from './to-domain.ts'
import { usesFunctions } from './tools.ts'

/** A chat request with what only its own format asks for. */
interface CompatibleChatRequest extends ChatRequest {
  readonly includeUsage: boolean
  /** Calls are said in the older form, `function_call`. */
  readonly usesFunctions: boolean
}

async function validate(document: JsonDocument, signal: AbortSignal): Promise<ChatCompletionRequest> {
  const messages = document.root.get('messages')
  if (messages !== undefined && messages.length > MAX_MESSAGES) {
    throw unparsable(`messages: more than ${MAX_MESSAGES}`, 'messages')
  }
  return readBody(chatCompletionRequest, document, signal)
}

/** The two ends of `POST /v1/chat/completions`. */
export const chatCodec: GenerationCodec<CompatibleChatRequest> = {
  async parse(document, { signal }) {
    const body = await validate(document, signal)
    return {
      ...chatToDomain(body),
      includeUsage: body.stream_options?.include_usage ?? false,
      usesFunctions: usesFunctions(body),
    }
  },
  stream: (request, facts) => streamChat(facts, request),
  collect: (request, facts) => collectChat(facts, request),
}
