import { untilAborted } from '../concurrency/until-aborted.ts'
import type { Clock } from '../ports.ts'
import type { Bus } from './bus.ts'
import type { Messages, Subject } from './subjects.ts'

/** Options of {@link nextMessage}. */
export interface NextMessageOptions<S extends Subject> {
  readonly isMeant: (message: Messages[S]) => boolean
  readonly signal: AbortSignal
  /** Ends the wait after a time, because a message may be lost. @default no limit */
  readonly atMost?: { readonly ms: number; readonly clock: Pick<Clock, 'sleep'> } | undefined
}

/**
 * Resolves with the next message that is meant, or when the time is over. Call this, then read the truth, then await the
 * result: no change in between is missed.
 *
 * @throws the signal's reason; as {@link Bus.subscribe} where no time limits the wait
 */
export async function nextMessage<S extends Subject>(
  bus: Pick<Bus, 'subscribe'>,
  subject: S,
  { isMeant, signal, atMost }: NextMessageOptions<S>,
): Promise<void> {
  signal.throwIfAborted()
  const done = new AbortController()
  const waiting = untilMessage(bus, subject, isMeant, done.signal)
  try {
    // Too many listeners: the time decides.
    const timeUp = atMost?.clock.sleep(atMost.ms, { signal: done.signal })
    const first = timeUp === undefined ? waiting : Promise.race([waiting.catch(() => timeUp), timeUp])
    await untilAborted(first, signal)
  } finally {
    done.abort()
  }
}

/** @param end ends the subscription; the promise stays open then */
function untilMessage<S extends Subject>(
  bus: Pick<Bus, 'subscribe'>,
  subject: S,
  isMeant: (message: Messages[S]) => boolean,
  end: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    bus.subscribe(subject, (message) => (isMeant(message) ? resolve() : undefined), { signal: end })
  })
}
