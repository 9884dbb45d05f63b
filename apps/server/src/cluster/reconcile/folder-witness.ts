import { statSync } from 'node:fs'
import type { Clock } from '../../ports.ts'

/** Time until another folder at the same place counts, milliseconds. The shared files have come into it by then. */
const SETTLING_MS = 60_000

/** Tells whether a folder is the one that was there before. */
export interface FolderWitness {
  /** Whether a file that is missing has been removed: false while the folder is away, as after a lost mount. */
  tellsRemovals(): boolean
}

/** Creates the witness of a folder as it is now. */
export function createFolderWitness(folder: string, clock: Pick<Clock, 'monotonic'>): FolderWitness {
  let known = identify(folder)
  let otherSince: number | undefined
  return {
    tellsRemovals() {
      const now = identify(folder)
      if (now === known) {
        otherSince = undefined
        return now !== undefined
      }
      otherSince ??= clock.monotonic()
      if (now === undefined || clock.monotonic() - otherSince < SETTLING_MS) return false
      known = now
      otherSince = undefined
      return true
    },
  }
}

function identify(folder: string): string | undefined {
  const found = statSync(folder, { bigint: true, throwIfNoEntry: false })
  return found?.isDirectory() ? `${found.dev}:${found.ino}:${found.birthtimeMs}` : undefined
}
