import { and, count, desc, eq, inArray, lt, type SQL } from 'drizzle-orm'
import type { DatabaseQueries } from '../db/queries.ts'
import type { Tables } from '../db/schema.ts'
import type { AuditQuery, RecordedEvent } from './audit-event.ts'
import { type AuditRow, fromAuditRow } from './audit-row.ts'

/** Writes events. */
export async function insertEvents(queries: DatabaseQueries, rows: readonly AuditRow[]): Promise<void> {
  await queries.change((db, { auditEvents }) => db.insert(auditEvents).values([...rows]))
}

/** What is kept of the events. */
export interface KeptEvents {
  /** The oldest, milliseconds since the epoch. */
  readonly since: number
  readonly maxRows: number
  /** How many of those beyond `maxRows` one call removes. */
  readonly maxRemoved: number
}

/** Removes the events that are not kept. */
export async function removeEvents(
  queries: DatabaseQueries,
  { since, maxRows, maxRemoved }: KeptEvents,
): Promise<void> {
  await queries.transaction(async (transaction) => {
    await transaction.change((db, { auditEvents }) => db.delete(auditEvents).where(lt(auditEvents.createdAt, since)))
    await transaction.change((db, { auditEvents }) => {
      const surplus = db
        .select({ id: auditEvents.id })
        .from(auditEvents)
        .orderBy(desc(auditEvents.createdAt), desc(auditEvents.id))
        .limit(maxRemoved)
        .offset(maxRows)
      return db.delete(auditEvents).where(inArray(auditEvents.id, surplus))
    })
  })
}

/** The events that a query asks for, the newest first. */
export async function listEvents(queries: DatabaseQueries, query: AuditQuery): Promise<RecordedEvent[]> {
  const found = await queries.rows((db, { auditEvents }) =>
    db
      .select()
      .from(auditEvents)
      .where(conditions(query, auditEvents))
      .orderBy(desc(auditEvents.createdAt), desc(auditEvents.id))
      .limit(query.limit),
  )
  return found.map(fromAuditRow)
}

/** The number of events. */
export async function countEvents(queries: DatabaseQueries): Promise<number> {
  const [row] = await queries.rows((db, { auditEvents }) => db.select({ total: count() }).from(auditEvents))
  return row?.total ?? 0
}

function conditions(query: AuditQuery, table: Tables['auditEvents']): SQL | undefined {
  const asked: SQL[] = []
  if (query.correlationId) asked.push(eq(table.correlationId, query.correlationId))
  if (query.userId) asked.push(eq(table.userId, query.userId))
  if (query.patternId) asked.push(eq(table.patternId, query.patternId))
  if (query.kind) asked.push(eq(table.kind, query.kind))
  if (query.origin) asked.push(eq(table.origin, query.origin))
  return and(...asked)
}
