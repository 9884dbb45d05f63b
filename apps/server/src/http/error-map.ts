import type { ErrorKind, SvcError } from '@svc/errors'

/** The one table from kind to HTTP status (§7.2 and what the specification leaves open). */
const STATUS: Readonly<Record<ErrorKind, number>> = {
  invalid_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media: 415,
  misdirected: 421,
  unprocessable: 422,
  rate_limited: 429,
  cancelled: 499,
  internal: 500,
  not_implemented: 501,
  upstream_failed: 502,
  unavailable: 503,
  timeout: 500,
  insufficient_storage: 507,
  loop: 508,
}

/** Refusals that have a status of their own within their kind. */
const STATUS_OF_CODE: ReadonlyMap<string, number> = new Map([
  ['body_idle', 408],
  ['range_not_satisfiable', 416],
  ['upgrade_required', 426],
])

/**
 * HTTP status of an error. The error of an upstream that answered keeps the status of that answer. A timeout is 502 when
 * an upstream caused it, else 500.
 */
export function toStatus(error: SvcError): number {
  const upstream = error.code === 'upstream_status' ? error.details?.status : undefined
  if (typeof upstream === 'number') return upstream
  if (error.kind === 'timeout' && error.details?.upstream === true) return 502
  return STATUS_OF_CODE.get(error.code) ?? STATUS[error.kind]
}

/** Seconds for `Retry-After`: whole, at least 1. Undefined when trying again has no known time. */
export function retryAfterSeconds(error: SvcError): number | undefined {
  if (error.retryAfterMs !== undefined) return Math.max(1, Math.ceil(error.retryAfterMs / 1000))
  return error.kind === 'rate_limited' || error.kind === 'unavailable' ? 1 : undefined
}

/** `Content-Range` of the refusal of a range: the length of the whole content. */
export function readContentRange({ code, details }: SvcError): string | undefined {
  const length = code === 'range_not_satisfiable' ? details?.length : undefined
  return typeof length === 'number' ? `bytes */${length}` : undefined
}

/** Kinds that come out the same when tried again, so that official clients must not retry them. */
const PERMANENT: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  'conflict',
  'not_implemented',
  'insufficient_storage',
  'loop',
])

/** Codes of failures that come out the same when tried again although their kind may pass. */
const PERMANENT_CODES: ReadonlySet<string> = new Set([
  'model_load_failed',
  'router_depth',
  'router_no_fallback',
  'router_model_missing',
])

/** Official clients sleep for as long as `Retry-After` says. Nobody waits longer than this for an answer. */
const MAX_CLIENT_WAIT_MS = 60_000

/** Whether `x-should-retry: false` belongs on the reply. */
export function isPermanent(error: SvcError): boolean {
  if (error.kind === 'rate_limited') return (error.retryAfterMs ?? 0) > MAX_CLIENT_WAIT_MS
  return PERMANENT.has(error.kind) || PERMANENT_CODES.has(error.code)
}
