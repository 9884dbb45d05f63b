import { checkArgument } from '@svc/errors'
import type { Clock, Logger } from './ports/clock.ts'
import type { RightsStore } from './ports/users.ts'
import type { Revocations } from './revocations.ts'

/** Options of {@link createRightsWatch}. */
export interface RightsWatchOptions {
  readonly rights: RightsStore
  readonly revocations: Revocations
  readonly clock: Clock
  readonly logger?: Logger | undefined
  /** @default 500 */
  readonly intervalMs?: number | undefined
}

/** Looks whether another process has taken rights away. */
export interface RightsWatch extends AsyncDisposable {
  close(): Promise<void>
}

const INTERVAL_MS = 500
/** The longest time of a timer. */
const MAX_INTERVAL_MS = 2 ** 31 - 1

/**
 * Publishes a revocation of the kind `all` when another process that uses the same stores has taken rights away:
 * another server, or a command. It asks for one number at a time, at each interval and when the store tells of a
 * change; while the store is away it keeps asking.
 */
export function createRightsWatch(options: RightsWatchOptions): RightsWatch {
  const { rights, revocations, clock, logger, intervalMs = INTERVAL_MS } = options
  checkArgument(typeof rights?.revision === 'function', 'createRightsWatch: rights', 'a RightsStore', rights)
  const isPublisher = typeof revocations?.publish === 'function'
  checkArgument(isPublisher, 'createRightsWatch: revocations', 'Revocations', revocations)
  checkArgument(typeof clock?.sleep === 'function', 'createRightsWatch: clock', 'a Clock', clock)
  const isInterval = typeof intervalMs === 'number' && intervalMs > 0 && intervalMs <= MAX_INTERVAL_MS
  checkArgument(isInterval, 'createRightsWatch: intervalMs', `above 0 and at most ${MAX_INTERVAL_MS}`, intervalMs)
  const ending = new AbortController()
  const { signal } = ending
  let pause: AbortController | undefined
  let isTold = false

  /** Waits for the next look: an interval, or less when {@link wake} reports a change. */
  async function waitForNext(): Promise<void> {
    if (!isTold) {
      pause = new AbortController()
      await clock.sleep(intervalMs, { signal: pause.signal }).catch(() => undefined)
    }
    isTold = false
  }

  function wake(): void {
    isTold = true
    pause?.abort()
  }

  async function watch(): Promise<void> {
    let known: number | undefined
    let isAway = false
    while (!signal.aborted) {
      try {
        const revision = await rights.revision({ signal })
        if (known !== undefined && revision !== known) revocations.publish({ kind: 'all' })
        known = revision
        isAway = false
      } catch (error) {
        if (!isAway && !signal.aborted) logger?.warn({ err: error }, 'revocations of others cannot be read')
        isAway = true
      }
      if (!signal.aborted) await waitForNext()
    }
  }

  rights.listen?.(wake).catch((error: unknown) => {
    if (!signal.aborted) logger?.warn({ err: error }, 'revocations of others are found by asking alone')
  })
  const watching = watch()
  const close = (): Promise<void> => {
    ending.abort()
    wake()
    return watching
  }
  return { close, [Symbol.asyncDispose]: close }
}
