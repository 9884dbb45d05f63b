import { and, asc, eq, gt, inArray, lte, sql } from 'drizzle-orm'
import type { QuotaCounter, QuotaRule, QuotaStore } from '../ports/usage.ts'
import { applyQuotaWork, type QuotaLedger } from '../quotas/apply-work.ts'
import { toRuleId } from '../quotas/memory-ledger.ts'
import { readByIds } from './batches.ts'
import { raiseRights } from './facts.ts'
import type { DrizzleQueries, Queries } from './queries.ts'
import type { AuthTables } from './tables.ts'

type RuleRow = AuthTables['quotaRules']['$inferSelect']

function toRule({ maxRequests, maxTokens, ...row }: RuleRow): QuotaRule {
  return { ...row, maxRequests: maxRequests ?? undefined, maxTokens: maxTokens ?? undefined }
}

type CounterRow = AuthTables['quotaCounters']['$inferSelect']

function toCounter({ buckets, ...row }: CounterRow): QuotaCounter {
  if (buckets === null) return row
  const parts: readonly (readonly [number, number, number, number])[] = JSON.parse(buckets)
  return {
    ...row,
    buckets: parts.map(([start, requests, tokens, costMicros]) => ({ start, requests, tokens, costMicros })),
  }
}

function fromCounter(counter: QuotaCounter): CounterRow {
  const { ruleId, windowStart, requests, tokens, costMicros = 0, parallel = 0, buckets } = counter
  const parts = buckets?.map((part) => [part.start, part.requests, part.tokens, part.costMicros])
  const text = parts === undefined ? null : JSON.stringify(parts)
  return { ruleId, windowStart, requests, tokens, costMicros, parallel, buckets: text }
}

/** Expired reservations that one transaction gives back. */
const MAX_EXPIRED = 1000

function createLedger(queries: Queries, { quotaCounters, quotaReservations }: AuthTables): QuotaLedger {
  return {
    async lockCounters(rules) {
      if (rules.length === 0) return []
      const empty = rules.map(({ id }) => fromCounter({ ruleId: id, windowStart: 0, requests: 0, tokens: 0 }))
      // a change to the same value keeps each row until the end of the transaction, in the order of the rules
      const rows = await queries.rows((db) =>
        db
          .insert(quotaCounters)
          .values(empty)
          .onConflictDoUpdate({ target: quotaCounters.ruleId, set: { tokens: sql`${quotaCounters.tokens}` } })
          .returning(),
      )
      return rows.map(toCounter)
    },
    takeReservations: (ids) =>
      queries.rows((db) =>
        db
          .delete(quotaReservations)
          .where(inArray(quotaReservations.id, [...ids]))
          .returning(),
      ),
    takeExpired: (ruleIds, now) =>
      queries.rows((db) =>
        db
          .delete(quotaReservations)
          .where(
            and(
              inArray(quotaReservations.ruleId, [...ruleIds]),
              inArray(
                quotaReservations.id,
                db
                  .select({ id: quotaReservations.id })
                  .from(quotaReservations)
                  .where(and(inArray(quotaReservations.ruleId, [...ruleIds]), lte(quotaReservations.expiresAt, now)))
                  .limit(MAX_EXPIRED),
              ),
            ),
          )
          .returning(),
      ),
    async putReservations(reservations) {
      await queries.change((db) => db.insert(quotaReservations).values([...reservations]))
    },
    writeCounters: (counters) => writeCounters(queries, quotaCounters, counters),
  }
}

async function writeCounters(
  queries: Queries,
  quotaCounters: AuthTables['quotaCounters'],
  counters: readonly QuotaCounter[],
): Promise<void> {
  await queries.change((db) =>
    db
      .insert(quotaCounters)
      .values(counters.map(fromCounter))
      .onConflictDoUpdate({
        target: quotaCounters.ruleId,
        set: {
          windowStart: sql`excluded.window_start`,
          requests: sql`excluded.requests`,
          tokens: sql`excluded.tokens`,
          costMicros: sql`excluded.cost_micros`,
          parallel: sql`excluded.parallel`,
          buckets: sql`excluded.buckets`,
        },
      }),
  )
}

