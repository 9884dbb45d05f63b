import { asc, eq } from 'drizzle-orm'
import type { Database } from '../../db/database.ts'
import type { Tables } from '../../db/schema.ts'
import type { Clock } from '../../ports.ts'
import type { Scheduling, SchedulingRules } from '../contract/nodes.ts'
import { noRules } from '../contract/scheduling.ts'
import type { SchedulingDraft } from './scheduling-config.ts'

/** Age of the copy in memory, milliseconds. */
const COPY_MS = 1000

/** The rules of models, and their changes. */
export interface SchedulingStore extends SchedulingRules {
  /** The rules of a model, if it has any. */
  find(model: string): Promise<Scheduling | undefined>
  /** Writes the rules of a model. What was noted of its replicas begins anew. */
  set(draft: SchedulingDraft): Promise<Scheduling>
  /** @returns whether the model had rules */
  remove(model: string): Promise<boolean>
}

type Row = Tables['modelScheduling']['$inferSelect']

function fromRow(row: Row): Scheduling {
  return {
    ...row,
    // The columns hold what `set` wrote.
    nodeSelector: JSON.parse(row.nodeSelector) as Scheduling['nodeSelector'],
    routePolicy: row.routePolicy as Scheduling['routePolicy'],
    spreadAll: row.spreadAll === 1,
    unsatisfiableUntil: row.unsatisfiableUntil ?? undefined,
  }
}

/** Creates the rules of models in a database. */
export function createSchedulingRules({
  database: { queries },
  clock,
}: {
  readonly database: Pick<Database, 'queries'>
  readonly clock: Pick<Clock, 'monotonic'>
}): SchedulingStore {
  let copy: { readonly rules: readonly Scheduling[]; readonly readAt: number } | undefined
  const list = async (): Promise<readonly Scheduling[]> => {
    const now = clock.monotonic()
    if (copy !== undefined && now - copy.readAt < COPY_MS) return copy.rules
    const rows = await queries.rows((db, { modelScheduling: table }) =>
      db.select().from(table).orderBy(asc(table.model)),
    )
    copy = { rules: rows.map(fromRow), readAt: now }
    return copy.rules
  }
  return {
    list,
    get: async (model) => (await list()).find((rules) => rules.model === model) ?? noRules(model),
    async find(model) {
      const [row] = await queries.rows((db, { modelScheduling: table }) =>
        db.select().from(table).where(eq(table.model, model)),
      )
      return row && fromRow(row)
    },
    async set(draft) {
      const row: Row = {
        ...draft,
        nodeSelector: JSON.stringify(draft.nodeSelector),
        spreadAll: draft.spreadAll ? 1 : 0,
        unsatisfiableUntil: null,
        unsatisfiableTicks: 0,
      }
      await queries.change((db, { modelScheduling: table }) =>
        db.insert(table).values(row).onConflictDoUpdate({ target: table.model, set: row }),
      )
      copy = undefined
      return fromRow(row)
    },
    async remove(model) {
      const count = await queries.change((db, { modelScheduling: table }) =>
        db.delete(table).where(eq(table.model, model)),
      )
      copy = undefined
      return count > 0
    },
    async noteOutcome(model, { ticks, restUntil }) {
      await queries.change((db, { modelScheduling: table }) =>
        db
          .update(table)
          .set({ unsatisfiableTicks: ticks, unsatisfiableUntil: restUntil ?? null })
          .where(eq(table.model, model)),
      )
      copy = undefined
    },
  }
}
