import { type FSWatcher, watch } from 'node:fs'

/** Milliseconds between two attempts to watch a folder that cannot be watched. */
const RETRY_MS = 1000

/** Counts the changes of a folder as the system reports them. */
export interface FolderWatch {
  /** Changes so far; undefined while the system reports none, such as without the folder. */
  readonly version: number | undefined
  close(): void
}

/**
 * Watches the entries of one folder, not of folders below it. The watch does not keep the process alive.
 *
 * @param options.now monotonic milliseconds. @default performance.now
 */
export function watchFolder(
  path: string,
  { now = () => performance.now() }: { readonly now?: () => number } = {},
): FolderWatch {
  let watcher: FSWatcher | undefined
  let version = 0
  let retryAt = Number.NEGATIVE_INFINITY
  let isClosed = false

  function stop(): void {
    watcher?.close()
    watcher = undefined
    version += 1
  }

  function arm(): void {
    if (isClosed || now() < retryAt) return
    retryAt = now() + RETRY_MS
    version += 1
    try {
      watcher = watch(path, { persistent: false }, (event, name) => {
        version += 1
        // The folder itself was moved or removed: its name, or none, comes with `rename`.
        if (event === 'rename' && (name === null || path.endsWith(name))) stop()
      })
      watcher.on('error', stop)
    } catch {
      // There is no folder, or it cannot be watched: nobody may then share a look.
    }
  }

  arm()
  return {
    get version() {
      if (watcher === undefined) arm()
      return watcher === undefined ? undefined : version
    },
    close() {
      isClosed = true
      stop()
    },
  }
}
