import { join } from 'node:path'
import type { FolderWatch } from './folder-watch.ts'
import { type FileLookup, isSettled } from './found-file.ts'

/** Maximum number of remembered looks. */
const MAX_LOOKS = 64
/** Longest time for which a look counts, for file systems that report no changes. */
const MAX_AGE_MS = 1000

interface Look {
  at: number
  version: number | undefined
  found: FileLookup
}

/** Options of {@link shareLooks}. */
export interface SharedLookOptions {
  /** The folder that paths are relative to. */
  readonly folder: string
  /** Time for which requests share a look at any file, milliseconds. */
  readonly freshMs: number
  /** Reports changes; a look at an entry of the folder then counts until the next change, at most a second. */
  readonly changes?: Pick<FolderWatch, 'version'> | undefined
  /** Monotonic milliseconds. @default performance.now */
  readonly now?: (() => number) | undefined
  /** Milliseconds since the epoch. @default Date.now */
  readonly wallNow?: (() => number) | undefined
}

/** Looks at files that requests share. */
export interface SharedLooks {
  readonly find: (relativePath: string) => FileLookup
  /** Forgets every look. */
  forget(): void
}

/** Shares looks at files between requests, except at files that changed a moment ago: their writer may not be done. */
export function shareLooks(
  look: (relativePath: string) => FileLookup,
  { folder, freshMs, changes, now = () => performance.now(), wallNow = Date.now }: SharedLookOptions,
): SharedLooks {
  const looks = new Map<string, Look>()

  function counts(last: Look, at: number): boolean {
    const age = at - last.at
    if (age < freshMs) return true
    return age < MAX_AGE_MS && last.version !== undefined && last.version === changes?.version
  }

  return {
    forget: () => looks.clear(),
    find(relativePath) {
      const at = now()
      const last = looks.get(relativePath)
      if (last !== undefined && counts(last, at)) return last.found
      // Read before the look: a change in between leads to another look.
      const version = isWatched(relativePath) ? changes?.version : undefined
      const found = look(relativePath)
      if (found?.found === true && !isSettled(found, wallNow())) {
        looks.delete(relativePath)
        return found
      }
      // The target of a link may change without a change of the folder.
      const isLink = found?.found === true && found.path !== join(folder, relativePath)
      if (last === undefined && looks.size >= MAX_LOOKS) looks.clear()
      looks.set(relativePath, { at, version: isLink ? undefined : version, found })
      return found
    },
  }
}

/** Whether a path is an entry of the folder itself: folders below it are not watched. */
function isWatched(relativePath: string): boolean {
  return !/[/\\]/.test(relativePath)
}
