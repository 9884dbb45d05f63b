import { randomBytes } from 'node:crypto'
import type { Database } from '../db/database.ts'
import type { Clock, Logger } from '../ports.ts'
import type { AuditKind, AuditReader, AuditSink } from './audit-event.ts'
import { type DatedEvent, toAuditRow, toIdPrefix } from './audit-row.ts'

/**
 * The audit events of the server (§6.1) in its database, of the last 30 days: the newest 10,000 changes by admins, as many
 * by others, 500 of each of them, as many refusals of full models, and as many of all the rest.
 */
export interface AuditLog extends AuditSink, AuditReader {
  /** Writes the waiting events. */
  close(): Promise<void>
}

/** Options of {@link createAuditLog}. */
export interface AuditLogOptions {
  readonly database: Pick<Database, 'queries'>
  readonly clock: Clock
  readonly logger: Logger
  /** Rows of each prefix of ids. @default 10000 */
  readonly maxRows?: number | undefined
}

const MAX_ROWS = 10_000
/** One account of a person who is not an admin fills at most this part of the changes by such accounts. */
const ACCOUNT_SHARE = 20
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000
/** Time that an event waits for others before they are written together. */
const GATHER_MS = 250
/** Rows of one transaction, few enough that no other query waits long (threats DB-3). */
const BATCH = 500
/** Events above their maximum that may wait. */
const SLACK = 1000
/** Rows written between two trims. */
const TRIM_AFTER = 1000
/** The first event, or the first reader, loads the statements. */
const loadStatements = () => import('./audit-statements.ts')

/**
 * Creates the log on the server's database. About `maxRows` events of each prefix of ids wait for a write; above that
 * the oldest ones are dropped.
 */
export function createAuditLog(options: AuditLogOptions): AuditLog {
  const { clock, logger, maxRows = MAX_ROWS } = options
  const { queries } = options.database
  const closing = new AbortController()
  const newId = createIdSource()
  const waiting = createWaitingEvents(maxRows)
  const rows = createTrimmedRows({ queries, clock, maxRows })
  let gathering: Promise<void> | undefined
  let writing: Promise<void> = Promise.resolve()

  async function writeAll(): Promise<void> {
    for (let batch = waiting.take(BATCH); batch.length > 0; batch = waiting.take(BATCH)) {
      try {
        await rows.insert(batch)
      } catch (error) {
        waiting.putBack(batch)
        throw error
      }
    }
  }

  function flush(): Promise<void> {
    writing = writing.catch(() => undefined).then(writeAll)
    return writing
  }

  /** Runs before a read: writes waiting events and drops expired ones. */
  async function settle(): Promise<void> {
    await flush()
    await rows.trim()
  }

  /** Schedules a write of the waiting events. A batch that cannot be written waits for the next write. */
  function gather(): void {
    if (gathering !== undefined || closing.signal.aborted) return
    gathering = clock
      .sleep(GATHER_MS, { signal: closing.signal })
      .then(flush)
      .catch((error: unknown) => {
        if (!closing.signal.aborted) logger.warn({ err: error }, 'audit events could not be written')
      })
      .finally(() => {
        gathering = undefined
      })
  }

  return {
    record(events) {
      const createdAt = clock.now()
      const recorded = events.map((event) => ({ id: newId(event.kind, createdAt), createdAt, event }))
      waiting.add(recorded)
      if (recorded.length > 0) gather()
      return recorded.map(({ id }) => id)
    },
    flush,
    async list(query) {
      await settle()
      const { listEvents } = await loadStatements()
      return listEvents(queries, query)
    },
    async count() {
      await settle()
      const { countEvents } = await loadStatements()
      return countEvents(queries)
    },
    async close() {
      closing.abort()
      await gathering
      await flush().catch((error: unknown) => logger.warn({ err: error }, 'audit events could not be written'))
    },
  }
}

/** Creates a source of ids. Ids grow with time, so that events of one moment keep their order. */
function createIdSource(): (kind: AuditKind, at: number) => string {
  let counter = 0
  return (kind, at) => {
    counter = (counter + 1) % 0x10000
    const order = at.toString(16).padStart(12, '0') + counter.toString(16).padStart(4, '0')
    return `${toIdPrefix(kind)}_${order}${randomBytes(4).toString('hex')}`
  }
}

/** Events that are not written yet, of each prefix of ids about as many as the log has rows. */
interface WaitingEvents {
  add(events: readonly DatedEvent[]): void
  /** Removes and returns the oldest events, at most `max`. */
  take(max: number): readonly DatedEvent[]
  /** Adds events again that were taken and could not be written. */
  putBack(batch: readonly DatedEvent[]): void
}

function createWaitingEvents(maxRows: number): WaitingEvents {
  let waiting: DatedEvent[] = []
  let room = maxRows + SLACK

  /** Drops the oldest events from time to time. A look at every event would cost more than recording one. */
  function dropOldest(): void {
    if (waiting.length <= room) return
    waiting = keepNewest(waiting, maxRows)
    room = waiting.length + SLACK
  }

  return {
    add(events) {
      waiting.push(...events)
      dropOldest()
    },
    take(max) {
      const batch = waiting.slice(0, max)
      waiting = waiting.slice(batch.length)
      return batch
    },
    putBack(batch) {
      waiting = [...batch, ...waiting]
      dropOldest()
    },
  }
}

/** The rows of the log, trimmed to their numbers and their age. */
interface TrimmedRows {
  /** Inserts events, and trims after every {@link TRIM_AFTER} rows. */
  insert(batch: readonly DatedEvent[]): Promise<void>
  trim(): Promise<void>
}

/** Options of {@link createTrimmedRows}. */
interface TrimmedRowsOptions {
  readonly queries: Database['queries']
  readonly clock: Clock
  readonly maxRows: number
}

function createTrimmedRows({ queries, clock, maxRows }: TrimmedRowsOptions): TrimmedRows {
  let sinceTrim = TRIM_AFTER

  async function trim(): Promise<void> {
    const { removeEvents } = await loadStatements()
    await removeEvents(queries, {
      since: clock.now() - MAX_AGE_MS,
      maxRows,
      maxRemoved: TRIM_AFTER * 5,
      maxRowsOfAccount: Math.ceil(maxRows / ACCOUNT_SHARE),
    })
  }

  return {
    trim,
    async insert(batch) {
      const { insertEvents } = await loadStatements()
      await insertEvents(queries, batch.map(toAuditRow))
      sinceTrim += batch.length
      if (sinceTrim < TRIM_AFTER) return
      sinceTrim = 0
      await trim()
    },
  }
}

/** Drops the oldest events of each prefix of ids beyond a number. */
function keepNewest(events: DatedEvent[], max: number): DatedEvent[] {
  const counts = new Map<string, number>()
  const kept = events.toReversed().filter(({ event }) => {
    const prefix = toIdPrefix(event.kind)
    const count = (counts.get(prefix) ?? 0) + 1
    counts.set(prefix, count)
    return count <= max
  })
  return kept.reverse()
}
