import type { ConfigStore } from '../../catalog/folder-store.ts'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { removeSnapshot } from './snapshot-folder.ts'

/** Keys of the snapshots that a model file names. */
export function listSnapshots(model: Pick<ModelConfig, 'artifacts'> | undefined): readonly string[] {
  return (model?.artifacts ?? []).flatMap(({ resolved }) => {
    const key = resolved?.cacheKey ?? ''
    return /^[0-9a-f]{64}$/.test(key) ? [key] : []
  })
}

/** Removes the given snapshots that models no longer name. @throws {SvcError} `file_failed` */
export async function removeUnusedSnapshots(
  keys: readonly string[],
  { modelsPath, modelFiles }: { readonly modelsPath: string; readonly modelFiles: Pick<ConfigStore, 'list'> },
): Promise<void> {
  if (keys.length === 0) return
  const used = new Set(modelFiles.list({ includeReferenced: true }).flatMap(listSnapshots))
  for (const key of keys) if (!used.has(key)) await removeSnapshot(modelsPath, key)
}
