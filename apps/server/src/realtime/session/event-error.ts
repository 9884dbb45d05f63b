import { SvcError } from '@svc/errors'
import type { RealtimeError } from '@svc/wire/realtime'
import { OPAQUE_ERROR, toPublicError } from '../../public-error.ts'
import type { ServerEvent } from '../ports.ts'

/** Creates the refusal of an event of the client. */
export function badEvent(code: string, message: string, param?: string): SvcError {
  return new SvcError('invalid_request', message, {
    code,
    details: { type: 'invalid_request_error', ...(param === undefined ? {} : { param }) },
  })
}

/** Writes a failure for the client. @param eventId the event that it is about */
export function toErrorEvent(thrown: unknown, eventId?: string): ServerEvent {
  return { type: 'error', error: toRealtimeError(thrown, eventId) }
}

/** Writes the inside of an error event. */
export function toRealtimeError(thrown: unknown, eventId?: string): RealtimeError {
  const error = toPublicError(thrown)
  return {
    type: toType(error),
    code: error.code,
    message: error.message,
    param: error.details?.param ?? null,
    event_id: eventId ?? null,
  }
}

/** Gives a failure of a stage the code of its stage. Refusals and limits keep theirs: clients act on them. */
export function failedStage(code: string, thrown: unknown): SvcError {
  const error = toPublicError(thrown)
  const isOwnWord = error.kind === 'rate_limited' || error.kind === 'forbidden' || error.kind === 'unauthenticated'
  if (isOwnWord || error.kind === 'cancelled') return error
  return new SvcError(error.kind, error.message, { code, details: error.details, cause: thrown })
}

/** Replaces what an event says about failures, as `--opaque-errors` wants it. */
export function hideErrors(event: ServerEvent): ServerEvent {
  const { error, response } = event
  if (error !== undefined) return { ...event, error: hideError(error) }
  const { status_details: details } = Object(response) as { readonly status_details?: unknown }
  const { error: cause, ...rest } = Object(details) as { readonly error?: unknown }
  if (cause === undefined) return event
  const status_details = { ...rest, error: hideError(cause) }
  return { ...event, response: { ...Object(response), status_details } }
}

function hideError(error: unknown): Readonly<Record<string, unknown>> {
  return { ...Object(error), code: null, message: OPAQUE_ERROR.message, param: null }
}

const SERVER_KINDS: ReadonlySet<string> = new Set([
  'internal',
  'upstream_failed',
  'unavailable',
  'timeout',
  'insufficient_storage',
  'loop',
])

function toType({ kind, details }: SvcError): string {
  if (details?.type !== undefined) return details.type
  if (kind === 'rate_limited') return 'rate_limit_error'
  if (kind === 'forbidden' || kind === 'unauthenticated') return 'authorization_error'
  return SERVER_KINDS.has(kind) ? 'server_error' : 'invalid_request_error'
}
