import type { Clock } from '../ports.ts'
import type { Bus } from './bus.ts'
import type { Messages, Subject } from './subjects.ts'

/** Which message {@link nextMessage} waits for. */
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
  const either = AbortSignal.any([signal, done.signal])
  const message = untilMessage(bus, subject, { isMeant, signal: either })
  try {
    if (atMost === undefined) return await message
    const timeUp = atMost.clock.sleep(atMost.ms, { signal: either })
    // Too many listeners: the time decides.
    await Promise.race([message.catch(() => timeUp), timeUp])
  } finally {
    done.abort()
  }
}

function untilMessage<S extends Subject>(
  bus: Pick<Bus, 'subscribe'>,
  subject: S,
  { isMeant, signal }: Pick<NextMessageOptions<S>, 'isMeant' | 'signal'>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    bus.subscribe(subject, (message) => (isMeant(message) ? resolve() : undefined), { signal })
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
