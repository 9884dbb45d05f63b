import type { Clock, Logger } from '../ports.ts'
import type { WatchedModel } from './residency.ts'

/** Settings of the watchdog, read before every check: a change applies at once and resets no timer. */
export interface WatchdogPolicy {
  /** Interval of the checks in milliseconds. */
  readonly intervalMs: number
  /** Maximum time of a call or load in milliseconds; undefined disables the check. */
  readonly busyTimeoutMs: number | undefined
  /** Maximum idle time of a model in milliseconds; undefined disables the check. */
  readonly idleTimeoutMs: number | undefined
  /** Share of memory, or of its budget, in 0..1, above which models are unloaded; undefined disables the check. */
  readonly memoryThreshold: number | undefined
}

/** A measurement of memory. */
export interface MemoryReading {
  /** Memory of all graphics devices together when it is known, else that of the machine or its container. */
  readonly kind: 'gpu' | 'ram'
  /** Used part, 0 or above; above 1 when more than the budget of graphics memory is used. */
  readonly usedShare: number
}

/** Stops models that are busy or idle for too long, or when memory runs short (§3.5). */
export interface Watchdog {
  /** Checks at once; call it when the settings have changed. */
  wake(): void
  /** Ends the watch; resolves once all stops that it started have ended. */
  close(): Promise<void>
}

/** Options of {@link startWatchdog}. */
export interface WatchdogOptions {
  readonly watched: () => readonly WatchedModel[]
  readonly policy: () => WatchdogPolicy
  /** Reads memory; undefined when unknown. */
  readonly readMemory: () => Promise<MemoryReading | undefined>
  /** Called with the reason when the watchdog stops a model. */
  readonly onStop?: ((why: 'busy' | 'idle' | 'memory') => void) | undefined
  readonly clock: Clock
  readonly logger: Logger
}

/** Minimum interval; more frequent checks cost more than they find. */
const MIN_INTERVAL_MS = 50
/** Interval while all checks are disabled; a change of the settings wakes the watchdog. */
const NOTHING_TO_DO_MS = 3_600_000

/** Starts the watchdog. */
export function startWatchdog(options: WatchdogOptions): Watchdog {
  const { clock, logger } = options
  const closing = new AbortController()
  const stops = new Set<Promise<void>>()
  /** Models that are being stopped for idleness or memory; each one is stopped only once. */
  const leaving = new Set<string>()
  let wakeUp = new AbortController()

  const stop = (model: WatchedModel, why: 'busy' | 'idle' | 'memory', force: boolean): Promise<void> => {
    logger.warn({ model: model.name, state: model.state, why }, 'watchdog stops a model')
    leaving.add(model.name)
    options.onStop?.(why)
    const stopped = model
      .stop({ force })
      .catch((error: unknown) => logger.warn({ model: model.name, err: error }, 'watchdog could not stop a model'))
      .finally(() => {
        leaving.delete(model.name)
        stops.delete(stopped)
      })
    stops.add(stopped)
    return stopped
  }
  const endStuck = (policy: WatchdogPolicy): void => {
    const { busyTimeoutMs } = policy
    if (busyTimeoutMs === undefined) return
    const now = clock.monotonic()
    for (const model of options.watched()) {
      if (model.busySince === undefined || now - model.busySince <= busyTimeoutMs) continue
      void stop(model, 'busy', true)
    }
  }
  const endIdle = ({ idleTimeoutMs }: WatchdogPolicy): void => {
    if (idleTimeoutMs === undefined) return
    const now = clock.monotonic()
    for (const model of options.watched()) {
      if (!mayLeave(model) || model.idleSince === undefined || now - model.idleSince <= idleTimeoutMs) continue
      void stop(model, 'idle', false)
    }
  }
  /** Stops one model at a time: its share of memory shows only after it has ended. */
  const reclaim = async ({ memoryThreshold }: WatchdogPolicy): Promise<void> => {
    if (memoryThreshold === undefined || stops.size > 0) return
    const memory = await options.readMemory().catch(() => undefined)
    if (memory === undefined || memory.usedShare <= memoryThreshold || closing.signal.aborted) return
    const [victim] = options
      .watched()
      .filter((model) => mayLeave(model) && model.busySince === undefined && model.isElsewhere !== true)
      .sort((left, right) => left.usedAt - right.usedAt)
    if (victim === undefined) return
    logger.warn({ memory: memory.kind, usedShare: memory.usedShare }, 'memory runs short')
    await stop(victim, 'memory', false)
  }
  const mayLeave = ({ name, state, isPinned }: WatchedModel) => state === 'loaded' && !isPinned && !leaving.has(name)

  const sleep = async (policy: WatchdogPolicy): Promise<void> => {
    const { busyTimeoutMs, idleTimeoutMs, memoryThreshold } = policy
    const isNeeded = [busyTimeoutMs, idleTimeoutMs, memoryThreshold].some((each) => each !== undefined)
    const ms = isNeeded ? Math.max(MIN_INTERVAL_MS, policy.intervalMs) : NOTHING_TO_DO_MS
    const signal = AbortSignal.any([closing.signal, wakeUp.signal])
    await clock.sleep(ms, { signal }).catch(() => undefined)
    if (wakeUp.signal.aborted) wakeUp = new AbortController()
  }
  const watch = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const policy = options.policy()
      endStuck(policy)
      endIdle(policy)
      await reclaim(policy)
      await sleep(options.policy())
    }
  }
  const watching = watch().catch((error: unknown) => logger.error({ err: error }, 'watchdog failed'))

  return {
    wake: () => wakeUp.abort(),
    async close() {
      closing.abort()
      await watching
      await Promise.all(stops)
    },
  }
}
