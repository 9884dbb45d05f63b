import type { Stats } from 'node:fs'
import { lstat, readdir, realpath } from 'node:fs/promises'
import { join, posix, relative, sep } from 'node:path'
import { SvcError } from '@svc/errors'

/** A regular file below a folder. */
export interface WalkedFile {
  /** Relative to the folder, with `/` between its parts. */
  readonly path: string
  readonly sizeBytes: number
  readonly modifiedAt: number
  /** Time of the last change of content, owner, rights or links, milliseconds since the epoch. */
  readonly changedAt: number
  /** Changes with the file. */
  readonly signature: string
}

/** Everything below a folder. Links are not followed. */
export interface WalkedFolder {
  /** The real path of the folder. */
  readonly root: string
  readonly files: readonly WalkedFile[]
  /** Files and folders inside that a symbolic link leads to, with the place of the link. */
  readonly links: readonly { readonly from: string; readonly to: string }[]
}

const MAX_ENTRIES = 200_000

/** Lists a folder that may not exist. @throws {SvcError} `conflict` (`folder_too_large`); the signal's reason */
export async function walkFolder(folder: string, { signal }: { readonly signal: AbortSignal }): Promise<WalkedFolder> {
  const root = await realpath(folder).catch(() => folder)
  const files: WalkedFile[] = []
  const links: { from: string; to: string }[] = []
  const folders = ['']
  let entries = 0
  for (let path = folders.pop(); path !== undefined; path = folders.pop()) {
    signal.throwIfAborted()
    // A folder that cannot be read holds nothing that could be deleted.
    for (const entry of await readdir(join(root, path), { withFileTypes: true }).catch(() => [])) {
      entries += 1
      if (entries > MAX_ENTRIES) throw tooLarge()
      const at = posix.join(path, entry.name)
      if (entry.isDirectory()) folders.push(at)
      else if (entry.isFile()) files.push(...(await readFacts(root, at)))
      else if (entry.isSymbolicLink()) {
        const to = await findInside(root, at)
        if (to !== undefined) links.push({ from: at, to })
      }
    }
  }
  return { root, files, links }
}

async function readFacts(root: string, path: string): Promise<readonly WalkedFile[]> {
  const stats = await lstat(join(root, path)).catch(() => undefined)
  if (stats?.isFile() !== true) return []
  const { size, mtimeMs, ctimeMs } = stats
  return [{ path, sizeBytes: size, modifiedAt: mtimeMs, changedAt: ctimeMs, signature: signStats(stats) }]
}

/** A text that changes with a file. */
export function signStats({ dev, ino, size, mtimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs].join(':')
}

/** The place inside the folder that a link leads to. */
async function findInside(root: string, path: string): Promise<string | undefined> {
  const real = await realpath(join(root, path)).catch(() => undefined)
  return real === undefined ? undefined : toInside(root, real)
}

/** A path relative to a folder, with `/`; undefined for the folder itself and for places outside. */
export function toInside(folder: string, path: string): string | undefined {
  const inside = relative(folder, path)
  return inside === '' || inside === '..' || inside.startsWith(`..${sep}`) ? undefined : inside.split(sep).join('/')
}

function tooLarge(): SvcError {
  return new SvcError('conflict', `the models folder has more than ${MAX_ENTRIES} entries`, {
    code: 'folder_too_large',
  })
}
