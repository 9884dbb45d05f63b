import { SvcError } from '@svc/errors'
import type { JsonDocument } from '@svc/json'
import type { ChatMessage } from '../../../../inference/request.ts'
import type { HiddenTexts } from '../../../../pii/hidden-text.ts'

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
  const units = toUnits(messages)
  return units.length > MAX_CONTEXT ? undefined : units
}

function toUnits(messages: readonly CarriedMessage[]): number[] {
  const text = JSON.stringify(messages.map(({ role, content }) => [role, content]))
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

/**
 * The texts of the conversation that a body carries along; undefined where it carries none that the server would read.
 * What takes their place may be too long to be carried, which is refused when the body is read.
 */
export function textsOfContext({ root }: JsonDocument): HiddenTexts | undefined {
  // Of duplicates the last is the one that is read.
  const node = root.get('context')
  if (node === undefined || node.length === 0 || node.length > MAX_CONTEXT) return undefined
  const units: number[] = []
  for (const item of node.items()) {
    if (item.kind !== 'number') return undefined
    units.push(item.number())
  }
  const messages = carriedBy(units)
  if (messages === undefined) return undefined
  return {
    node,
    segments: messages.map(({ content }, index) => ({ path: `context[${index}]`, text: content })),
    encode: (texts) =>
      Buffer.from(
        JSON.stringify(
          toUnits(messages.map(({ role, content }, index) => ({ role, content: texts[index] ?? content }))),
        ),
      ),
  }
}

function carriedBy(units: readonly number[]): CarriedMessage[] | undefined {
  try {
    return decodeContext(units)
  } catch (error) {
    // The codec refuses it with the same words, whatever the filter says.
    if (SvcError.is(error) && error.code === 'invalid_context') return undefined
    throw error
  }
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
