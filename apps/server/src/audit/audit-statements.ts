import { and, count, desc, eq, gt, gte, inArray, lt, notInArray, or, type SQL, sql } from 'drizzle-orm'
import type { DatabaseQueries } from '../db/queries.ts'
import type { Tables } from '../db/schema.ts'
import type { AuditQuery, RecordedEvent } from './audit-event.ts'
import { ALL_ID_PREFIXES, type AuditRow, CHANGE_KINDS, findIdPrefix, fromAuditRow, toIdPrefix } from './audit-row.ts'

/** Writes events. */
export async function insertEvents(queries: DatabaseQueries, rows: readonly AuditRow[]): Promise<void> {
  await queries.change((db, { auditEvents }) => db.insert(auditEvents).values([...rows]))
}

/** Limits of the kept events. */
export interface KeptEvents {
  /** The oldest, milliseconds since the epoch. */
  readonly since: number
  /** Rows of each prefix of ids. */
  readonly maxRows: number
  /** Changes by one account that is not an admin's. It pushes out its own changes, not those of others. */
  readonly maxRowsOfAccount: number
  /** Largest number of rows beyond `maxRows` that one call removes. */
  readonly maxRemoved: number
}

/** Removes the events that are not kept. */
export async function removeEvents(
  queries: DatabaseQueries,
  { since, maxRows, maxRowsOfAccount, maxRemoved }: KeptEvents,
): Promise<void> {
  const accounts = await listBusyAccounts(queries, maxRowsOfAccount)
  await queries.transaction(async (transaction) => {
    const removeSurplus = (kept: number, prefix: string, userId?: string): Promise<unknown> =>
      transaction.change((db, { auditEvents }) => {
        // Ids grow with time, and the key of the table finds them by their beginning.
        const surplus = db
          .select({ id: auditEvents.id })
          .from(auditEvents)
          .where(and(hasPrefix(auditEvents, prefix), userId === undefined ? undefined : eq(auditEvents.userId, userId)))
          .orderBy(desc(auditEvents.id))
          .limit(maxRemoved)
          .offset(kept)
        return db.delete(auditEvents).where(inArray(auditEvents.id, surplus))
      })
    await transaction.change((db, { auditEvents }) => db.delete(auditEvents).where(lt(auditEvents.createdAt, since)))
    for (const account of accounts) await removeSurplus(maxRowsOfAccount, ACCOUNT_PREFIX, account)
    for (const prefix of ALL_ID_PREFIXES) await removeSurplus(maxRows, prefix)
  })
}

const ACCOUNT_PREFIX = toIdPrefix('account')
/** Accounts of which one call removes changes. */
const MAX_BUSY_ACCOUNTS = 50

/** Accounts with more changes than are kept of one. */
async function listBusyAccounts(queries: DatabaseQueries, kept: number): Promise<readonly string[]> {
  const rows = await queries.rows((db, { auditEvents }) =>
    db
      .select({ userId: auditEvents.userId })
      .from(auditEvents)
      .where(hasPrefix(auditEvents, ACCOUNT_PREFIX))
      .groupBy(auditEvents.userId)
      .having(gt(count(), kept))
      .orderBy(desc(count()))
      .limit(MAX_BUSY_ACCOUNTS),
  )
  return rows.map(({ userId }) => userId)
}

/** Holds in every collation: a digit follows the prefix of an id, and sorts before a letter. */
function hasPrefix({ id }: Tables['auditEvents'], prefix: string): SQL | undefined {
  return and(gte(id, prefix), lt(id, `${prefix}z`))
}

/** The events that a query asks for, the newest first. */
export async function listEvents(queries: DatabaseQueries, query: AuditQuery): Promise<RecordedEvent[]> {
  const [prefix, ...others] = new Set(query.kinds?.map(findIdPrefix))
  const found = await queries.rows((db, { auditEvents }) => {
    const { id, createdAt } = auditEvents
    const asked = conditions(query, auditEvents)
    // The events of a prefix are found by the key of the table, however many others there are.
    return prefix === undefined || others.length > 0
      ? db.select().from(auditEvents).where(asked).orderBy(desc(createdAt), desc(id)).limit(query.limit)
      : db
          .select()
          .from(auditEvents)
          .where(and(hasPrefix(auditEvents, prefix), asked))
          .orderBy(desc(id))
          .limit(query.limit)
  })
  return found.map(fromAuditRow)
}

/** The number of events that are not changes. */
export async function countEvents(queries: DatabaseQueries): Promise<number> {
  const [row] = await queries.rows((db, { auditEvents }) =>
    db
      .select({ total: count() })
      .from(auditEvents)
      .where(notInArray(auditEvents.kind, [...CHANGE_KINDS])),
  )
  return row?.total ?? 0
}

function conditions(query: AuditQuery, table: Tables['auditEvents']): SQL | undefined {
  const asked: SQL[] = []
  if (query.correlationId) asked.push(eq(table.correlationId, query.correlationId))
  if (query.userId) asked.push(eq(table.userId, query.userId))
  if (query.patternId) asked.push(eq(table.patternId, query.patternId))
  if (query.kinds !== undefined) asked.push(inArray(table.kind, [...query.kinds]))
  if (query.origin) asked.push(eq(table.origin, query.origin))
  if (query.since !== undefined) asked.push(gte(table.createdAt, query.since))
  if (query.until !== undefined) asked.push(lt(table.createdAt, query.until))
  if (query.change) asked.push(isChange(query.change, table))
  if (query.target) asked.push(holdsFact('target', query.target, table))
  return and(...asked)
}

function isChange(change: string, table: Tables['auditEvents']): SQL {
  const isNamed = or(eq(table.patternId, change), startsWith(table.patternId, `${change}.`))
  return and(inArray(table.kind, [...CHANGE_KINDS]), isNamed) ?? sql`false`
}

/** Whether the JSON text of the facts holds a member. */
function holdsFact(key: string, value: string, { facts }: Tables['auditEvents']): SQL {
  const member = `${JSON.stringify(key)}:${JSON.stringify(value)}`
  return sql`${facts} LIKE ${`%${escapePattern(member)}%`} ESCAPE '\\'`
}

function startsWith(column: Tables['auditEvents']['patternId'], text: string): SQL {
  return sql`${column} LIKE ${`${escapePattern(text)}%`} ESCAPE '\\'`
}

/** Takes the meaning of wildcards from a text (threats DB-1). */
function escapePattern(text: string): string {
  return text.replace(/[\\%_]/g, String.raw`\$&`)
}
