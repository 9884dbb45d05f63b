import type { DatabaseQueries } from '../db/queries.ts'
import type { InnerCaller } from '../inference/core/inner-context.ts'
import type { Clock, Logger } from '../ports.ts'
import type { SharedBytes } from '../stored-files/shared-bytes.ts'
import type { StoredFiles } from '../stored-files/stored-file.ts'
import { createStoredFiles } from '../stored-files/stored-files.ts'
import { createDocumentFiles, type DocumentFiles } from './document-files.ts'
import type { DocumentStore } from './document-store.ts'
import { createDocumentStores, type DocumentStores } from './document-stores.ts'
import type { TextEmbedder } from './embed-texts.ts'
import type { IndexFileParts } from './index-file.ts'
import { createIndexer, type Indexer } from './indexer.ts'
import { createLoadedStores } from './loaded-stores.ts'
import { findLostOwners } from './lost-owners.ts'
import { createDocumentReader } from './reader/read-in-process.ts'
import { removeFilesInParts, removeFromAllStores } from './removal.ts'
import { removeOwner } from './remove-owner.ts'
import { type DocumentHit, type DocumentSearch, searchDocuments } from './search-documents.ts'

/** Uploaded files, and stores in which their texts are found. */
export interface Documents {
  readonly uploads: StoredFiles
  readonly stores: DocumentStores
  readonly files: DocumentFiles
  readonly indexer: Pick<Indexer, 'wake' | 'stop'>
  /**
   * Searches stores for the caller, who may read them.
   *
   * @throws {SvcError} every refusal of an inference request
   */
  search(
    stores: readonly DocumentStore[],
    search: DocumentSearch,
    options: { readonly caller: InnerCaller; readonly signal: AbortSignal },
  ): Promise<readonly DocumentHit[]>
  /** Removes a store with everything in it. */
  removeStore(store: DocumentStore): Promise<void>
  /** Removes all files and stores of an owner. */
  removeOwner(id: string): Promise<void>
  /** Removes what has expired, and what accounts have left that are gone. */
  trim(): Promise<void>
  /** Ends all work. Files under way are indexed anew by the next start. */
  close(): Promise<void>
}

/** Options of {@link openDocuments}. */
export interface DocumentsOptions {
  /** The folder of the uploaded files. */
  readonly folder: string
  /** Id of this server. */
  readonly server: string
  readonly queries: DatabaseQueries
  /** Bytes of all files of one owner; 0 = no limit. */
  readonly maxOwnerBytes: number
  /** Files of one owner. @default 100,000 */
  readonly maxOwnerFiles?: number | undefined
  /** Gives the bytes to other front ends, and those of others to this one. @default each server has its own */
  readonly bytes?: SharedBytes | undefined
  readonly embedder: TextEmbedder
  readonly findCaller: IndexFileParts['findCaller']
  readonly clock: Clock
  readonly logger: Logger
}

const TRIM_EVERY_MS = 3_600_000
/** Time within which the row of an upload follows its bytes. */
const UPLOAD_MS = 600_000
const ADMIN = { id: '', isAdmin: true }

/** Opens the documents: removes what a killed server has left, and goes on with its work. */
export async function openDocuments(options: DocumentsOptions): Promise<Documents> {
  const { queries, embedder, findCaller, server, clock, logger } = options
  const loaded = createLoadedStores(queries)
  const stores = createDocumentStores({ queries, clock })
  const files = createDocumentFiles({ queries, clock })
  const uploads = createStoredFiles({
    ...options,
    database: options,
    async detach(ids) {
      const removed = await removeFromAllStores(queries, ids, clock.now())
      for (const { storeId, id } of removed) indexer.stop(storeId, id)
    },
  })
  const reader = createDocumentReader()
  const { read: readBinary } = reader
  const indexer = createIndexer({ queries, files: uploads, embedder, readBinary, findCaller, server, clock, logger })

  async function removeStore({ id }: DocumentStore): Promise<void> {
    await removeFilesInParts(queries, id, { now: clock.now() })
    await stores.remove(id, ADMIN)
    indexer.stop(id)
    loaded.drop(id)
  }

  async function trim(): Promise<void> {
    for (const owner of await findLostOwners(queries)) await removeOwner(owner, { uploads, stores, removeStore })
    await uploads.trim()
    await uploads.sweep(UPLOAD_MS)
    for (const id of await stores.trim()) {
      indexer.stop(id)
      loaded.drop(id)
    }
  }
  const trimmer = setInterval(() => {
    trim().catch((err: unknown) => logger.warn({ err }, 'expired files could not be removed'))
  }, TRIM_EVERY_MS).unref()

  for (const clean of [uploads.sweep, trim]) {
    await clean().catch((err: unknown) => logger.warn({ err }, 'files that are left could not be removed'))
  }
  indexer.wake()
  return {
    uploads,
    stores,
    files,
    indexer,
    search: (chosen, search, call) => searchDocuments(chosen, search, call, { queries, loaded, embedder }),
    removeStore,
    removeOwner: (id) => removeOwner(id, { uploads, stores, removeStore }),
    trim,
    async close() {
      clearInterval(trimmer)
      await indexer.close()
      await reader.close()
    },
  }
}
