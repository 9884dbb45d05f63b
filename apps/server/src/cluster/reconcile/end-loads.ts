import { and, eq, ne, sql } from 'drizzle-orm'
import type { Database } from '../../db/database.ts'
import { databaseNow } from '../nodes/database-time.ts'

/** Time for which it is told that a load was ended, milliseconds. */
const TELL_MS = 15_000

/**
 * Takes the loads of a model from their servers, which end them.
 *
 * @param options.except loads of this configuration go on. @default none
 * @returns how many
 */
export async function endLoads(
  { queries, dialect }: Pick<Database, 'queries' | 'dialect'>,
  model: string,
  { error, except }: { readonly error: string; readonly except?: string | undefined },
): Promise<number> {
  return queries.change((db, { modelLoadJobs: jobs }) =>
    db
      .update(jobs)
      .set({ state: 'failed', owner: null, error, endsAt: sql`${databaseNow(dialect)} + ${TELL_MS}` })
      .where(
        and(
          eq(jobs.model, model),
          ne(jobs.state, 'failed'),
          except === undefined ? undefined : ne(jobs.configRevision, except),
        ),
      ),
  )
}
