import { ApiError } from './api-error.ts'

/** Longer pauses are not counted down: their end is named, and Retry stays possible. */
export const MAX_COUNTED_MS = 10 * 60_000

/** The pause that the server asks for after a failure, in milliseconds. */
export function readPauseMs(error: unknown): number {
  return error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0
}

/** End of a pause that is too long for a countdown, in milliseconds since 1970; undefined for other failures. */
export function findLongPauseEnd(error: unknown, now = Date.now()): number | undefined {
  const pauseMs = readPauseMs(error)
  return pauseMs > MAX_COUNTED_MS ? now + pauseMs : undefined
}
