import type { Clock } from '../ports.ts'
import { fetchTimedOut } from './failures.ts'

/** The time limits of one fetch, from its first look-up to the last byte of its body. */
export interface Lifetime {
  /** Aborted by the caller's signal, when a time limit has passed, or by {@link Lifetime.abort}. */
  readonly signal: AbortSignal
  /** Starts a wait for the network, limited by the idle time. */
  startWaiting(): void
  /** Stops the wait: the network has answered. */
  stopWaiting(): void
  abort(reason: unknown): void
  /** Ends all limits and releases the caller's signal. */
  end(): void
}

/** Time limits of a fetch. */
export interface LifetimeOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly timeoutMs: number
  readonly idleTimeoutMs: number
}

/** Maximum delay of a Node timer: 24 days. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Starts the time of a fetch with a wait for the network. */
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

/** Ending a limit rejects its sleep. */
function ignoreEnd(): void {}
