import { SvcError } from '@svc/errors'
import { toLineOfJson } from '../json-text.ts'

/** One event to write. */
export interface SseEventFields {
  /** The event's name; without one a browser sees `message`. */
  readonly event?: string | undefined
  /** The payload; each of its lines becomes a `data:` line. */
  readonly data: string
  readonly id?: string | undefined
}

/** The frame that ends a stream of the compatible format. */
export const SSE_DONE = 'data: [DONE]\n\n'

/** A frame no client sees: keeps connections open. */
export const SSE_KEEP_ALIVE = ': keep-alive\n\n'

const LINE_BREAK = /\r\n|\r|\n/
const HAS_LINE_BREAK = /[\r\n]/
const UNSAFE_IN_FIELD = /[\r\n\0]/

/**
 * The frame of one event. Any text may be data: CR, LF and CRLF in it arrive as LF, everything else as it is.
 *
 * @throws SvcError `internal`, code `sse_field`, when the name or id holds a line break or NUL
 * @example
 * encodeSseEvent({ event: 'ping', data: '{}' }) // 'event: ping\ndata: {}\n\n'
 */
export function encodeSseEvent({ event, data, id }: SseEventFields): string {
  let frame = ''
  if (event !== undefined) frame += `event: ${checkField('event', event)}\n`
  if (id !== undefined) frame += `id: ${checkField('id', id)}\n`
  if (!HAS_LINE_BREAK.test(data)) return `${frame}data: ${data}\n\n`
  for (const line of data.split(LINE_BREAK)) frame += `data: ${line}\n`
  return `${frame}\n`
}

/**
 * The frame of one event whose data is a value as JSON, on one line for every client.
 *
 * @param event the event's name, absent in the compatible format
 * @throws TypeError for a value without a JSON text
 */
export function encodeSseJson(value: unknown, event?: string): string {
  return encodeSseEvent({ event, data: toLineOfJson(value) })
}

/** A frame no client sees; each line of the text becomes a comment line. */
export function encodeSseComment(text: string): string {
  return `${text
    .split(LINE_BREAK)
    .map((line) => `: ${line}\n`)
    .join('')}\n`
}

function checkField(name: string, value: string): string {
  if (UNSAFE_IN_FIELD.test(value)) {
    throw new SvcError('internal', `an event's ${name} cannot hold a line break or NUL`, { code: 'sse_field' })
  }
  return value
}
