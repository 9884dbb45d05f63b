import { rm } from 'node:fs/promises'
import type { Clock, Logger } from '../ports.ts'

/** Folders of backends that were replaced. Processes that were started from them may still read their files. */
export interface OldCopies {
  /** Takes over a folder. */
  add(folder: string): void
  /** Removes the copies taken over so far, once nothing uses them any more, or after a minute. */
  release(isInUse: () => boolean): void
  /** Stops waiting. The next start removes the rest. */
  close(): Promise<void>
}

const LOOK_MS = 500
const MAX_WAIT_MS = 60_000

/** Nothing is taken over yet. */
export function createOldCopies({ clock, logger }: { readonly clock: Clock; readonly logger: Logger }): OldCopies {
  const waiting = new Set<string>()
  const removing = new Set<Promise<void>>()
  const closing = new AbortController()

  async function removeLater(folders: readonly string[], isInUse: () => boolean): Promise<void> {
    const until = clock.monotonic() + MAX_WAIT_MS
    try {
      do await clock.sleep(LOOK_MS, { signal: closing.signal })
      while (isInUse() && clock.monotonic() < until)
      for (const folder of folders) await rm(folder, { recursive: true, force: true })
    } catch (error) {
      if (!closing.signal.aborted) logger.warn({ err: error }, 'the old copy of a backend could not be removed')
    }
  }

  return {
    add: (folder) => void waiting.add(folder),
    release(isInUse) {
      const folders = [...waiting]
      waiting.clear()
      if (folders.length === 0) return
      const removal = removeLater(folders, isInUse).finally(() => removing.delete(removal))
      removing.add(removal)
    },
    async close() {
      closing.abort()
      await Promise.all(removing)
    },
  }
}
