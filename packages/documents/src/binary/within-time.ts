import { DocumentError } from '../errors.ts'

/** Bounds of {@link withinTime}. */
export interface TimeBounds {
  /** Milliseconds. */
  readonly maxMs: number
  readonly signal: AbortSignal
}

/**
 * Waits for work that may never settle. The work goes on, and its failure is dropped when nobody waits any more.
 *
 * @throws {DocumentError} `document_limit` when the time is over; the reason of the signal
 */
export async function withinTime<T>(work: Promise<T>, { maxMs, signal }: TimeBounds): Promise<T> {
  work.catch(() => undefined)
  signal.throwIfAborted()
  let leave = (): void => undefined
  const ended = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => {
      reject(new DocumentError('document_limit', `the document takes more than ${maxMs / 1000} s to read`))
    }, maxMs)
    const onAbort = (): void => reject(signal.reason)
    signal.addEventListener('abort', onAbort)
    leave = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
  })
  try {
    return await Promise.race([work, ended])
  } finally {
    leave()
  }
}
