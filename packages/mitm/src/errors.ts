import { type ErrorKind, SvcError } from '@svc/errors'

/** The class of expected errors of this package. No message holds the text of a request. */
export class MitmError extends SvcError {
  override readonly name = 'MitmError'
}

const STATUS: Readonly<Partial<Record<ErrorKind, number>>> = {
  invalid_request: 400,
  forbidden: 403,
  method_not_allowed: 405,
  too_large: 413,
  unsupported_media: 415,
  misdirected: 421,
  not_implemented: 501,
  upstream_failed: 502,
  timeout: 502,
  unavailable: 503,
  loop: 508,
}

/** The HTTP status with which the proxy refuses a request for an error. */
export function toStatus(error: SvcError): number {
  return STATUS[error.kind] ?? 500
}

/** The authority cannot be used. The message tells the operator the reason and the remedy. */
export function authorityUnusable(reason: string, cause?: unknown): MitmError {
  const message = `the interception authority cannot be used: ${reason}`
  return new MitmError('precondition_failed', message, {
    code: 'mitm_authority_unusable',
    ...(cause === undefined ? {} : { cause }),
  })
}

/** The filter failed, took too long, or gave no usable verdict: 503, nothing is forwarded. */
export function filterUnavailable(cause?: unknown): MitmError {
  return new MitmError('unavailable', 'request blocked: PII NER check is configured but unavailable', {
    code: 'pii_ner_unavailable',
    retryAfterMs: 1000,
    details: { type: 'pii_ner_unavailable' },
    ...(cause === undefined ? {} : { cause }),
  })
}

/** The bodies in memory reached their common limit. */
export function bufferFull(): MitmError {
  return new MitmError('unavailable', 'too many request bodies are held at the moment', {
    code: 'mitm_buffer_full',
    retryAfterMs: 1000,
  })
}

/** A body past the limit for scanning, as sent or decoded. */
export function bodyTooLarge(limitBytes: number): MitmError {
  return new MitmError('too_large', `the request body exceeds the limit of ${limitBytes} bytes`, {
    code: 'body_too_large',
  })
}

/** A request without a scannable form. */
export function invalidRequest(message: string, code = 'invalid_request', cause?: unknown): MitmError {
  return new MitmError('invalid_request', message, { code, ...(cause === undefined ? {} : { cause }) })
}

/** A request for another host than that of its connection. */
export function misdirected(): MitmError {
  return new MitmError('misdirected', 'this connection was opened for another host', { code: 'misdirected_request' })
}
