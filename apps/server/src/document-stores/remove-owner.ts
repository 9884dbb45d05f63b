import type { ServerConfig } from '../config/schema.ts'
import type { DatabaseQueries } from '../db/queries.ts'
import type { Clock, Logger } from '../ports.ts'
import type { StoredFiles } from '../stored-files/stored-file.ts'
import { createStoredFiles } from '../stored-files/stored-files.ts'
import type { DocumentStore } from './document-store.ts'
import { createDocumentStores, type DocumentStores } from './document-stores.ts'
import { removeFilesInParts, removeFromAllStores } from './removal.ts'
import { findUploadsFolder } from './uploads-folder.ts'

const ADMIN = { id: '', isAdmin: true }
const FIRST_PAGE = { limit: 100, order: 'asc' } as const

/** Removes all files and stores of an owner. */
export async function removeOwner(
  id: string,
  {
    uploads,
    stores,
    removeStore,
  }: {
    readonly uploads: Pick<StoredFiles, 'list' | 'remove'>
    readonly stores: Pick<DocumentStores, 'list'>
    readonly removeStore: (store: DocumentStore) => Promise<void>
  },
): Promise<void> {
  const reader = { id, isAdmin: false }
  for (let isLeft = true; isLeft; ) {
    const { items, hasMore } = await uploads.list(FIRST_PAGE, reader)
    await uploads.remove(items)
    isLeft = hasMore
  }
  for (let isLeft = true; isLeft; ) {
    const { items, hasMore } = await stores.list(FIRST_PAGE, reader)
    for (const store of items) await removeStore(store)
    isLeft = hasMore
  }
}

/**
 * Removes all files and stores of an owner from a database, whether its server runs or not. The bytes of files that
 * another server has are removed by that server.
 */
export async function removeOwnerFrom(
  id: string,
  parts: {
    readonly config: Pick<ServerConfig, 'dataPath'>
    /** Id of the server of the data path. */
    readonly server: string
    readonly queries: DatabaseQueries
    readonly clock: Clock
    readonly logger: Logger
  },
): Promise<void> {
  const { config, queries, clock } = parts
  const stores = createDocumentStores({ queries, clock })
  const uploads = createStoredFiles({
    ...parts,
    folder: findUploadsFolder(config),
    database: { queries },
    maxOwnerBytes: 0,
    detach: async (ids) => {
      await removeFromAllStores(queries, ids, clock.now())
    },
  })
  await removeOwner(id, {
    uploads,
    stores,
    async removeStore({ id: storeId }) {
      await removeFilesInParts(queries, storeId, { now: clock.now() })
      await stores.remove(storeId, ADMIN)
    },
  })
}
