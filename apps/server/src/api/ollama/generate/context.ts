import { SvcError } from '@svc/errors'
import type { ChatMessage } from '../../../inference/request.ts'

/** A message of a conversation that is carried along. */
export type CarriedMessage = Pick<ChatMessage, 'role' | 'content'>

/** Numbers of a conversation at most; a longer one is not carried along. */
export const MAX_CONTEXT = 262_144

const ROLES: ReadonlySet<unknown> = new Set<ChatMessage['role']>(['system', 'user', 'assistant'])

/**
 * A conversation as the numbers that a client hands back: the UTF-16 code units of its JSON text. It is written here and
 * read here, so it fits every model and nothing of it is kept by the server.
 *
 * @returns undefined when it is too long
 */
export function encodeContext(messages: readonly CarriedMessage[]): number[] | undefined {
  const text = JSON.stringify(messages.map(({ role, content }) => [role, content]))
  if (text.length > MAX_CONTEXT) return undefined
  return Array.from({ length: text.length }, (_, index) => text.charCodeAt(index))
}

/**
 * The conversation of numbers that {@link encodeContext} made.
 *
 * @throws {SvcError} `invalid_request` for any others
 */
export function decodeContext(context: readonly number[] | null | undefined): CarriedMessage[] {
  if (context == null || context.length === 0) return []
  const value = parse(context)
  if (!Array.isArray(value)) throw notOurs()
  return value.map(toMessage)
}

function parse(context: readonly number[]): unknown {
  try {
    return JSON.parse(context.map((unit) => String.fromCharCode(unit)).join(''))
  } catch {
    throw notOurs()
  }
}

function toMessage(entry: unknown): CarriedMessage {
  if (!Array.isArray(entry) || entry.length !== 2) throw notOurs()
  const [role, content]: readonly unknown[] = entry
  if (typeof content !== 'string' || !isRole(role)) throw notOurs()
  return { role, content }
}

function isRole(role: unknown): role is CarriedMessage['role'] {
  return ROLES.has(role)
}

function notOurs(): SvcError {
  return new SvcError('invalid_request', 'context: is not what an earlier reply of this server gave', {
    code: 'invalid_context',
    details: { param: 'context' },
  })
}
