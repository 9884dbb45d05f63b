import { and, asc, count, eq, inArray, like, lt, or, sql } from 'drizzle-orm'
import type { CalendarUnit, Limit, LimitStore, LimitSubjectKind, LimitWindow } from '../ports/limits.ts'
import { readByIds } from './batches.ts'
import { raiseRights } from './facts.ts'
import type { DrizzleQueries, Queries } from './queries.ts'
import type { AuthTables } from './tables.ts'

type LimitRow = AuthTables['limits']['$inferSelect']

function toWindow({ windowKind, windowUnit, windowMs }: LimitRow): LimitWindow {
  if (windowKind === 'calendar') return { kind: 'calendar', unit: (windowUnit ?? 'month') as CalendarUnit }
  return { kind: windowKind === 'rolling' ? 'rolling' : 'fixed', ms: windowMs ?? 0 }
}

function toLimit(row: LimitRow): Limit {
  const { id, subjectKind, subjectId, model, maxRequests, maxTokens, maxCostMicros, currency, maxParallel } = row
  return {
    id,
    subject: { kind: subjectKind as LimitSubjectKind, id: subjectId },
    model,
    maxRequests: maxRequests ?? undefined,
    maxTokens: maxTokens ?? undefined,
    maxCostMicros: maxCostMicros ?? undefined,
    currency,
    maxParallel: maxParallel ?? undefined,
    window: toWindow(row),
    isSoft: row.isSoft === 1,
    isEnabled: row.isEnabled === 1,
    note: row.note,
    createdAt: row.createdAt,
  }
}

function fromLimit({ subject, window, ...limit }: Limit): LimitRow {
  const { maxRequests = null, maxTokens = null, maxCostMicros = null, maxParallel = null } = limit
  return {
    ...limit,
    ...{ maxRequests, maxTokens, maxCostMicros, maxParallel },
    subjectKind: subject.kind,
    subjectId: subject.id,
    windowKind: window.kind,
    windowUnit: window.kind === 'calendar' ? window.unit : null,
    windowMs: window.kind === 'calendar' ? null : window.ms,
    isSoft: Number(limit.isSoft),
    isEnabled: Number(limit.isEnabled),
  }
}

/** Removes the counters and the reservations of a limit. */
async function removeCounts(queries: Queries, tables: AuthTables, id: string): Promise<void> {
  const { quotaCounters, quotaReservations } = tables
  const each = `${id}:%`
  await queries.change((db) =>
    db.delete(quotaCounters).where(or(eq(quotaCounters.ruleId, id), like(quotaCounters.ruleId, each))),
  )
  await queries.change((db) =>
    db.delete(quotaReservations).where(or(eq(quotaReservations.ruleId, id), like(quotaReservations.ruleId, each))),
  )
}

/** Removes the limits of subjects that are gone. */
export async function removeLimitsOf(
  queries: Queries,
  tables: AuthTables,
  { kind, ids }: { readonly kind: LimitSubjectKind; readonly ids: readonly string[] },
): Promise<void> {
  const { limits } = tables
  const found = await readByIds(ids, (some) =>
    queries.rows((db) =>
      db
        .select({ id: limits.id })
        .from(limits)
        .where(and(eq(limits.subjectKind, kind), inArray(limits.subjectId, [...some]))),
    ),
  )
  for (const { id } of found) {
    await queries.change((db) => db.delete(limits).where(eq(limits.id, id)))
    await removeCounts(queries, tables, id)
  }
}

/** Limits in a database. */
export function createDrizzleLimits(queries: DrizzleQueries, tables: AuthTables): LimitStore {
  const { limits, quotaCounters } = tables
  return {
    async list() {
      const rows = await queries.rows((db) => db.select().from(limits).orderBy(asc(limits.createdAt), asc(limits.id)))
      return rows.map(toLimit)
    },
    create: (limit, { most }) =>
      queries.transaction(async (transaction) => {
        // whoever raises the number first counts first
        await raiseRights(transaction, tables)
        const [found] = await transaction.rows((db) => db.select({ number: count() }).from(limits))
        if ((found?.number ?? 0) >= most) return false
        await transaction.change((db) => db.insert(limits).values(fromLimit(limit)))
        return true
      }),
    change: (limit, { restarts }) =>
      queries.transaction(async (transaction) => {
        const { id, ...fields } = fromLimit(limit)
        const changed = await transaction.change((db) => db.update(limits).set(fields).where(eq(limits.id, id)))
        if (changed === 0) return false
        if (restarts) await removeCounts(transaction, tables, id)
        await raiseRights(transaction, tables)
        return true
      }),
    remove: (id) =>
      queries.transaction(async (transaction) => {
        if ((await transaction.change((db) => db.delete(limits).where(eq(limits.id, id)))) === 0) return false
        await removeCounts(transaction, tables, id)
        await raiseRights(transaction, tables)
        return true
      }),
    removeOldCounters: (id, { before, limit }) =>
      queries.change((db) =>
        db.delete(quotaCounters).where(
          and(
            inArray(
              quotaCounters.ruleId,
              db
                .select({ ruleId: quotaCounters.ruleId })
                .from(quotaCounters)
                .where(
                  and(
                    // a range would follow the collation of the database, which may leave signs out
                    sql`substr(${quotaCounters.ruleId}, 1, ${id.length + 1}) = ${`${id}:`}`,
                    lt(quotaCounters.windowStart, before),
                    eq(quotaCounters.parallel, 0),
                  ),
                )
                .limit(limit),
            ),
            lt(quotaCounters.windowStart, before),
          ),
        ),
      ),
  }
}
