import type { PartialMessage } from '@svc/backend-client'
import type { ModelOptions } from '@svc/backend-client/proto'
import { listFiles } from './list-files.ts'
import { listNamedPaths } from './named-paths.ts'
import { findNeighbours } from './neighbours.ts'
import {
  lookAt,
  type Place,
  type PlacedFile,
  type ResolvedFolders,
  resolveFolders,
  type SentFolders,
  toPath,
  toPlace,
} from './places.ts'

/** Lists every file that a load request needs below the models folder and the data folder, each once. */
export async function findModelFiles(
  request: PartialMessage<ModelOptions>,
  { folders, signal }: { readonly folders: SentFolders; readonly signal: AbortSignal },
): Promise<readonly PlacedFile[]> {
  const resolved = await resolveFolders(folders)
  const files = new Map<string, PlacedFile>()
  const seen = new Set<string>()
  for (const { path, isWeights } of listNamedPaths(request, folders.models)) {
    const place = toPlace(path, folders)
    if (place === undefined) continue
    for (const each of [place, ...(isWeights ? await findBeside(place, resolved) : [])]) {
      if (seen.has(toPath(each, folders))) continue
      seen.add(toPath(each, folders))
      for (const file of await listFiles(each, resolved, signal)) files.set(`${file.area}/${file.inner}`, file)
    }
  }
  return [...files.values()]
}

async function findBeside(place: Place, folders: ResolvedFolders): Promise<readonly Place[]> {
  const found = await lookAt(place, folders)
  return found?.kind === 'file' ? await findNeighbours(place, folders) : []
}