/** The ids among some that rules or limits have. */
async function findKnownIds(queries: Queries, { quotaRules, limits }: AuthTables, ids: readonly string[]) {
  const read = (table: typeof quotaRules | typeof limits) =>
    readByIds(ids, (some) =>
      queries.rows((db) =>
        db
          .select({ id: table.id })
          .from(table)
          .where(inArray(table.id, [...some])),
      ),
    )
  const [rules, found] = [await read(quotaRules), await read(limits)]
  return new Set([...rules, ...found].map(({ id }) => id))
}

/** Quotas in a database. */
export function createDrizzleQuotas(queries: DrizzleQueries, tables: AuthTables): QuotaStore {
  const { quotaRules, quotaCounters, quotaReservations } = tables
  return {
    async listRules(userId) {
      const rows = await queries.rows((db) => db.select().from(quotaRules).where(eq(quotaRules.userId, userId)))
      return rows.map(toRule)
    },
    async listRulesByUsers(userIds) {
      const rows = await readByIds(userIds, (some) =>
        queries.rows((db) =>
          db
            .select()
            .from(quotaRules)
            .where(inArray(quotaRules.userId, [...some])),
        ),
      )
      return rows.map(toRule)
    },
    putRule: (rule) =>
      queries.transaction(async (transaction) => {
        const { maxRequests = null, maxTokens = null, windowMs, createdAt } = rule
        const fields = { maxRequests, maxTokens, windowMs, createdAt }
        const [row] = await transaction.rows((db) =>
          db
            .insert(quotaRules)
            .values({ ...rule, ...fields })
            .onConflictDoUpdate({ target: [quotaRules.userId, quotaRules.model], set: fields })
            .returning(),
        )
        const stored = row === undefined ? rule : toRule(row)
        await transaction.change((db) => db.delete(quotaCounters).where(eq(quotaCounters.ruleId, stored.id)))
        await raiseRights(transaction, tables)
        return stored
      }),
    removeRule: ({ id, userId }) =>
      queries.transaction(async (transaction) => {
        const removed = await transaction.change((db) =>
          db.delete(quotaRules).where(and(eq(quotaRules.id, id), eq(quotaRules.userId, userId))),
        )
        if (removed === 0) return false
        await transaction.change((db) => db.delete(quotaCounters).where(eq(quotaCounters.ruleId, id)))
        await transaction.change((db) => db.delete(quotaReservations).where(eq(quotaReservations.ruleId, id)))
        await raiseRights(transaction, tables)
        return true
      }),
    async readCounters(ruleIds) {
      const rows = await readByIds(ruleIds, (some) =>
        queries.rows((db) =>
          db
            .select()
            .from(quotaCounters)
            .where(inArray(quotaCounters.ruleId, [...some])),
        ),
      )
      return rows.map(toCounter)
    },
    writeCounters: (counters) =>
      queries.transaction(async (transaction) => {
        const ids = [...new Set(counters.map(({ ruleId }) => toRuleId(ruleId)))]
        const known = await findKnownIds(transaction, tables, ids)
        const kept = counters.filter(({ ruleId }) => known.has(toRuleId(ruleId)))
        if (kept.length > 0) await writeCounters(transaction, quotaCounters, kept)
      }),
    async removeStray({ after, limit }) {
      const rows = await queries.rows((db) =>
        db
          .select({ ruleId: quotaCounters.ruleId })
          .from(quotaCounters)
          .where(gt(quotaCounters.ruleId, after))
          .orderBy(asc(quotaCounters.ruleId))
          .limit(limit),
      )
      // Read after the counters: a rule is there before its first counter.
      const known = await findKnownIds(queries, tables, [...new Set(rows.map(({ ruleId }) => toRuleId(ruleId)))])
      const stray = rows.map(({ ruleId }) => ruleId).filter((id) => !known.has(toRuleId(id)))
      if (stray.length > 0)
        await queries.change((db) => db.delete(quotaCounters).where(inArray(quotaCounters.ruleId, stray)))
      return rows.length < limit ? undefined : rows.at(-1)?.ruleId
    },
    apply: (work) => queries.transaction((transaction) => applyQuotaWork(work, createLedger(transaction, tables))),
  }
}
