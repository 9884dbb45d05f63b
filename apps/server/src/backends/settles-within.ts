import type { Clock } from '../ports.ts'

/** Waits for a promise up to a time limit. @returns whether it settled, with a value or an error */
export async function settlesWithin(
  promise: Promise<unknown>,
  ms: number,
  clock: Pick<Clock, 'sleep'>,
): Promise<boolean> {
  const timer = new AbortController()
  const settled = promise.then(
    () => true,
    () => true,
  )
  const elapsed = clock.sleep(ms, { signal: timer.signal }).then(
    () => false,
    () => false,
  )
  try {
    return await Promise.race([settled, elapsed])
  } finally {
    timer.abort()
  }
}
