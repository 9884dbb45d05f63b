import type { Database } from '../../db/database.ts'
import type { Queries } from '../../db/queries.ts'
import { databaseNow } from '../nodes/database-time.ts'

/**
 * Runs work in a transaction while no other server runs work of the same name: the lock is that of a row. It ends with
 * the transaction, also that of a server that was killed.
 *
 * @param holder who took the lock last, for people who look
 */
export function runExclusively<T>(
  { queries, dialect }: Pick<Database, 'queries' | 'dialect'>,
  { name, holder }: { readonly name: string; readonly holder: string },
  work: (inside: Queries) => Promise<T>,
): Promise<T> {
  const held = { value: holder, updatedAt: databaseNow(dialect) }
  return queries.transaction(async (inside) => {
    await inside.change((db, { instance }) =>
      db
        .insert(instance)
        .values({ key: name, ...held })
        .onConflictDoUpdate({ target: instance.key, set: held }),
    )
    return work(inside)
  })
}
