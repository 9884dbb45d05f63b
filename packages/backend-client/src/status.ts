import { type ErrorKind, isErrorKind } from '@svc/errors'
import { GRPC } from './grpc-status.ts'

/** A failed call as gRPC reports it. */
export interface GrpcFailure {
  /** The gRPC status code. */
  readonly code: number
  /** The text beside it, written by the backend or by the gRPC library. */
  readonly details: string
  /** The path of the rpc, such as `/backend.Backend/Predict`. */
  readonly path: string
  /** The largest message this side takes. */
  readonly maxMessageBytes: number
  /** The exact failure, which a backend of ours adds. */
  readonly trailers?: { readonly kind?: string; readonly code?: string; readonly retryAfterMs?: string } | undefined
}

/** The meaning of a failed call. */
export interface FailureReading {
  readonly kind: ErrorKind
  /** Stable snake_case word. */
  readonly code: string
  /** For the client: the backend's own text where it may be shown, else a fixed sentence. */
  readonly message: string
  readonly retryAfterMs?: number | undefined
}

const MAX_TEXT = 2000
const RETRY_AFTER_MS = 1000
const CODE = /^[a-z][a-z0-9_]{0,63}$/
const UNREACHABLE = /ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|no such host|connection dropped/i
const BROKEN_OFF = /^Received RST_STREAM/
/** A compressed reply that grows over our own limit. */
const INFLATED = /(?:inflates|decompresses) to /i
const TOO_LARGE = /larger than(?: max)?(?: \((\d+) vs\.? (\d+)\))?/i

/** The kind of error that a status code means when its text says nothing else (style of every host: one table). */
const KINDS: Readonly<Record<number, ErrorKind>> = {
  [GRPC.CANCELLED]: 'cancelled',
  [GRPC.UNKNOWN]: 'internal',
  [GRPC.INVALID_ARGUMENT]: 'invalid_request',
  [GRPC.DEADLINE_EXCEEDED]: 'timeout',
  [GRPC.NOT_FOUND]: 'not_found',
  [GRPC.ALREADY_EXISTS]: 'conflict',
  [GRPC.PERMISSION_DENIED]: 'forbidden',
  [GRPC.RESOURCE_EXHAUSTED]: 'rate_limited',
  [GRPC.FAILED_PRECONDITION]: 'precondition_failed',
  [GRPC.ABORTED]: 'internal',
  [GRPC.OUT_OF_RANGE]: 'unprocessable',
  [GRPC.UNIMPLEMENTED]: 'not_implemented',
  [GRPC.INTERNAL]: 'internal',
  [GRPC.UNAVAILABLE]: 'unavailable',
  [GRPC.DATA_LOSS]: 'internal',
  [GRPC.UNAUTHENTICATED]: 'unauthenticated',
}

/** Codes of our own for a kind that comes only from the status. */
const CODES: Partial<Record<ErrorKind, string>> = {
  cancelled: 'backend_cancelled',
  internal: 'backend_error',
  invalid_request: 'backend_invalid_request',
  not_implemented: 'unimplemented',
  timeout: 'backend_timeout',
  unavailable: 'backend_unavailable',
}

/**
 * Reads a failed call. Pure: the same failure always reads the same.
 *
 * In this order: the exact failure that a backend of ours names in its trailers; a text that means more than its
 * status (`model identity mismatch`, `model not loaded`, `unimplemented`, a message over the limit, a lost
 * connection); the status.
 */
export function readStatus(failure: GrpcFailure): FailureReading {
  const text = failure.details.trim().slice(0, MAX_TEXT)
  return readTrailers(failure, text) ?? readText(failure, text) ?? readCode(failure, text)
}

function readTrailers({ trailers }: GrpcFailure, text: string): FailureReading | undefined {
  if (!trailers || !isErrorKind(trailers.kind)) return undefined
  const wait = Number(trailers.retryAfterMs ?? Number.NaN)
  return {
    kind: trailers.kind,
    code: trailers.code !== undefined && CODE.test(trailers.code) ? trailers.code : trailers.kind,
    message: text || 'the backend failed',
    retryAfterMs: Number.isFinite(wait) && wait >= 0 ? wait : undefined,
  }
}

function readText(failure: GrpcFailure, text: string): FailureReading | undefined {
  const { code } = failure
  if (code === GRPC.NOT_FOUND && /model identity mismatch/i.test(text)) {
    return { kind: 'not_found', code: 'model_identity_mismatch', message: 'the backend holds another model' }
  }
  if (/model not loaded/i.test(text) || (code === GRPC.FAILED_PRECONDITION && isContract(failure.path))) {
    return { kind: 'precondition_failed', code: 'model_not_loaded', message: 'the backend has no model loaded' }
  }
  if (code === GRPC.UNIMPLEMENTED || (code === GRPC.UNKNOWN && /unimplemented/i.test(text))) {
    return { kind: 'not_implemented', code: 'unimplemented', message: text || 'the backend does not support this call' }
  }
  if (code === GRPC.RESOURCE_EXHAUSTED) return readTooLarge(failure, text)
  if (code === GRPC.UNAVAILABLE || (isVague(code) && UNREACHABLE.test(text))) {
    return {
      kind: 'unavailable',
      code: 'backend_unavailable',
      message: 'the backend is not reachable',
      retryAfterMs: RETRY_AFTER_MS,
    }
  }
  // A call ends this way when its process exits under it.
  if (isVague(code) && BROKEN_OFF.test(text)) {
    return {
      kind: 'unavailable',
      code: 'backend_cancelled',
      message: 'the backend broke the call off',
      retryAfterMs: RETRY_AFTER_MS,
    }
  }
  return undefined
}

/** A size over our own limit was measured on a reply; any other on our request, because we never send over ours. */
function readTooLarge(failure: GrpcFailure, text: string): FailureReading | undefined {
  const match = TOO_LARGE.exec(text)
  if (INFLATED.test(text) || Number(match?.[2]) === failure.maxMessageBytes) {
    return { kind: 'internal', code: 'reply_too_large', message: 'the reply of the backend is too large' }
  }
  if (!match) return undefined
  return { kind: 'too_large', code: 'message_too_large', message: 'the request is too large for the backend' }
}

function readCode({ code }: GrpcFailure, text: string): FailureReading {
  const kind = KINDS[code] ?? 'internal'
  return {
    kind,
    code: CODES[kind] ?? kind,
    message: text || `the backend failed with status ${code}`,
    retryAfterMs: kind === 'rate_limited' ? RETRY_AFTER_MS : undefined,
  }
}

/** In `backend.Backend` FAILED_PRECONDITION has one meaning; our own service also refuses for other reasons. */
function isContract(path: string): boolean {
  return path.startsWith('/backend.Backend/')
}

function isVague(code: number): boolean {
  return code === GRPC.UNKNOWN || code === GRPC.INTERNAL
}
