import { SvcError } from '@svc/errors'
import type { Edge } from '../http/edge.ts'
import type { Listener } from '../http/listen.ts'
import type { Clock } from '../ports.ts'

/** Time limit of the whole stop, including streams and backends (§8). */
const STOP_MS = 5000
/** Part of that time for running requests before they are ended. */
const DRAIN_MS = 3000

/** Parts that {@link stopServing} stops. */
export interface StopParts {
  readonly listener: Listener
  readonly clock: Clock
  readonly edge: Pick<Edge, 'drainSockets' | 'abortAll'>
  /** Ends the features, after all connections are closed. */
  readonly closeFeatures: () => Promise<void>
  readonly stopBackends: (graceMs: number) => Promise<void>
}

/**
 * Stops taking requests, lets running ones finish for a while, ends the rest with an error in their format, closes the
 * features, and stops the backends; all within {@link STOP_MS}.
 */
export async function stopServing({ listener, clock, edge, closeFeatures, stopBackends }: StopParts): Promise<void> {
  const begun = clock.monotonic()
  const drained = listener.drain()
  edge.drainSockets()
  const timeUp = new AbortController()
  await Promise.race([drained, clock.sleep(DRAIN_MS, { signal: timeUp.signal }).catch(() => undefined)])
  timeUp.abort()
  edge.abortAll(
    new SvcError('unavailable', 'the server is shutting down', { code: 'shutting_down', retryAfterMs: 1000 }),
  )
  await Promise.race([drained, clock.sleep(250, { signal: AbortSignal.timeout(1000) }).catch(() => undefined)])
  listener.destroy()
  await closeFeatures()
  await stopBackends(Math.max(500, STOP_MS - 500 - (clock.monotonic() - begun)))
}
