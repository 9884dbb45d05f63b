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
  /** Keeps the stores in files or no longer, as a changed setting says. */
  follow(isKept: boolean): Promise<void>
  close(): Promise<void>
}

/** Makes the vector stores of a server. Nothing of them is loaded yet. */
export function createLazyVectorStores({
  config,
  settings,
  clock,
  logger,
}: {
  readonly config: Pick<ServerConfig, 'dataPath'>
  readonly settings: Pick<Settings, 'get'>
  readonly clock: Clock
  readonly logger: Logger
}): LazyVectorStores {
  const { open, opened, settled } = createLazy(async () => {
    const { findStoresFolder, openVectorStores } = await import('../../vector-stores/vector-stores.ts')
    const isKept = settings.get('stores_persist')
    return openVectorStores({ folder: findStoresFolder(config), isKept, clock, logger })
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
