import { type FSWatcher, watch } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { Clock } from '../ports.ts'

/** A running watch. */
export interface FileWatch extends AsyncDisposable {
  /** Stops; no call of the listener begins after it resolves. */
  close(): Promise<void>
}

/** Options of a watch. */
export interface WatchOptions {
  readonly clock: Clock
  /** Changes closer together than this count as one. @default 100 */
  readonly debounceMs?: number | undefined
  /** Interval of additional comparisons, for file systems without events; 0 = never. @default 0 */
  readonly pollIntervalMs?: number | undefined
}

/** Interval at which the watch checks that its folder is still the same. */
const CARE_MS = 5000

async function readIdentity(path: string): Promise<string> {
  try {
    const found = await stat(path, { bigint: true })
    return `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`
  } catch {
    return 'absent'
  }
}

async function readFolderIdentity(path: string): Promise<string> {
  try {
    const found = await stat(path, { bigint: true })
    return `${found.dev}:${found.ino}`
  } catch {
    return 'absent'
  }
}

/**
 * Calls a listener when a file may have changed: written, replaced by a rename, created or removed, or when a link on
 * its path points elsewhere. The folder is watched and not the file, so that replacing the file does not end the watch.
 * A folder that is missing, removed or replaced is looked for every 5 seconds, and the file is compared meanwhile.
 *
 * The watch is active when this resolves: content that is read later is never older than the first call.
 *
 * @param listener called when the file should be read again; its content may be unchanged
 */
export async function watchFile(path: string, listener: () => void, options: WatchOptions): Promise<FileWatch> {
  const watched = new WatchedFile(path, listener, options)
  await watched.start()
  const close = (): Promise<void> => watched.close()
  return { close, [Symbol.asyncDispose]: close }
}

class WatchedFile {
  readonly #path: string
  readonly #listener: () => void
  readonly #clock: Clock
  readonly #debounceMs: number
  readonly #pollIntervalMs: number
  readonly #stopped = new AbortController()
  #watcher: FSWatcher | undefined
  #folder = 'absent'
  #last = 'absent'
  #pending: 'none' | 'compare' | 'tell' = 'none'
  #settling: Promise<void> | undefined
  #caring: Promise<void> = Promise.resolve()

  constructor(path: string, listener: () => void, { clock, debounceMs = 100, pollIntervalMs = 0 }: WatchOptions) {
    this.#path = path
    this.#listener = listener
    this.#clock = clock
    this.#debounceMs = debounceMs
    this.#pollIntervalMs = pollIntervalMs
  }

  async start(): Promise<void> {
    await this.#arm()
    this.#last = await readIdentity(this.#path)
    this.#caring = this.#care()
  }

  async close(): Promise<void> {
    this.#stopped.abort()
    this.#watcher?.close()
    await this.#caring
    await this.#settling
  }

  /** Watches the folder. Without a folder, or when the system has no watch left, comparisons replace it. */
  async #arm(): Promise<void> {
    this.#watcher?.close()
    this.#watcher = undefined
    this.#folder = await readFolderIdentity(dirname(this.#path))
    if (this.#folder === 'absent' || this.#stopped.signal.aborted) return
    try {
      const watcher = watch(dirname(this.#path), { persistent: false }, (_event, name) => {
        // another name may be a link on the path of the file, so compare
        this.#poke(name === basename(this.#path) ? 'tell' : 'compare')
      })
      watcher.on('error', () => {
        watcher.close()
        if (this.#watcher === watcher) this.#watcher = undefined
      })
      this.#watcher = watcher
    } catch {
      // no watch available: #care compares instead
    }
  }

  #poke(what: 'compare' | 'tell'): void {
    if (this.#stopped.signal.aborted) return
    if (this.#pending !== 'tell') this.#pending = what
    this.#settling ??= this.#settle().finally(() => {
      this.#settling = undefined
    })
  }

  async #settle(): Promise<void> {
    while (this.#pending !== 'none') {
      await this.#pause(this.#debounceMs)
      if (this.#stopped.signal.aborted) return
      const mustTell = this.#pending === 'tell'
      this.#pending = 'none'
      await this.#compare(mustTell)
    }
  }

  async #compare(mustTell: boolean): Promise<void> {
    const now = await readIdentity(this.#path)
    const isChanged = now !== this.#last
    this.#last = now
    if ((isChanged || mustTell) && !this.#stopped.signal.aborted) this.#listener()
  }

  async #care(): Promise<void> {
    for (;;) {
      await this.#pause(this.#pollIntervalMs > 0 ? this.#pollIntervalMs : CARE_MS)
      if (this.#stopped.signal.aborted) return
      const isArmed = this.#watcher !== undefined && (await readFolderIdentity(dirname(this.#path))) === this.#folder
      if (!isArmed) await this.#arm()
      if (!isArmed || this.#pollIntervalMs > 0) await this.#compare(false)
    }
  }

  async #pause(ms: number): Promise<void> {
    await this.#clock.sleep(ms, { signal: this.#stopped.signal }).catch(() => {
      // closed: the caller checks the signal
    })
  }
}
