import type { Clock, Logger } from '../ports.ts'
import type { WatchedModel } from './residency.ts'

/** For how long models stay in memory after their last call, where clients have said so. */
export interface KeepAlive {
  /**
   * From now on a model that is loaded leaves this long after its last call; until it has left, or is told otherwise.
   *
   * @param ms milliseconds; undefined, or more than timers hold: as the settings of the server say
   */
  set(name: string, ms: number | undefined): void
  /** When a model leaves if nobody calls it, milliseconds since the epoch; undefined where no client has said so. */
  expiresAt(name: string): number | undefined
  /** Ends the watch; resolves when stops that it began are over. */
  close(): Promise<void>
}

/** What {@link createKeepAlive} needs. */
export interface KeepAliveOptions {
  readonly watched: () => readonly WatchedModel[]
  readonly clock: Clock
  readonly logger: Logger
}

/** How soon a model is looked at again that is busy. */
const BUSY_MS = 500
const MIN_SLEEP_MS = 10
const LONGEST_MS = 2 ** 31 - 1

/** Nothing is known yet. Pinned models stay whatever clients say. */
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
  /** Lets go of what is due, and tells after how many milliseconds something may be. */
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
