/**
 * The closed list of error kinds. One place each fixes the HTTP status of a kind and the gRPC status that maps to it.
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

/** The kind of a failure; decides the HTTP status. */
export type ErrorKind = (typeof ERROR_KINDS)[number]

const KINDS: ReadonlySet<string> = new Set(ERROR_KINDS)

/** Whether a value is one of {@link ERROR_KINDS}. */
export function isErrorKind(value: unknown): value is ErrorKind {
  return typeof value === 'string' && KINDS.has(value)
}
