import { and, count, eq, inArray, lt } from 'drizzle-orm'
import type { KeepValues, WantedValues } from '../usage/labels.ts'
import { raiseFact } from './facts.ts'
import type { Queries } from './queries.ts'
import type { AuthTables } from './tables.ts'

async function findKept(
  queries: Queries,
  { usageLabels }: AuthTables,
  { day, label, values }: WantedValues,
): Promise<ReadonlySet<string>> {
  const isOfLabel = and(eq(usageLabels.day, day), eq(usageLabels.label, label), inArray(usageLabels.value, [...values]))
  const rows = await queries.rows((db) => db.select({ value: usageLabels.value }).from(usageLabels).where(isOfLabel))
  return new Set(rows.map(({ value }) => value))
}

async function countKept(queries: Queries, { usageLabels }: AuthTables, { day, label }: WantedValues): Promise<number> {
  const [row] = await queries.rows((db) =>
    db
      .select({ values: count() })
      .from(usageLabels)
      .where(and(eq(usageLabels.day, day), eq(usageLabels.label, label))),
  )
  return Number(row?.values ?? 0)
}

/**
 * Keeps values of labels inside a transaction. New values wait for those of other processes, so that a day never keeps
 * more than it may; a day that is full waits for nobody.
 */
export function createKeepValues(queries: Queries, tables: AuthTables): KeepValues {
  let isLocked = false
  return async (wanted) => {
    const { day, label, values, max } = wanted
    const known = await findKept(queries, tables, wanted)
    if (known.size === values.size || (await countKept(queries, tables, wanted)) >= max) return known
    if (!isLocked) await raiseFact(queries, tables, 'usage_labels')
    isLocked = true
    const kept = await findKept(queries, tables, wanted)
    const room = Math.max(0, max - (await countKept(queries, tables, wanted)))
    const added = [...values].filter((value) => !kept.has(value)).slice(0, room)
    if (added.length === 0) return kept
    const rows = added.map((value) => ({ day, label, value }))
    await queries.change((db) => db.insert(tables.usageLabels).values(rows).onConflictDoNothing())
    return new Set([...kept, ...added])
  }
}

/** Forgets the values of old days. */
export async function removeOldLabels(queries: Queries, { usageLabels }: AuthTables, before: number): Promise<number> {
  return queries.change((db) => db.delete(usageLabels).where(lt(usageLabels.day, before)))
}
