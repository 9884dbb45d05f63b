import { type ErrorKind, SvcError } from '@svc/errors'
import { toPublicReason } from '../backends/log-text.ts'

/** Kinds that mean the same to a client whether the server or the backend says them. */
const PASSED_ON: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  'invalid_request',
  'unprocessable',
  'rate_limited',
  'not_implemented',
  'too_large',
  'cancelled',
  'timeout',
  'loop',
])

/** Codes that the server's own rooms gave; they speak for themselves. */
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

/** The words that agents look for before they shorten a conversation. */
const CONTEXT_EXCEEDED = /maximum context length|exceeds? the (?:available )?context size/i

/** Codes of another instance that serves the model: what it says of itself is no failure of a process here. */
const UPSTREAM = /^upstream_/

/** The failure of another instance: it is not reached, or does not answer in time or in a way that can be read. */
function toUpstreamError(thrown: SvcError): SvcError {
  return new SvcError('upstream_failed', thrown.message, {
    code: thrown.code,
    retryAfterMs: thrown.retryAfterMs,
    cause: thrown,
  })
}

/**
 * What a client learns of a failed prediction. A backend that died, lost its model or refused our own credentials is
 * a failure of this server (500), never a refusal of the client's key or address.
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
