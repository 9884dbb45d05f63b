import { SvcError } from '@svc/errors'
import { DEFAULT_MAX_DEPTH } from '@svc/json'
import { parseBody } from '@svc/wire/parse-body'
import { REALTIME_CLIENT_EVENTS, type RealtimeClientEvent, realtimeClientEvent } from '@svc/wire/realtime'
import { badEvent } from './event-error.ts'

/** Largest event, bytes. */
const MAX_EVENT_BYTES = 10 * 1024 * 1024 + 64 * 1024
/** Most values of a large event: each costs far more time than its bytes. */
const MAX_VALUES = 20_000
/** Smaller events have few values. */
const COUNTED_BYTES = 64 * 1024
/** Longest id of an event that an error repeats. */
const MAX_ID = 512

const TYPES: ReadonlySet<string> = new Set(REALTIME_CLIENT_EVENTS)
const decoder = new TextDecoder('utf-8', { fatal: true })

/** An event as it came: an object with a type. */
export interface RawEvent {
  readonly fields: Readonly<Record<string, unknown>>
  /** The client's name of the event. */
  readonly eventId: string | undefined
}

/** Reads the bytes of an event. @throws {SvcError} `invalid_json`, `event_too_large`, `invalid_event` */
export function readRawEvent(bytes: Uint8Array): RawEvent {
  if (bytes.length > MAX_EVENT_BYTES) throw badEvent('event_too_large', `an event has at most ${MAX_EVENT_BYTES} bytes`)
  if (bytes.length > COUNTED_BYTES && hasManyValues(bytes))
    throw badEvent('invalid_event', `an event has at most ${MAX_VALUES} values`)
  const fields = parse(bytes)
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    throw badEvent('invalid_json', 'an event is a JSON object')
  const { event_id: id } = fields as { readonly event_id?: unknown }
  const isShort = typeof id === 'string' && id.length <= MAX_ID
  return { fields: fields as Readonly<Record<string, unknown>>, eventId: isShort ? id : undefined }
}

/** Checks an event. @throws {SvcError} `unknown_event`, `session_update_error`, `invalid_event` */
export function checkEvent({ fields }: RawEvent): RealtimeClientEvent {
  const { type } = fields
  if (typeof type !== 'string' || !TYPES.has(type))
    throw badEvent('unknown_event', typeof type === 'string' ? 'type: is not known here' : 'type: is required', 'type')
  if (isDeeper(fields, DEFAULT_MAX_DEPTH))
    throw badEvent('invalid_event', `lists and objects are nested more than ${DEFAULT_MAX_DEPTH} deep`)
  try {
    return parseBody(realtimeClientEvent, fields)
  } catch (error) {
    if (!SvcError.is(error)) throw error
    throw badEvent(codeOf(type), error.message, error.details?.param)
  }
}

function codeOf(type: string): string {
  if (type.endsWith('session.update')) return 'session_update_error'
  return type === 'input_audio_buffer.append' ? 'missing_audio_data' : 'invalid_event'
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** Bytes that come with each value but the first: `,`, `[`, `{`. */
const BEFORE_VALUES: ReadonlySet<number | undefined> = new Set([0x2c, 0x5b, 0x7b])

function hasManyValues(bytes: Uint8Array): boolean {
  let count = 0
  let isText = false
  for (let at = 0; at < bytes.length && count <= MAX_VALUES; at += 1) {
    const byte = bytes[at]
    if (isText) {
      if (byte === BACKSLASH) at += 1
      else if (byte === QUOTE) isText = false
    } else if (byte === QUOTE) isText = true
    else if (BEFORE_VALUES.has(byte)) count += 1
  }
  return count > MAX_VALUES
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes))
  } catch {
    throw badEvent('invalid_json', 'the event is not JSON')
  }
}

/** Whether lists and objects are nested deeper than a limit: later steps go down by recursion. */
function isDeeper(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return limit === 0 || Object.values(value).some((inner) => isDeeper(inner, limit - 1))
}
