import { SvcError } from '@svc/errors'
import type { JsonDocument, JsonNode } from '@svc/json'

/** The header that names the conversation of a request. */
export const CONVERSATION_HEADER = 'x-conversation-id'

const MAX_LENGTH = 512

/**
 * Reads the id of a request's conversation: the header, else `conversation` of the body (an id, or an object with one),
 * else `metadata.conversation_id`.
 *
 * @returns undefined for a request that names none
 * @throws {SvcError} `invalid_request` for an id that is too long
 */
export function readConversationId({
  document,
  conversationHeader,
}: {
  readonly document: JsonDocument
  readonly conversationHeader?: string | undefined
}): string | undefined {
  const { root } = document
  const conversation = root.get('conversation')
  const candidates = [
    conversationHeader,
    toText(conversation),
    toText(conversation?.get('id')),
    toText(root.get('metadata')?.get('conversation_id')),
  ]
  const id = candidates.find((candidate) => candidate !== undefined && candidate !== '')
  if (id === undefined || id.length <= MAX_LENGTH) return id
  throw new SvcError('invalid_request', `the id of the conversation has more than ${MAX_LENGTH} characters`, {
    code: 'conversation_id_too_long',
    details: { type: 'invalid_request_error' },
  })
}

function toText(node: JsonNode | undefined): string | undefined {
  return node?.kind === 'string' ? node.text() : undefined
}
