import { type ErrorKind, SvcError, type SvcErrorOptions } from '@svc/errors'
import { ERROR_TRAILERS } from './contract.ts'
import { GRPC } from './grpc-status.ts'
import { readStatus } from './status.ts'

/**
 * A call to a backend that failed. `details` holds `rpc` (its path) and, where gRPC reported the failure, `grpcCode`
 * and `grpcMessage`.
 *
 * Codes to act on: `backend_unavailable` (drop the backend, the next request loads again), `model_not_loaded` (load
 * again once), `model_identity_mismatch` (drop the address), `unimplemented`, `message_too_large`, `reply_too_large`,
 * `backend_timeout`, `backend_idle`, `backend_unhealthy`, `backend_exited`, `backend_refused`, `cancelled`.
 */
export class BackendError extends SvcError {
  override readonly name = 'BackendError'
}

/** Facts about the call an error belongs to. */
export interface ErrorContext {
  readonly path: string
  readonly maxMessageBytes: number
}

/** A call that ended with a status other than OK. */
export interface FailedCall {
  readonly code: number
  readonly details: string
  /** Text of the trailing metadata. */
  readonly trailers?: Readonly<Record<string, string>> | undefined
  /** The error of the library underneath. */
  readonly cause?: unknown
}

/** Makes the error of a failed call. */
export function toBackendError(call: FailedCall, { path, maxMessageBytes }: ErrorContext): BackendError {
  const { code, details, cause } = call
  const reading = readStatus({ code, details, path, maxMessageBytes, trailers: readTrailers(call.trailers) })
  // An abort of the caller is reported before this, so the backend is the side that is gone.
  const gone = code === GRPC.CANCELLED && reading.kind === 'cancelled'
  const kind: ErrorKind = gone ? 'unavailable' : reading.kind
  return new BackendError(kind, gone ? 'the backend broke the call off' : reading.message, {
    code: reading.code,
    ...(cause === undefined ? {} : { cause }),
    retryAfterMs: reading.retryAfterMs,
    details: { rpc: path, grpcCode: code, grpcMessage: details },
  })
}

function readTrailers(trailers: FailedCall['trailers']) {
  const kind = trailers?.[ERROR_TRAILERS.kind]
  if (trailers === undefined || kind === undefined) return undefined
  const code = trailers[ERROR_TRAILERS.code]
  const retryAfterMs = trailers[ERROR_TRAILERS.retryAfterMs]
  return { kind, ...(code === undefined ? {} : { code }), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}

/** The error for an aborted signal: its own reason where that is an error of ours, else `timeout` or `cancelled`. */
export function toAbortError(signal: AbortSignal, path: string): SvcError {
  const reason: unknown = signal.reason
  if (SvcError.is(reason)) return reason
  const options: SvcErrorOptions = { cause: reason, details: { rpc: path } }
  if (reason instanceof Error && reason.name === 'TimeoutError') {
    return new BackendError('timeout', 'the backend did not answer in time', { ...options, code: 'backend_timeout' })
  }
  return new BackendError('cancelled', 'the call was cancelled', options)
}

/** The answer of `LoadModel` and of the calls that write files. */
interface ResultLike {
  readonly success: boolean
  readonly message: string
}

/**
 * Returns a `Result` that succeeded. A call whose status is OK has still failed when `success` is false.
 *
 * @throws `backend_refused` (internal) with the backend's own message
 */
export function ensureSuccess<T extends ResultLike>(result: T): T {
  if (result.success) return result
  const message = result.message.trim().slice(0, 2000) || 'the backend refused without a reason'
  throw new BackendError('internal', message, { code: 'backend_refused' })
}
