import type { Clock, Logger } from '../ports.ts'
import type { WatchedModel } from './residency.ts'

/** What is watched for; asked before every look, so that a change counts at once and takes no timer with it. */
export interface WatchdogPolicy {
  /** How often the watchdog looks, in milliseconds. */
  readonly intervalMs: number
  /** Longest running call or load, in milliseconds; undefined watches none. */
  readonly busyTimeoutMs: number | undefined
  /** How long a model may lie idle, in milliseconds; undefined watches none. */
  readonly idleTimeoutMs: number | undefined
  /** Share of memory, 0 to 1, above which models are unloaded; undefined never does. */
  readonly memoryThreshold: number | undefined
}

/** Memory at one moment. */
export interface MemoryReading {
  /** Memory of all graphics devices together where any is known, else that of the machine or of its container. */
  readonly kind: 'gpu' | 'ram'
  /** 0 to 1. */
  readonly usedShare: number
}

/** Stops models that work too long, lie idle, or take memory that runs short (§3.5). */
export interface Watchdog {
  /** Tells that the settings have changed. */
  wake(): void
  /** Ends the watch; resolves when stops that it began are over. */
  close(): Promise<void>
}

/** What {@link startWatchdog} needs. */
export interface WatchdogOptions {
  readonly watched: () => readonly WatchedModel[]
  readonly policy: () => WatchdogPolicy
  /** Undefined when it cannot be told. */
  readonly readMemory: () => Promise<MemoryReading | undefined>
  readonly clock: Clock
  readonly logger: Logger
}

/** Looking more often than this costs more than it finds. */
const MIN_INTERVAL_MS = 50
/** How long it sleeps while there is nothing to watch for; any change of the settings wakes it. */
const NOTHING_TO_DO_MS = 3_600_000

/** Begins to watch. */
export function startWatchdog(options: WatchdogOptions): Watchdog {
  const { clock, logger } = options
  const closing = new AbortController()
  const stops = new Set<Promise<void>>()
  /** Models that are being stopped for idleness or memory; a model is asked once. */
  const leaving = new Set<string>()
  let wakeUp = new AbortController()

  const stop = (model: WatchedModel, why: string, force: boolean): Promise<void> => {
    logger.warn({ model: model.name, state: model.state, why }, 'watchdog stops a model')
    leaving.add(model.name)
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
  /** One at a time: how much memory it gave back shows only after it has gone. */
  const reclaim = async ({ memoryThreshold }: WatchdogPolicy): Promise<void> => {
    if (memoryThreshold === undefined || stops.size > 0) return
    const memory = await options.readMemory().catch(() => undefined)
    if (memory === undefined || memory.usedShare <= memoryThreshold || closing.signal.aborted) return
    const [victim] = options
      .watched()
      .filter((model) => mayLeave(model) && model.busySince === undefined)
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
