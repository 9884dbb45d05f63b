import { SvcError } from '@svc/errors'
import type { Clock } from '../../ports.ts'

/** Silence after which a worker is asked again, milliseconds. */
const SILENCE_MS = 10_000

/** Options of {@link askUntilReply}. */
export interface AskOptions {
  readonly signal: AbortSignal
  /** When the worker gave its last sign of being at work, by the monotonic clock. */
  readonly heardAt: () => number
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
}

/**
 * Asks a worker for something that takes long, and asks it again whenever it is silent: a reply may be lost with the
 * bus, and a worker that was started again knows of no request. The first reply or failure counts.
 *
 * @param ask may be repeated, also while an earlier one waits
 * @throws as the first request does; as the others, unless the bus is away
 */
export async function askUntilReply<Reply>(
  ask: (signal: AbortSignal) => Promise<Reply>,
  { signal, heardAt, clock }: AskOptions,
): Promise<Reply> {
  const done = new AbortController()
  const within = AbortSignal.any([signal, done.signal])
  try {
    return await new Promise<Reply>((resolve, reject) => {
      ask(within).then(resolve, reject)
      void askAgain((error) => (isBusAway(error) ? undefined : reject(error)), resolve)
    })
  } finally {
    done.abort()
  }

  async function askAgain(reject: (error: unknown) => void, resolve: (reply: Reply) => void): Promise<void> {
    let askedAt = clock.monotonic()
    for (;;) {
      await clock.sleep(SILENCE_MS, { signal: within }).catch(() => undefined)
      if (within.aborted) return
      if (clock.monotonic() - Math.max(askedAt, heardAt()) < SILENCE_MS) continue
      askedAt = clock.monotonic()
      ask(within).then(resolve, reject)
    }
  }
}

const isBusAway = (error: unknown): boolean => SvcError.is(error) && error.code === 'bus_disconnected'
