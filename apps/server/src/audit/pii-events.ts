import { randomBytes } from 'node:crypto'
import type { PiiOrigin } from '@svc/pii/audit'
import { and, count, desc, eq, inArray, lt, type SQL } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import type { Clock, Logger } from '../ports.ts'

/** What an event tells of. */
export type AuditKind = 'pii' | 'proxy_connect' | 'proxy_traffic' | 'admission'

/** An event as it is recorded; it holds groups, offsets and figures, never the text that was found. */
export interface AuditEntry {
  readonly kind: AuditKind
  /** Which part of the server met it. */
  readonly origin?: PiiOrigin | undefined
  readonly correlationId: string
  readonly userId?: string | undefined
  /** `ner:EMAIL`, `pattern:CARD`, `__unscanned_media__`, `__ner_unavailable__`. */
  readonly patternId?: string | undefined
  /** Further fields by their wire names. */
  readonly facts: Readonly<Record<string, string | number | boolean>>
}

/** A recorded event. */
export interface RecordedEvent extends AuditEntry {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** Which events are asked for; what is absent matches everything. */
export interface AuditQuery {
  readonly correlationId?: string | undefined
  readonly userId?: string | undefined
  readonly patternId?: string | undefined
  readonly kind?: string | undefined
  readonly origin?: string | undefined
  readonly limit: number
}

/** The events of the PII filter, of the intercepting proxy and of admission (§6.1): the newest 10,000 of 30 days. */
export interface AuditEvents {
  /**
   * Takes events for writing; they are written together a moment later.
   *
   * @returns their ids, in order
   */
  record(entries: readonly AuditEntry[]): readonly string[]
  /** Resolves once everything taken so far is written. @throws {SvcError} `unavailable` while the database is away */
  flush(): Promise<void>
  /** Newest first. */
  list(query: AuditQuery): Promise<readonly RecordedEvent[]>
  count(): Promise<number>
  close(): Promise<void>
}

/** What {@link createAuditEvents} needs. */
export interface AuditEventsOptions {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
  /** @default 10000 */
  readonly maxRows?: number | undefined
}

const MAX_ROWS = 10_000
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000
/** How long an event may wait for others before they are written together. */
const GATHER_MS = 250
/** Rows of one transaction: few enough to hold up nobody (threats DB-3). */
const BATCH = 500
/** Rows written between two looks at what is too old or too much. */
const TRIM_AFTER = 1000
/** Every origin that an event can have. */
export const PII_ORIGINS: readonly PiiOrigin[] = ['middleware', 'proxy', 'pii_analyze', 'pii_redact']
const PREFIXES: Readonly<Record<AuditKind, string>> = {
  pii: 'pii',
  proxy_connect: 'pii',
  proxy_traffic: 'pii',
  admission: 'adm',
}

/** Makes the store over the server's database. What waits beyond `maxRows` would not be kept anyway and falls out. */
export function createAuditEvents(options: AuditEventsOptions): AuditEvents {
  const { clock, logger, maxRows = MAX_ROWS } = options
  const { queries } = options.database
  const closing = new AbortController()
  let waiting: RecordedEvent[] = []
  let gathering: Promise<void> | undefined
  let writing: Promise<void> = Promise.resolve()
  let sinceTrim = TRIM_AFTER
  let counter = 0

  /** Ids grow with time, so that events of one moment keep their order. */
  function newId(kind: AuditKind, at: number): string {
    counter = (counter + 1) % 0x10000
    const order = at.toString(16).padStart(12, '0') + counter.toString(16).padStart(4, '0')
    return `${PREFIXES[kind]}_${order}${randomBytes(4).toString('hex')}`
  }

  async function writeBatch(batch: readonly RecordedEvent[]): Promise<void> {
    await queries.change((db, { piiEvents }) => db.insert(piiEvents).values(batch.map(toRow)))
    sinceTrim += batch.length
    if (sinceTrim < TRIM_AFTER) return
    sinceTrim = 0
    await trim()
  }

  async function trim(): Promise<void> {
    const oldest = clock.now() - MAX_AGE_MS
    await queries.transaction(async (transaction) => {
      await transaction.change((db, { piiEvents }) => db.delete(piiEvents).where(lt(piiEvents.createdAt, oldest)))
      await transaction.change((db, { piiEvents }) => {
        const surplus = db
          .select({ id: piiEvents.id })
          .from(piiEvents)
          .orderBy(desc(piiEvents.createdAt), desc(piiEvents.id))
          .limit(TRIM_AFTER * 5)
          .offset(maxRows)
        return db.delete(piiEvents).where(inArray(piiEvents.id, surplus))
      })
    })
  }

  /** Whoever looks sees everything that is to be kept, and nothing more. */
  async function settle(): Promise<void> {
    await flush()
    await trim()
  }

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH)
      waiting = waiting.slice(batch.length)
      try {
        await writeBatch(batch)
      } catch (error) {
        waiting = [...batch, ...waiting].slice(-maxRows)
        throw error
      }
    }
  }

  function flush(): Promise<void> {
    writing = writing.catch(() => undefined).then(writeAll)
    return writing
  }

  /** Writes what has gathered a moment from now; what cannot be written waits for the next time. */
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
    record(entries) {
      const createdAt = clock.now()
      const recorded = entries.map((entry) => ({ ...entry, createdAt, id: newId(entry.kind, createdAt) }))
      waiting.push(...recorded)
      if (waiting.length > maxRows) waiting = waiting.slice(-maxRows)
      if (recorded.length > 0) gather()
      return recorded.map(({ id }) => id)
    },
    flush,
    async list(query) {
      await settle()
      const found = await queries.rows((db, { piiEvents }) =>
        db
          .select()
          .from(piiEvents)
          .where(conditions(query, piiEvents))
          .orderBy(desc(piiEvents.createdAt), desc(piiEvents.id))
          .limit(query.limit),
      )
      return found.map(toEvent)
    },
    async count() {
      await settle()
      const [row] = await queries.rows((db, { piiEvents }) => db.select({ total: count() }).from(piiEvents))
      return row?.total ?? 0
    },
    async close() {
      closing.abort()
      await gathering
      await flush().catch((error: unknown) => logger.warn({ err: error }, 'audit events could not be written'))
    },
  }
}

type EventRow = Tables['piiEvents']['$inferSelect']

function toRow(event: RecordedEvent): EventRow {
  const { id, createdAt, kind, origin = '', correlationId, userId = '', patternId = '', facts } = event
  return { id, createdAt, kind, origin, correlationId, userId, patternId, facts: JSON.stringify(facts) }
}

function conditions(query: AuditQuery, table: Tables['piiEvents']): SQL | undefined {
  const asked: SQL[] = []
  if (query.correlationId) asked.push(eq(table.correlationId, query.correlationId))
  if (query.userId) asked.push(eq(table.userId, query.userId))
  if (query.patternId) asked.push(eq(table.patternId, query.patternId))
  if (query.kind) asked.push(eq(table.kind, query.kind))
  if (query.origin) asked.push(eq(table.origin, query.origin))
  return and(...asked)
}

function toEvent(row: EventRow): RecordedEvent {
  return {
    ...row,
    kind: toKind(row.kind),
    origin: PII_ORIGINS.find((origin) => origin === row.origin),
    facts: JSON.parse(row.facts) as RecordedEvent['facts'],
  }
}

function toKind(text: string): AuditKind {
  return text in PREFIXES ? (text as AuditKind) : 'pii'
}
