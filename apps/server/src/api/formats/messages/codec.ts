import { SvcError } from '@svc/errors'
import type { JsonDocument } from '@svc/json'
import {
  type MessagesCountReply,
  type MessagesRequest,
  messagesCountRequest,
  messagesRequest,
} from '@svc/wire/messages'
import type { GenerationCodec, OperationCodec } from '../../../inference/codec.ts'
import { limitItems } from '../../../inference/limit-items.ts'
import { readBody } from '../../../inference/read-body.ts'
import type { ChatRequest } from '../../../inference/request.ts'
import { MAX_MESSAGES } from '../openai/limits.ts'
import { collectMessage } from './collect.ts'
import { unsupported } from './content.ts'
import type { MessagesReplyOptions } from './reply-options.ts'
import { streamMessage } from './stream.ts'
import { conversationToDomain, messagesToDomain } from './to-domain.ts'

/** A request with what only its own format asks for. */
interface MessagesChatRequest extends ChatRequest, MessagesReplyOptions {}

/** A limit is part of every request of the format (§7.3). */
function checkMaxTokens(document: JsonDocument): void {
  const node = document.root.get('max_tokens')
  const isMissing = node === undefined || node.kind === 'null' || (node.kind === 'number' && node.number() <= 0)
  if (!isMissing) return
  throw new SvcError('invalid_request', 'max_tokens is required and must be greater than 0', {
    code: 'max_tokens_required',
    details: { param: 'max_tokens' },
  })
}

/** Thoughts are shown to those who ask for them. */
function showsThinking({ thinking }: MessagesRequest): boolean {
  if (thinking == null || thinking.type === 'disabled') return false
  return !('display' in thinking && thinking.display === 'omitted')
}

/** The two ends of `POST /v1/messages`. */
export const messagesCodec: GenerationCodec<MessagesChatRequest> = {
  async parse(document, { signal }) {
    checkMaxTokens(document)
    limitItems(document, 'messages', MAX_MESSAGES)
    const body = await readBody(messagesRequest, document, signal)
    const request = messagesToDomain(body)
    return {
      ...request,
      showsThinking: showsThinking(body),
      stopSequences: request.generation.stop ?? [],
    }
  },
  stream: (request, facts) => streamMessage(facts, request),
  collect: (request, facts) => collectMessage(facts, request),
}

/** The two ends of `POST /v1/messages/count_tokens`. */
export const countTokensCodec: OperationCodec<'count'> = {
  operation: 'count',
  async parse(document, { signal }) {
    limitItems(document, 'messages', MAX_MESSAGES)
    const chat = conversationToDomain(await readBody(messagesCountRequest, document, signal))
    // What a model makes of a medium is known only once it has read it.
    const [medium] = chat.messages.flatMap(({ attachments = [] }) => attachments)
    if (medium !== undefined) throw unsupported(medium.param, 'the tokens of media cannot be counted')
    return { kind: 'count', chat }
  },
  reply: (_request, { tokens }): MessagesCountReply => ({ input_tokens: tokens }),
}
