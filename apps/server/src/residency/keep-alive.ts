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

  const find = (name: string): WatchedModel | undefined => watched().find((model) => model.name === name)
  const stop = (model: WatchedModel): void => {
    times.delete(model.name)
    const stopped = model
      .stop({ force: false })
      .catch((error: unknown) => logger.warn({ model: model.name, err: error }, 'model could not be let go'))
      .finally(() => stops.delete(stopped))
    stops.add(stopped)
  }
  /** Stops models whose time is over. @returns milliseconds until the next one may be due */
  const look = (): number => {
    const now = clock.monotonic()
    let nextMs = LONGEST_MS
    for (const [name, ms] of times) {
      const model = find(name)
      if (model === undefined || model.isPinned) times.delete(name)
      else if (model.idleSince === undefined) nextMs = Math.min(nextMs, BUSY_MS)
      else if (model.idleSince + ms > now) nextMs = Math.min(nextMs, model.idleSince + ms - now)
      else stop(model)
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
      const idleMs = clock.monotonic() - (find(name)?.idleSince ?? clock.monotonic())
      return clock.now() + Math.max(0, ms - idleMs)
    },
    async close() {
      closing.abort()
      await watching
      await Promise.all(stops)
    },
  }
}
