import { join } from 'node:path'
import type { QuotaStore, Stores } from '@svc/auth/ports'
import { createExclusiveQuotaStore } from '@svc/auth/quotas'
import { createUsageRecorder, type UsageRecorder } from '@svc/auth/usage'
import type { Database } from '../db/database.ts'
import type { FileLock } from '../files/file-lock.ts'
import type { Clock, Logger } from '../ports.ts'
import { createUsageJournal, type UsageJournalFile } from '../usage/usage-journal.ts'
import type { Closers } from './closers.ts'

/** Name of the file in the data folder that keeps usage while the database is away. */
const JOURNAL_FILE = 'usage-journal.jsonl'
/** Time that records wait for others, milliseconds. A report stores them first. */
const GATHER_MS = 250
const REPLAY_TIMEOUT_MS = 10_000
const CLOSE_TIMEOUT_MS = 2000

/** Parts of {@link openUsage}. */
export interface UsageParts {
  readonly dataPath: string
  /** The lock of the data folder. */
  readonly lock: Pick<FileLock, 'lossReason'>
  readonly database: Pick<Database, 'dialect'>
  readonly stores: Pick<Stores, 'usage' | 'quotas'>
  /** Values of end users and of each tag that a day keeps apart. */
  readonly maxLabelValues: number
  readonly clock: Clock
  readonly logger: Logger
}

/** The ways by which the server stores usage and decides quotas. */
export interface OpenUsage {
  readonly recorder: UsageRecorder
  readonly quotas: QuotaStore
}

/** Stores the records that an earlier process could not, and opens the recorder and the quotas. */
export async function openUsage(parts: UsageParts, closers: Closers): Promise<OpenUsage> {
  const { dataPath, lock, stores, maxLabelValues, clock, logger } = parts
  const journal = createUsageJournal({
    path: join(dataPath, JOURNAL_FILE),
    checkAccess: () => checkLock(lock),
    logger,
  })
  closers.push(() => journal.close())
  const recorder = createUsageRecorder({
    ...{ store: stores.usage, clock, logger, journal, maxLabelValues },
    gatherMs: GATHER_MS,
  })
  await replay(journal, recorder, logger)
  return { recorder, quotas: openQuotas(parts, closers) }
}

function checkLock(lock: UsageParts['lock']): void {
  const reason = lock.lossReason()
  if (reason !== undefined) throw new Error(`the data folder was taken away while the server ran: ${reason}`)
}

async function replay(journal: UsageJournalFile, recorder: UsageRecorder, logger: Logger): Promise<void> {
  const records = await journal.read()
  if (records.length === 0) return
  for (const record of records) recorder.record(record)
  try {
    await recorder.flush({ signal: AbortSignal.timeout(REPLAY_TIMEOUT_MS) })
    journal.clear()
    logger.info({ records: records.length }, 'usage of an earlier run is stored')
  } catch (error) {
    logger.warn({ err: error }, 'usage of an earlier run cannot be stored yet')
  }
}

/** Quotas over a SQLite file are decided in memory: only this server has the file. */
function openQuotas({ database, stores, clock, logger }: UsageParts, closers: Closers): QuotaStore {
  if (database.dialect !== 'sqlite') return stores.quotas
  const exclusive = createExclusiveQuotaStore({ store: stores.quotas, clock, logger })
  closers.push(() =>
    exclusive.close({ signal: AbortSignal.timeout(CLOSE_TIMEOUT_MS) }).catch((error: unknown) => {
      logger.warn({ err: error }, 'the last quota counters could not be stored')
    }),
  )
  return exclusive
}
