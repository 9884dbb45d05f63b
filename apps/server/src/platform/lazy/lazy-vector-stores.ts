import { createLazy } from '../../concurrency/lazy.ts'
import type { ServerConfig } from '../../config/schema.ts'
import type { Clock, Logger } from '../../ports.ts'
import type { Settings } from '../../settings/settings.ts'
import type { VectorStores } from '../../vector-stores/vector-stores.ts'

/** The vector stores of the server. The first request loads their code, and their entries where they are kept. */
export interface LazyVectorStores {
  open(): Promise<VectorStores>
  /** The stores; undefined before they are opened. */
  opened(): VectorStores | undefined
  /**
   * Keeps the stores in files or no longer, as a changed setting says. Opens them for that: files that no request has
   * read are removed too.
   */
  follow(isKept: boolean): Promise<void>
  close(): Promise<void>
}

/** Makes the vector stores of a server. Nothing of them is loaded yet. */
export function createLazyVectorStores({
  config,
  settings,
  checkAccess,
  clock,
  logger,
}: {
  readonly config: Pick<ServerConfig, 'dataPath'>
  readonly settings: Pick<Settings, 'get'>
  /** Throws where this server no longer holds the data path. */
  readonly checkAccess: () => void
  readonly clock: Clock
  readonly logger: Logger
}): LazyVectorStores {
  const { open, opened, settled } = createLazy(async () => {
    const { findStoresFolder, openVectorStores } = await import('../../vector-stores/vector-stores.ts')
    const isKept = settings.get('stores_persist')
    return openVectorStores({ folder: findStoresFolder(config), isKept, checkAccess, clock, logger })
  })
  return {
    open,
    opened,
    async follow(isKept) {
      await (await open()).keep(isKept)
    },
    async close() {
      await (await settled())?.close()
    },
  }
}
