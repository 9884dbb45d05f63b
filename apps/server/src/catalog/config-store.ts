import { parseModelFile } from './config-file.ts'
import { type ConfigStore, createFolderStore, type FolderStoreOptions } from './folder-store.ts'

/** Options of {@link createConfigStore}. */
export type ConfigStoreOptions = Omit<FolderStoreOptions, 'parseFile'>

/** Creates a store with the parser of model files; its first call looks at the folder. */
export function createConfigStore(options: ConfigStoreOptions): ConfigStore {
  return createFolderStore({ ...options, parseFile: parseModelFile })
}
