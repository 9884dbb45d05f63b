import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import { relativeInside } from '../../files/relative-inside.ts'

/** Folders of the server whose files may be sent to workers. */
export interface SentFolders {
  readonly models: string
  readonly data: string
}

/** The folders with their paths without symbolic links. */
export interface ResolvedFolders extends SentFolders {
  readonly roots: readonly string[]
}

/** Resolves the folders once for many looks. */
export async function resolveFolders(folders: SentFolders): Promise<ResolvedFolders> {
  const roots = await Promise.all([folders.models, folders.data].map((each) => realpath(each).catch(() => each)))
  return { ...folders, roots }
}

/** A path below one of the folders. */
export interface Place {
  readonly area: keyof SentFolders
  /** Relative to the folder, with `/` between its parts; never empty. */
  readonly inner: string
}

/** A regular file below one of the folders. */
export interface PlacedFile extends Place {
  /** Without symbolic links. */
  readonly realPath: string
  readonly sizeBytes: number
}

/** The place of an absolute path; undefined for a folder itself and for a path outside of both. */
export function toPlace(path: string, folders: SentFolders): Place | undefined {
  if (!isAbsolute(path) || path.includes('\0')) return undefined
  for (const area of ['models', 'data'] as const) {
    const inner = relativeInside(resolve(folders[area]), resolve(path))
    if (inner !== undefined) return { area, inner }
  }
}

/** The absolute path of a place. */
export const toPath = ({ area, inner }: Place, folders: SentFolders): string => join(resolve(folders[area]), inner)

/** What is at a place, links followed; undefined where nothing is, and where a link leads out of the folders. */
export async function lookAt(
  place: Place,
  folders: ResolvedFolders,
): Promise<{ readonly realPath: string; readonly kind: 'file' | 'folder'; readonly sizeBytes: number } | undefined> {
  const realPath = await realpath(toPath(place, folders)).catch(() => undefined)
  if (realPath === undefined) return undefined
  if (!folders.roots.some((root) => relativeInside(root, realPath) !== undefined)) return undefined
  const found = await stat(realPath).catch(() => undefined)
  if (found?.isFile() === true) return { realPath, kind: 'file', sizeBytes: found.size }
  if (found?.isDirectory() === true) return { realPath, kind: 'folder', sizeBytes: 0 }
}
