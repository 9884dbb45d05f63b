import type { Clock, Logger } from '../../ports.ts'
import type { ObjectStorage } from './object-storage.ts'

/** Time for which a look counts, milliseconds. */
const SEEN_MS = 10_000

/** Looks whether a storage answers. */
export interface StorageWatch {
  /**
   * The reason why the storage did not answer at the last look; undefined when it did, and before the first look has
   * ended. A call begins another look when the last one is a while ago.
   */
  reason(): string | undefined
  /** Ends a look under way. */
  close(): Promise<void>
}

/** Creates the watch, and looks for the first time. */
export function createStorageWatch(
  storage: Pick<ObjectStorage, 'check'>,
  { clock, logger }: { readonly clock: Pick<Clock, 'monotonic'>; readonly logger: Logger },
): StorageWatch {
  const closing = new AbortController()
  let seenAt = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | undefined
  let reason: string | undefined

  async function look(): Promise<void> {
    const before = reason
    try {
      await storage.check(closing.signal)
      reason = undefined
    } catch (error) {
      if (closing.signal.aborted) return
      reason = error instanceof Error ? error.message : String(error)
    }
    seenAt = clock.monotonic()
    if (reason !== undefined && before === undefined) logger.warn({ reason }, 'the object storage is missing')
    if (reason === undefined && before !== undefined) logger.info({}, 'the object storage is there again')
  }

  function begin(): void {
    if (looking !== undefined || closing.signal.aborted || clock.monotonic() - seenAt < SEEN_MS) return
    looking = look().finally(() => {
      looking = undefined
    })
  }

  begin()
  return {
    reason() {
      begin()
      return reason
    },
    async close() {
      closing.abort(new Error('the server stops'))
      await looking
    },
  }
}
