import { ApiError, isRecord } from '../api-error.ts'
import { CutStreamError } from './open-stream.ts'
import type { Failure } from './types.ts'

/** An error in a form that can be kept with the message. @param opened the correlation id of the stream that broke */
export function toFailure(error: unknown, opened?: string): Failure {
  const at = Date.now()
  if (error instanceof ApiError) {
    const { message, status, correlationId = opened, retryAfterMs } = error
    return { message, status, code: readCode(error), correlationId, retryAfterMs, at }
  }
  const message = error instanceof Error ? error.message : String(error)
  return { message, status: error instanceof CutStreamError ? 0 : 200, correlationId: opened, at }
}

/** A kept failure as an error again. The rest of its pause counts from now. */
export function toError({ message, at, retryAfterMs, ...rest }: Failure, now = Date.now()): ApiError {
  const left = retryAfterMs === undefined ? undefined : Math.max(0, (at ?? now) + retryAfterMs - now)
  return new ApiError(message, { ...rest, retryAfterMs: left })
}

/** The stable word of a failed reply: `code` where it is a word, else `type`. */
function readCode({ code, body }: ApiError): string | undefined {
  const inner = isRecord(body) && isRecord(body.error) ? body.error : {}
  return code ?? (typeof inner.type === 'string' ? inner.type : undefined)
}

/** Whether the server refused the request itself, so that sending it again as it is changes nothing. */
export function isRefusal({ status }: Failure): boolean {
  return status >= 400 && status < 500 && status !== 429 && status !== 408
}

/** The longest pause before an automatic retry. */
const MAX_WAITED_MS = 60_000

/** Pause before the single automatic retry, in milliseconds; undefined for a failure without a retry. */
export function toRetryDelay({ status, retryAfterMs, code }: Failure): number | undefined {
  if (status !== 429 && status !== 503) return undefined
  if (code === 'model_loading') return Math.min(retryAfterMs ?? 2_000, MAX_WAITED_MS)
  // a used-up quota is for the reader to know, not for the page to wait out
  if (code === 'quota_exceeded' || retryAfterMs === undefined || retryAfterMs > MAX_WAITED_MS) return undefined
  return retryAfterMs
}
