import type { Clock, Logger } from '../ports.ts'
import type { WatchedModel } from './residency.ts'

/** Times that models stay in memory after their last call, as clients set them. */
export interface KeepAlive {
  /**
   * Lets a loaded model leave this long after its last call. Holds until the model has left or the time is set again.
   *
   * @param ms milliseconds; undefined, or more than timers hold: as the settings of the server say
   */
  set(name: string, ms: number | undefined): void
  /** Time at which an unused model leaves, in milliseconds since the epoch; undefined when no client has set a time. */
  expiresAt(name: string): number | undefined
  /** Ends the watch; resolves once all stops that it started have ended. */
  close(): Promise<void>
}

/** Options of {@link createKeepAlive}. */
export interface KeepAliveOptions {
  readonly watched: () => readonly WatchedModel[]
  readonly clock: Clock
  readonly logger: Logger
}

/** Interval at which a busy model is checked again. */
const BUSY_MS = 500
const MIN_SLEEP_MS = 10
const LONGEST_MS = 2 ** 31 - 1

/** Creates an empty table. Pinned models stay, whatever time clients set. */
export function createKeepAlive({ watched, clock, logger }: KeepAliveOptions): KeepAlive {
  const closing = new AbortController()
  const times = new Map<string, number>()
  const stops = new Set<Promise<void>>()
  let wakeUp = new AbortController()

  /** A model on workers may be there several times. */
  const find = (name: string): readonly WatchedModel[] => watched().filter((model) => model.name === name)
  const stop = (model: WatchedModel): void => {
    const stopped = model
      .stop({ force: false })
      .catch((error: unknown) => logger.warn({ model: model.name, err: error }, 'model could not be let go'))
      .finally(() => stops.delete(stopped))
    stops.add(stopped)
  }
  /** @returns when a model is due, monotonic milliseconds; undefined while it is busy */
  const dueAt = (models: readonly WatchedModel[], ms: number): number | undefined => {
    const idle = models.map(({ idleSince }) => idleSince)
    return idle.includes(undefined) ? undefined : Math.max(...idle.map((since) => (since ?? 0) + ms))
  }
  /** Stops models whose time is over. @returns milliseconds until the next one may be due */
  const look = (): number => {
    const now = clock.monotonic()
    let nextMs = LONGEST_MS
    for (const [name, ms] of times) {
      const models = find(name).filter(({ isPinned }) => !isPinned)
      const due = dueAt(models, ms)
      if (models.length === 0) times.delete(name)
      else if (due === undefined) nextMs = Math.min(nextMs, BUSY_MS)
      else if (due > now) nextMs = Math.min(nextMs, due - now)
      else {
        times.delete(name)
        for (const model of models) stop(model)
      }
    }
    return Math.max(MIN_SLEEP_MS, nextMs)
  }
  const watch = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const signal = AbortSignal.any([closing.signal, wakeUp.signal])
      await clock.sleep(look(), { signal }).catch(() => undefined)
      if (wakeUp.signal.aborted) wakeUp = new AbortController()
    }
  }
  const watching = watch().catch((error: unknown) => logger.error({ err: error }, 'keeping models alive failed'))

  return {
    set(name, ms) {
      if (ms === undefined || ms > LONGEST_MS) {
        times.delete(name)
        return
      }
      times.set(name, ms)
      wakeUp.abort()
    },
    expiresAt(name) {
      const ms = times.get(name)
      if (ms === undefined) return undefined
      const due = dueAt(find(name), ms) ?? clock.monotonic() + ms
      return clock.now() + Math.max(0, due - clock.monotonic())
    },
    async close() {
      closing.abort()
      await watching
      await Promise.all(stops)
    },
  }
}
