import type { AbortSignalLike } from '../ports.ts'

/**
 * Waits for a promise, or until a signal aborts. The promise goes on either way; its failure is dropped when nobody waits
 * for it any more.
 *
 * @throws the signal's reason
 */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignalLike): Promise<T> {
  promise.catch(() => undefined)
  signal.throwIfAborted()
  let leave = (): void => undefined
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason)
    signal.addEventListener('abort', leave)
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
