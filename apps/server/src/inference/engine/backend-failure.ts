import { type ErrorKind, SvcError } from '@svc/errors'
import { toPublicReason } from '../../backends/log-text.ts'

/** Kinds that keep their meaning when the server passes them on from a backend. */
const PASSED_ON: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  'invalid_request',
  'unprocessable',
  'rate_limited',
  'not_implemented',
  'too_large',
  'insufficient_storage',
  'cancelled',
  'timeout',
  'loop',
])

/** Codes of the server's own modules; their errors go to the client unchanged. */
const OWN_CODES: ReadonlySet<string> = new Set([
  'access_ended',
  'answer_form_mismatch',
  'model_loading',
  'model_load_cooldown',
  'model_load_failed',
  'model_stopped',
  'process_limit',
  'reply_too_long',
  'shutting_down',
  'score_failed',
])

/** Phrases that agents look for before they shorten a conversation. */
const CONTEXT_EXCEEDED = /maximum context length|exceeds? the (?:available )?context size/i

/** Codes of another instance that serves the model; they report no failure of a process here. */
const UPSTREAM = /^upstream_/

/** Converts a failure of another instance: unreachable, too slow or unreadable. */
function toUpstreamError(thrown: SvcError): SvcError {
  return new SvcError('upstream_failed', thrown.message, {
    code: thrown.code,
    retryAfterMs: thrown.retryAfterMs,
    cause: thrown,
  })
}

/**
 * Converts a failed prediction to the error for the client. A backend that died, lost its model or refused our own
 * credentials is a failure of this server (500), never a refusal of the client's key or address.
 */
export function toPredictionError(thrown: unknown): unknown {
  if (SvcError.is(thrown) && thrown.kind === 'invalid_request' && CONTEXT_EXCEEDED.test(thrown.message)) {
    return new SvcError('invalid_request', thrown.message, {
      code: 'context_length_exceeded',
      cause: thrown,
      details: { type: 'invalid_request_error', param: 'messages' },
    })
  }
  if (!SvcError.is(thrown) || PASSED_ON.has(thrown.kind) || OWN_CODES.has(thrown.code)) return thrown
  if (UPSTREAM.test(thrown.code)) return toUpstreamError(thrown)
  const died = thrown.kind === 'unavailable'
  const message = died
    ? 'prediction failed: the model backend stopped'
    : `prediction failed: ${toPublicReason(thrown.message)}`
  return new SvcError('internal', message, { code: died ? 'backend_stopped' : 'prediction_failed', cause: thrown })
}
