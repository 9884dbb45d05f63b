import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { repeat } from '../../concurrency/repeat.ts'
import type { Database } from '../../db/database.ts'
import { parseJsonFile } from '../../files/read-json-file.ts'
import type { FileWatch } from '../../files/watch-file.ts'
import type { Clock, Logger } from '../../ports.ts'
import { SETTINGS_FILE } from '../../settings/settings-file.ts'
import type { SettingsFiles } from '../../settings/settings-files.ts'
import { LOOK_MS } from './follow-folder.ts'
import { createSharedDocuments } from './shared-documents.ts'

/** Options of {@link createSharedSettings}. */
export interface SharedSettingsOptions {
  readonly database: Pick<Database, 'queries' | 'dialect'>
  /** The files of this front end. */
  readonly files: SettingsFiles
  /** The configuration folder of this front end. */
  readonly folder: string
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * The saved settings as one document of all front ends; the other files stay those of this front end. The file of saved
 * settings gives the document at the first start of the cluster, and does not count after that.
 */
export function createSharedSettings({ database, files, folder, clock, logger }: SharedSettingsOptions): SettingsFiles {
  const documents = createSharedDocuments(database, 'setting')
  return {
    place: files.place,
    async open() {
      await files.open()
      await seed()
    },
    read: (name) => (name === SETTINGS_FILE ? readShared() : files.read(name)),
    isPresent: () => files.isPresent(),
    watch: (name, onChange) => (name === SETTINGS_FILE ? watchShared(onChange) : files.watch(name, onChange)),
    async write(name, text, over) {
      if (name !== SETTINGS_FILE) return files.write(name, text, over)
      return (await documents.write(name, text, { over: over ?? 0 })) !== undefined
    },
    async keepCopy(name) {
      if (name !== SETTINGS_FILE) return files.keepCopy(name)
      const found = await documents.read(name)
      if (found === undefined) return undefined
      const copy = `${name}.corrupt`
      await documents.write(copy, found.content)
      return copy
    },
  }

  async function readShared(): ReturnType<SettingsFiles['read']> {
    try {
      const found = await documents.read(SETTINGS_FILE)
      if (found === undefined || found.isDeleted) {
        // A file that could not become the document may hold keys.
        const own = await files.read(SETTINGS_FILE)
        const version = found?.version ?? 0
        return own.state === 'unreadable' ? { ...own, version } : { state: 'absent', version }
      }
      return { ...parseJsonFile(Buffer.from(found.content), SETTINGS_FILE), version: found.version }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      return { state: 'unreadable', problem: { file: SETTINGS_FILE, message: reason } }
    }
  }

  /** Gives the file of this front end to all, when there is no document yet. */
  async function seed(): Promise<void> {
    const own = await files.read(SETTINGS_FILE)
    if (own.state !== 'read') return
    const text = await readFile(join(folder, SETTINGS_FILE), 'utf8')
    if ((await documents.write(SETTINGS_FILE, text, { over: 0 })) !== undefined) {
      logger.info({ file: SETTINGS_FILE }, 'saved settings of this server are those of the cluster now')
    }
  }

  async function watchShared(onChange: () => void): Promise<FileWatch> {
    const closed = new AbortController()
    const watching = repeat(LOOK_MS, onChange, { clock, signal: closed.signal })
    const close = async (): Promise<void> => {
      closed.abort()
      await watching
    }
    return { close, [Symbol.asyncDispose]: close }
  }
}
