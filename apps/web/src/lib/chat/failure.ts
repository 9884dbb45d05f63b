import { ApiError, isRecord } from '../api-error.ts'
import { CutStreamError } from './open-stream.ts'
import type { Failure } from './types.ts'

/** What went wrong, in a form that can be kept with the message. */
export function toFailure(error: unknown): Failure {
  if (error instanceof ApiError) {
    const { message, status, correlationId, retryAfterMs } = error
    return { message, status, code: readCode(error), correlationId, retryAfterMs }
  }
  const message = error instanceof Error ? error.message : String(error)
  return { message, status: error instanceof CutStreamError ? 0 : 200 }
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

/** How long to wait before the one retry that happens by itself; undefined where none does, in milliseconds. */
export function toRetryDelay({ status, retryAfterMs, code }: Failure): number | undefined {
  if (status !== 429 && status !== 503) return undefined
  if (code === 'model_loading') return retryAfterMs ?? 2_000
  return retryAfterMs
}
