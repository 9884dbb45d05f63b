import { MAX_INT32 } from '../scalars.ts'
import type { ChatCompletionRequest } from './chat.ts'
import { CHAT_ROLES } from './chat-message.ts'

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isFlag: Check = (value) => typeof value === 'boolean'
const within =
  (least: number, most: number): Check =>
  (value) =>
    typeof value === 'number' && value >= least && value <= most
const wholeWithin =
  (least: number, most: number): Check =>
  (value) =>
    Number.isInteger(value) && within(least, most)(value)

/** More messages are checked by the schema, which ends at the first wrong one. */
const MAX_MESSAGES = 256
const ROLES: ReadonlySet<unknown> = new Set(CHAT_ROLES)

/** The fields of a plain chat. A check may refuse what the schema takes, never the other way round. */
const FIELDS: ReadonlyMap<string, Check> = new Map([
  ['model', isText],
  ['messages', isMessageList],
  ['stream', isFlag],
  ['temperature', within(0, 2)],
  ['top_p', within(0, 1)],
  ['top_k', wholeWithin(-1, MAX_INT32)],
  ['min_p', within(0, 1)],
  ['n', wholeWithin(1, 128)],
  ['max_tokens', wholeWithin(-1, MAX_INT32)],
  ['max_completion_tokens', wholeWithin(-1, MAX_INT32)],
  ['seed', wholeWithin(-MAX_INT32, MAX_INT32)],
  ['frequency_penalty', within(-2, 2)],
  ['presence_penalty', within(-2, 2)],
  ['repeat_penalty', within(0, 2)],
  ['user', isText],
])

/**
 * Whether a body is a chat of texts with common fields, as nearly all are. The schema takes every such body and gives it
 * back as it came, so that checking it there would only take longer.
 */
export function isPlainChat(body: unknown): body is ChatCompletionRequest {
  if (!isRecord(body) || body.messages === undefined) return false
  for (const name in body) if (FIELDS.get(name)?.(body[name]) !== true) return false
  return true
}

function isMessageList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.length <= MAX_MESSAGES && value.every(isPlainMessage)
}

function isPlainMessage(message: unknown): boolean {
  if (!isRecord(message) || !ROLES.has(message.role) || typeof message.content !== 'string') return false
  for (const name in message) if (name !== 'role' && name !== 'content') return false
  return true
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
