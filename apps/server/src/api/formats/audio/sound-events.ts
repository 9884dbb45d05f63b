import type { SvcError } from '@svc/errors'
import { toStatus } from '../../../http/error-map.ts'

/** The media type of events. */
export const EVENT_STREAM = 'text/event-stream'

/** Headers of a stream of events. */
export const EVENT_HEADERS = { 'cache-control': 'no-cache' } as const

/** The end of a stream of events. */
export const LAST_EVENT = Buffer.from('data: [DONE]\n\n')

/** Writes an event. */
export function toEvent(event: object): Uint8Array {
  return Buffer.from(`data: ${JSON.stringify(event)}\n\n`)
}

/** Writes the events of a failure, with the end of the stream. */
export function toFailureEvents(error: SvcError): Uint8Array {
  const type = toStatus(error) >= 500 ? 'server_error' : 'invalid_request_error'
  return Buffer.concat([toEvent({ type: 'error', error: { message: error.message, type } }), LAST_EVENT])
}
