import { Metadata, type StatusObject, status } from '@grpc/grpc-js'
import { ERROR_TRAILERS } from '@svc/backend-client/proto'
import { type ErrorKind, SvcError } from '@svc/errors'
import { StatusError } from './status-error.ts'

/** The gRPC status of each kind. Trailers distinguish kinds with the same status. */
const STATUS: Readonly<Record<ErrorKind, status>> = {
  invalid_request: status.INVALID_ARGUMENT,
  unauthenticated: status.UNAUTHENTICATED,
  forbidden: status.PERMISSION_DENIED,
  not_found: status.NOT_FOUND,
  method_not_allowed: status.INTERNAL,
  conflict: status.ALREADY_EXISTS,
  precondition_failed: status.FAILED_PRECONDITION,
  too_large: status.RESOURCE_EXHAUSTED,
  unsupported_media: status.INVALID_ARGUMENT,
  misdirected: status.INTERNAL,
  unprocessable: status.OUT_OF_RANGE,
  rate_limited: status.RESOURCE_EXHAUSTED,
  cancelled: status.CANCELLED,
  internal: status.INTERNAL,
  not_implemented: status.UNIMPLEMENTED,
  upstream_failed: status.INTERNAL,
  unavailable: status.UNAVAILABLE,
  timeout: status.DEADLINE_EXCEEDED,
  insufficient_storage: status.RESOURCE_EXHAUSTED,
  loop: status.INTERNAL,
}

/** Longest message of a failure, in UTF-16 units; each may take nine bytes in a header. */
const MAX_DETAILS = 1000

/** Receives an unexpected failure. */
export type ReportFailure = (path: string, thrown: unknown) => void

/**
 * Converts any error of a handler to a gRPC status. Reports an error that is not an `SvcError`, and hides it from the
 * caller.
 */
export function toServiceStatus(thrown: unknown, path: string, report: ReportFailure): StatusObject {
  const metadata = new Metadata()
  if (thrown instanceof StatusError) return { code: thrown.code, details: toDetails(thrown.message), metadata }
  if (!SvcError.is(thrown)) {
    report(path, thrown)
    return { code: status.INTERNAL, details: 'internal error', metadata }
  }
  metadata.set(ERROR_TRAILERS.kind, thrown.kind)
  metadata.set(ERROR_TRAILERS.code, thrown.code)
  if (thrown.retryAfterMs !== undefined) metadata.set(ERROR_TRAILERS.retryAfterMs, String(thrown.retryAfterMs))
  return { code: STATUS[thrown.kind], details: toDetails(thrown.message), metadata }
}

/** Cuts a text for a header: callers refuse long headers, and half characters have no bytes. */
function toDetails(message: string): string {
  const short = message.length > MAX_DETAILS ? `${message.slice(0, MAX_DETAILS - 1)}…` : message
  return short.replace(/\p{Surrogate}/gu, '\ufffd')
}
