/**
 * Everything that can go wrong on purpose, as a closed list. The HTTP status of a kind and the gRPC
 * status it is read from are fixed in one place each, not here.
 */
export const ERROR_KINDS = [
  'invalid_request',
  'unauthenticated',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'conflict',
  'precondition_failed',
  'too_large',
  'unsupported_media',
  'misdirected',
  'unprocessable',
  'rate_limited',
  'cancelled',
  'internal',
  'not_implemented',
  'upstream_failed',
  'unavailable',
  'timeout',
  'insufficient_storage',
  'loop',
] as const

/** What kind of failure an error is; decides the HTTP status. */
export type ErrorKind = (typeof ERROR_KINDS)[number]

const KINDS: ReadonlySet<string> = new Set(ERROR_KINDS)

/** Whether a value is one of {@link ERROR_KINDS}. */
export function isErrorKind(value: unknown): value is ErrorKind {
  return typeof value === 'string' && KINDS.has(value)
}
