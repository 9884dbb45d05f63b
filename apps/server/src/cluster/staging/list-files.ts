import { readdir } from 'node:fs/promises'
import { posix } from 'node:path'
import { SvcError } from '@svc/errors'
import { lookAt, type Place, type PlacedFile, type ResolvedFolders } from './places.ts'

const MAX_FILES = 20_000
const MAX_FOLDERS = 5000
/** Hidden entries, and what downloads and workers leave beside files. */
const LEFT_OUT = /^\.|\.partial(\.json)?$|\.sha256(\.target)?$|\.lock$/

/** Lists the file at a place, or all files below a folder there. Symbolic links out of the folders are left out. */
export async function listFiles(
  start: Place,
  folders: ResolvedFolders,
  signal: AbortSignal,
): Promise<readonly PlacedFile[]> {
  const files: PlacedFile[] = []
  const seen = new Set<string>()
  const waiting = [start]
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    signal.throwIfAborted()
    const found = await lookAt(place, folders)
    if (found === undefined) continue
    if (found.kind === 'file') files.push({ ...place, realPath: found.realPath, sizeBytes: found.sizeBytes })
    else if (!seen.has(found.realPath)) {
      seen.add(found.realPath)
      waiting.push(...(await listInside(place, found.realPath)))
    }
    if (files.length + waiting.length > MAX_FILES || seen.size > MAX_FOLDERS) throw tooMany(start)
  }
  return files
}

/** Names of the entries of a folder that may be sent. */
export async function listNames(folder: string): Promise<readonly string[]> {
  // A folder that cannot be read holds nothing that could be sent.
  const names = await readdir(folder).catch(() => [])
  return names.filter((name) => !LEFT_OUT.test(name))
}

async function listInside({ area, inner }: Place, realPath: string): Promise<Place[]> {
  const names = await listNames(realPath)
  return names.map((name) => ({ area, inner: posix.join(inner, name) }))
}

function tooMany({ inner }: Place): SvcError {
  return new SvcError('unprocessable', `the folder "${inner}" has more files than are sent to a worker`, {
    code: 'staging_too_many_files',
  })
}
