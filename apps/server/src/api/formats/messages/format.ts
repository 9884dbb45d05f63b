import { SvcError } from '@svc/errors'
import type { JsonDocument } from '@svc/json'
import {
  type MessagesCountReply,
  type MessagesRequest,
  messagesCountRequest,
  messagesRequest,
} from '@svc/wire/messages'
import { limitItems } from '../../../inference/documents/limit-items.ts'
import { readBody } from '../../../inference/documents/read-body.ts'
import { toOperationCall, type WireFormat } from '../../../inference/replies/wire-format.ts'
import { MAX_MESSAGES } from '../openai/limits.ts'
import { leaveOutHosted } from '../server-fields.ts'
import { findToolSecrets } from '../tool-secrets.ts'
import { collectMessage } from './collect.ts'
import { unsupported } from './content.ts'
import { streamMessage } from './stream.ts'
import { conversationToDomain, messagesToDomain } from './to-domain.ts'

/** Every request of this format has a limit (§7.3). */
function checkMaxTokens(document: JsonDocument): void {
  const node = document.root.get('max_tokens')
  const isMissing = node === undefined || node.kind === 'null' || (node.kind === 'number' && node.number() <= 0)
  if (!isMissing) return
  throw new SvcError('invalid_request', 'max_tokens is required and must be greater than 0', {
    code: 'max_tokens_required',
    details: { param: 'max_tokens' },
  })
}

/** Whether the client asked for the model's reasoning. */
function showsThinking({ thinking }: MessagesRequest): boolean {
  if (thinking == null || thinking.type === 'disabled') return false
  return !('display' in thinking && thinking.display === 'omitted')
}

/** The wire format of `POST /v1/messages`. */
export const messagesFormat: WireFormat = {
  secrets: findToolSecrets,
  async read(document, { signal }) {
    checkMaxTokens(document)
    limitItems(document, 'messages', MAX_MESSAGES)
    const body = await readBody(messagesRequest, document, signal)
    const request = messagesToDomain(body)
    const options = { showsThinking: showsThinking(body), stopSequences: request.generation.stop ?? [] }
    return {
      kind: 'generation',
      request,
      takesTurns: request.hostedTools !== undefined,
      stream: (facts) => streamMessage(facts, options),
      collect: (facts) => collectMessage(facts, options),
    }
  },
}

/** The wire format of `POST /v1/messages/count_tokens`. */
export const countTokensFormat: WireFormat = {
  secrets: findToolSecrets,
  async read(document, { signal }) {
    limitItems(document, 'messages', MAX_MESSAGES)
    const chat = leaveOutHosted(conversationToDomain(await readBody(messagesCountRequest, document, signal)))
    // The number of a medium's tokens is known only after the model has read it.
    const [medium] = chat.messages.flatMap(({ attachments = [] }) => attachments)
    if (medium !== undefined) throw unsupported(medium.param, 'the tokens of media cannot be counted')
    return toOperationCall<'count'>(
      { kind: 'count', chat },
      ({ tokens }): MessagesCountReply => ({ input_tokens: tokens }),
    )
  },
}
