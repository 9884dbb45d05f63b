import type { Clock } from '../ports.ts'

/**
 * Runs work again and again, each time after a pause. Resolves once the signal is aborted.
 *
 * @param ms the pause, milliseconds
 * @param work must not throw
 */
export async function repeat(
  ms: number,
  work: () => void | Promise<void>,
  { clock, signal }: { readonly clock: Pick<Clock, 'sleep'>; readonly signal: AbortSignal },
): Promise<void> {
  for (;;) {
    try {
      await clock.sleep(ms, { signal })
    } catch {
      return
    }
    await work()
  }
}
