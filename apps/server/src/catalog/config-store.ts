import { parseModelFile } from './config-file.ts'
import { type ConfigStore, createFolderStore, type FolderStoreOptions } from './folder-store.ts'

/** What {@link createConfigStore} needs. */
export type ConfigStoreOptions = Omit<FolderStoreOptions, 'parseFile'>

/** A store that reads model files by itself. It has looked at nothing yet; the first call looks. */
export function createConfigStore(options: ConfigStoreOptions): ConfigStore {
  return createFolderStore({ ...options, parseFile: parseModelFile })
}
