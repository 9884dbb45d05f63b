import { eq, isNull } from 'drizzle-orm'
import type { DatabaseQueries } from '../db/queries.ts'

/** The form of ids of accounts. Owners of other forms, such as shared keys, never are accounts. */
const ACCOUNT_ID = /^[0-9a-f]{32}$/

/** Finds accounts that are gone and still own files or stores: their deletion was cut off. */
export async function findLostOwners(queries: DatabaseQueries): Promise<readonly string[]> {
  const ofFiles = await queries.rows((db, { storedFiles: files, users }) =>
    db
      .selectDistinct({ owner: files.owner })
      .from(files)
      .leftJoin(users, eq(users.id, files.owner))
      .where(isNull(users.id)),
  )
  const ofStores = await queries.rows((db, { documentStores: stores, users }) =>
    db
      .selectDistinct({ owner: stores.owner })
      .from(stores)
      .leftJoin(users, eq(users.id, stores.owner))
      .where(isNull(users.id)),
  )
  const owners = new Set([...ofFiles, ...ofStores].map(({ owner }) => owner))
  return [...owners].filter((owner) => ACCOUNT_ID.test(owner))
}
