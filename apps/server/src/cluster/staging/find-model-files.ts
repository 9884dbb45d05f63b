import type { PartialMessage } from '@svc/backend-client'
import type { ModelOptions } from '@svc/backend-client/proto'
import { listFiles } from './list-files.ts'
import { listNamedPaths } from './named-paths.ts'
import { findNeighbours } from './neighbours.ts'
import { lookAt, type Place, type PlacedFile, type SentFolders, toPlace } from './places.ts'

/** Lists every file that a load request needs below the models folder and the data folder, each once. */
export async function findModelFiles(
  request: PartialMessage<ModelOptions>,
  { folders, signal }: { readonly folders: SentFolders; readonly signal: AbortSignal },
): Promise<readonly PlacedFile[]> {
  const files = new Map<string, PlacedFile>()
  for (const { path, isWeights } of listNamedPaths(request, folders.models)) {
    const place = toPlace(path, folders)
    if (place === undefined) continue
    for (const each of [place, ...(isWeights ? await findBeside(place, folders) : [])]) {
      for (const file of await listFiles(each, folders, signal)) files.set(`${file.area}/${file.inner}`, file)
    }
  }
  return [...files.values()]
}

async function findBeside(place: Place, folders: SentFolders): Promise<readonly Place[]> {
  const found = await lookAt(place, folders)
  return found?.kind === 'file' ? await findNeighbours(place, folders) : []
}
