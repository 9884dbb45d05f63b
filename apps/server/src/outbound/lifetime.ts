import type { Clock } from '../ports.ts'
import { fetchTimedOut } from './failures.ts'

/** The time one fetch has, from its first look-up to the last byte of its body. */
export interface Lifetime {
  /** Aborted by the caller's signal, when a time limit has passed, or by {@link Lifetime.abort}. */
  readonly signal: AbortSignal
  /** Says that the network's turn begins, which may take as long as the idle limit. */
  startWaiting(): void
  /** Says that it is somebody else's turn: an answer has come. */
  stopWaiting(): void
  abort(reason: unknown): void
  /** Everything is over: no limit counts any more and the caller's signal is let go. */
  end(): void
}

/** How long a fetch may take. */
export interface LifetimeOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly timeoutMs: number
  readonly idleTimeoutMs: number
}

/** The longest that a timer of Node can wait: 24 days. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Starts the time of a fetch; it is the network's turn. */
export function startLifetime({ clock, signal, timeoutMs, idleTimeoutMs }: LifetimeOptions): Lifetime {
  const controller = new AbortController()
  const over = new AbortController()
  let waitingSince: number | undefined = clock.monotonic()

  const onCallerAbort = () => lifetime.abort(signal.reason)
  const lifetime: Lifetime = {
    signal: controller.signal,
    startWaiting() {
      waitingSince = clock.monotonic()
    },
    stopWaiting() {
      waitingSince = undefined
    },
    abort(reason) {
      controller.abort(reason)
      lifetime.end()
    },
    end() {
      over.abort()
      signal.removeEventListener('abort', onCallerAbort)
    },
  }

  const sleep = (ms: number) => clock.sleep(Math.min(ms, MAX_TIMER_MS), { signal: over.signal })
  const limitTotal = async () => {
    await sleep(timeoutMs)
    lifetime.abort(fetchTimedOut('total'))
  }
  const limitIdle = async () => {
    for (;;) {
      const leftMs = waitingSince === undefined ? idleTimeoutMs : waitingSince + idleTimeoutMs - clock.monotonic()
      if (leftMs <= 0) break
      await sleep(leftMs)
    }
    lifetime.abort(fetchTimedOut('idle'))
  }

  signal.addEventListener('abort', onCallerAbort)
  if (signal.aborted) onCallerAbort()
  for (const limit of [limitTotal, limitIdle]) limit().catch(ignoreEnd)
  return lifetime
}

/** A limit that no longer counts is woken by a rejection. */
function ignoreEnd(): void {}
