import { SvcError } from '@svc/errors'
import type { JsonDocument } from '@svc/json'
import type { ChatMessage } from '../../../../inference/core/request.ts'
import type { HiddenTexts } from '../../../../pii/hidden-text.ts'

/** A message of a carried conversation. */
export type CarriedMessage = Pick<ChatMessage, 'role' | 'content'>

/** Maximum length of a carried conversation in numbers; a longer one is not carried. */
export const MAX_CONTEXT = 262_144

const ROLES: ReadonlySet<unknown> = new Set<ChatMessage['role']>(['system', 'user', 'assistant'])

/**
 * Encodes a conversation as numbers for the client to send back: the UTF-16 code units of its JSON text. The server
 * both writes and reads them, so they fit every model, and the server keeps nothing.
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
 * Decodes numbers that {@link encodeContext} made.
 *
 * @throws {SvcError} `invalid_request` for any other numbers
 */
export function decodeContext(context: readonly number[] | null | undefined): CarriedMessage[] {
  if (context == null || context.length === 0) return []
  const value = parse(context)
  if (!Array.isArray(value)) throw notOurs()
  return value.map(toMessage)
}

/**
 * Gives the texts of the conversation that a body carries; undefined when it carries none that the server would read.
 * Masked texts may become too long to carry; the reading of the body refuses that.
 */
export function findContextTexts({ root }: JsonDocument): HiddenTexts | undefined {
  // Of duplicate keys the last one is read.
  const node = root.get('context')
  if (node === undefined || node.length === 0 || node.length > MAX_CONTEXT) return undefined
  const units: number[] = []
  for (const item of node.items()) {
    if (item.kind !== 'number') return undefined
    units.push(item.number())
  }
  const messages = toCarried(units)
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

function toCarried(units: readonly number[]): CarriedMessage[] | undefined {
  try {
    return decodeContext(units)
  } catch (error) {
    // The decoder refuses the body with the same error, whatever the filter does.
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
  return new SvcError('invalid_request', 'context: is not from an earlier reply of this server', {
    code: 'invalid_context',
    details: { param: 'context' },
  })
}
