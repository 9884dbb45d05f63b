import type { Clock } from '../../ports.ts'
import type { Line } from './line.ts'

/** Pause between two attempts to connect, milliseconds: the first, then twice the last, at most the longest. */
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5000

/** Connects again and again until the signal aborts. Pauses grow, and differ by chance so that servers do not agree. */
export async function stayConnected(parts: {
  readonly current: () => Line | undefined
  readonly connect: () => Promise<void>
  readonly onFailure: (error: unknown) => void
  readonly clock: Pick<Clock, 'sleep'>
  readonly signal: AbortSignal
}): Promise<void> {
  const { current, connect, onFailure, clock, signal } = parts
  let pauseMs = FIRST_PAUSE_MS
  while (!signal.aborted) {
    try {
      if (current() === undefined) await connect()
      pauseMs = FIRST_PAUSE_MS
      await current()?.closed
    } catch (error) {
      if (!signal.aborted) onFailure(error)
    }
    // A successor needs no pause.
    if (current() !== undefined) continue
    await clock.sleep(pauseMs * (0.5 + Math.random() / 2), { signal }).catch(() => undefined)
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  }
}
