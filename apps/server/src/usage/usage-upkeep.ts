import type { Usage } from '@svc/auth/usage'
import type { Clock, Logger } from '../ports.ts'

/** What {@link createUsageUpkeep} needs. */
export interface UsageUpkeepOptions {
  readonly usage: Pick<Usage, 'backfillSources' | 'prune'>
  readonly clock: Pick<Clock, 'sleep'>
  readonly logger: Logger
}

/** Keeps the tables of usage bounded. */
export interface UsageUpkeep {
  /** Names the sources of old records, then removes what is too much or too old, and again every hour. */
  start(): void
  close(): Promise<void>
}

const EVERY_MS = 3_600_000
/** Other queries get their turn between two batches. */
const BATCH_PAUSE_MS = 20

/** Makes the upkeep. Nothing of it delays the start of the server. */
export function createUsageUpkeep({ usage, clock, logger }: UsageUpkeepOptions): UsageUpkeep {
  const closing = new AbortController()
  const { signal } = closing
  let working: Promise<void> | undefined

  async function guard(work: () => Promise<void>, message: string): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!signal.aborted) logger.warn({ err: error }, message)
    }
  }

  async function backfill(): Promise<void> {
    const records = await usage.backfillSources({ signal })
    if (records > 0) logger.info({ records }, 'sources of old usage are filled in')
  }

  async function prune(): Promise<void> {
    while ((await usage.prune({ signal })) > 0) await clock.sleep(BATCH_PAUSE_MS, { signal })
  }

  async function work(): Promise<void> {
    await guard(backfill, 'sources of old usage could not be filled in')
    while (!signal.aborted) {
      await guard(prune, 'usage could not be pruned')
      await clock.sleep(EVERY_MS, { signal }).catch(() => undefined)
    }
  }

  return {
    start() {
      working ??= work()
    },
    async close() {
      closing.abort()
      await working
    },
  }
}
