import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { keepCopy } from '../files/keep-copy.ts'
import { makeFileFolder } from '../files/make-folder.ts'
import { type JsonFile, readJsonFile } from '../files/read-json-file.ts'
import { type FileWatch, watchFile } from '../files/watch-file.ts'
import { writeFileAtomic } from '../files/write-file-atomic.ts'
import type { Clock, Logger } from '../ports.ts'

/** Keeps the files of the settings by name: in a folder, or elsewhere for several servers. */
export interface SettingsFiles {
  /** The name of the place, for messages. */
  readonly place: string
  /** Prepares the place. A read reports a missing folder. @throws {SvcError} `unavailable` when a database is away */
  open(): Promise<void>
  /** Reads a file. A problem is a value. A place that several servers write gives the version. */
  read(name: string): Promise<JsonFile & { readonly version?: number | undefined }>
  /** Whether the place can be reached. One that is away takes no content with it. */
  isPresent(): Promise<boolean>
  /** Calls the listener after each change of a file. */
  watch(name: string, onChange: () => void): Promise<FileWatch>
  /**
   * Replaces a file durably.
   *
   * @param over the version that was read; undefined where the place has no versions
   * @returns false when another server has written the file since then: nothing is written
   * @throws {SvcError} `insufficient_storage`, `unavailable` or `internal`
   */
  write(name: string, text: string, over: number | undefined): Promise<boolean>
  /** Keeps the content of a file under another name. Returns that name; undefined without a file. */
  keepCopy(name: string): Promise<string | undefined>
}

/** Options of {@link createSettingsFolder}. */
export interface SettingsFolderOptions {
  readonly folder: string
  /** Interval of comparisons for file systems without events; 0 = never. */
  readonly pollIntervalMs: number
  readonly clock: Clock
  readonly logger: Logger
}

/** Creates the files of the configuration folder. */
export function createSettingsFolder({ folder, pollIntervalMs, clock, logger }: SettingsFolderOptions): SettingsFiles {
  return {
    place: folder,
    async open() {
      await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
        logger.warn({ err: error, folder }, 'configuration folder cannot be made')
      })
    },
    read: (name) => readJsonFile(join(folder, name)),
    isPresent: () =>
      stat(folder).then(
        () => true,
        () => false,
      ),
    watch: (name, onChange) => watchFile(join(folder, name), onChange, { clock, pollIntervalMs }),
    async write(name, text) {
      await makeFileFolder(folder, 0o700)
      await writeFileAtomic(join(folder, name), text, { mode: 0o600 })
      return true
    },
    keepCopy: (name) => keepCopy(join(folder, name), { word: 'corrupt', now: clock.now() }),
  }
}
