import { readdir } from 'node:fs/promises'
import { createLazy } from '../../concurrency/lazy.ts'
import { repeat } from '../../concurrency/repeat.ts'
import type { ServerConfig } from '../../config/schema.ts'
import type { Database } from '../../db/database.ts'
import type { Documents } from '../../document-stores/documents.ts'
import { findUploadsFolder } from '../../document-stores/uploads-folder.ts'
import type { RequestCore } from '../../inference/core/pipeline.ts'
import type { Clock, Logger } from '../../ports.ts'
import type { SharedBytes } from '../../stored-files/shared-bytes.ts'
import type { AccountModule } from '../open-accounts.ts'

/** Uploaded files and their stores. The first use loads their code. */
export interface LazyDocuments {
  open(): Promise<Documents>
  /** Opens them if an earlier run has left files or work. */
  resume(): Promise<void>
  /** Removes all files and stores of an owner. */
  removeOwner(id: string): Promise<void>
  close(): Promise<void>
}

/** Parts of {@link createLazyDocuments}. */
export interface LazyDocumentsParts {
  readonly config: Pick<ServerConfig, 'dataPath' | 'uploadedFilesLimitBytes'>
  /** Id of this server. */
  readonly server: string
  readonly database: Pick<Database, 'queries' | 'dialect'>
  /** Gives the bytes to other front ends. @default each server has its own */
  readonly bytes?: SharedBytes | undefined
  readonly core: RequestCore
  readonly accounts: Pick<AccountModule, 'isInUse' | 'hasSharedKeys' | 'stores'>
  readonly clock: Clock
  readonly logger: Logger
}

/** Interval of looks at files of front ends that are gone. */
const ADOPT_MS = 15_000

/** Makes the documents of a server. Nothing of them is loaded yet. */
export function createLazyDocuments({
  config,
  server,
  database,
  bytes,
  core,
  accounts,
  clock,
  logger,
}: LazyDocumentsParts): LazyDocuments {
  const folder = findUploadsFolder(config)
  const { open, settled } = createLazy(async () => {
    const { openDocuments } = await import('../../document-stores/documents.ts')
    const { createTextEmbedder } = await import('../../document-stores/embed-texts.ts')
    const { createCallerFinder } = await import('../../document-stores/find-caller.ts')
    return openDocuments({
      folder,
      server,
      queries: database.queries,
      bytes,
      maxOwnerBytes: config.uploadedFilesLimitBytes,
      embedder: createTextEmbedder(core),
      findCaller: createCallerFinder({ ...accounts, hasAccounts: accounts.isInUse, clock, logger }),
      clock,
      logger,
    })
  })
  const closed = new AbortController()
  let adopting: Promise<void> | undefined
  let isFailing = false

  /** Goes on with the files of front ends that are gone. */
  async function adopt(): Promise<void> {
    try {
      const { adoptFiles } = await import('../../document-stores/adopt-files.ts')
      if ((await adoptFiles({ database, server })) > 0) (await open()).indexer.wake()
      isFailing = false
    } catch (error) {
      if (!isFailing) logger.warn({ err: error }, 'files of servers that are gone could not be taken over')
      isFailing = true
    }
  }

  return {
    open,
    async resume() {
      if (bytes !== undefined) adopting ??= repeat(ADOPT_MS, adopt, { clock, signal: closed.signal })
      const names = await readdir(folder).catch(() => [])
      const holdsFiles = names.some((name) => !name.startsWith('.'))
      if (holdsFiles || (await database.queries.holdsRows('document_stores'))) await open()
    },
    removeOwner: async (id) => (await open()).removeOwner(id),
    async close() {
      closed.abort()
      await adopting
      await (await settled())?.close()
    },
  }
}
