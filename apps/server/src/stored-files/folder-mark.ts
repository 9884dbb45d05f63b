import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { and, eq, inArray } from 'drizzle-orm'
import { readPlace } from '../db/placed-id.ts'
import type { DatabaseQueries } from '../db/queries.ts'
import { readSystemCode, toFileError } from '../files/file-error.ts'
import { writeFileAtomic } from '../files/write-file-atomic.ts'
import type { Clock, Logger } from '../ports.ts'

/** What the ids of stored files begin with; the rest is the name of the file. */
export const FILE_PREFIX = 'file-'
/** Name of the mark in a folder of stored files. */
export const FOLDER_MARK = '.database'

/** Options of {@link createFolderMark}. */
export interface FolderMarkOptions {
  /** The folder of stored files. */
  readonly folder: string
  /** Id of this server. */
  readonly server: string
  readonly queries: DatabaseQueries
  readonly clock: Pick<Clock, 'now'>
  readonly logger: Logger
}

/** Tells whether a folder of stored files belongs to the database alone. */
export interface FolderMark {
  /**
   * Marks a folder that nobody has marked. A folder is of another database when its mark says so, or when it has none and
   * no row names any of its files.
   *
   * @returns whether all of its files are those of the database @throws {SvcError} `disk_full` or `file_failed`, and as queries do
   */
  claim(): Promise<boolean>
  /** Marks a folder as one to which this database adds files beside those of another one. @throws as {@link claim} */
  share(): Promise<void>
}

/** What the mark of a folder says. */
interface Mark {
  /** Id of the database. */
  readonly id: string
  /** Whether other databases have files in the folder too. */
  readonly isShared: boolean
}

const SHARED = 'shared'

const FOREIGN_WARNING =
  'the uploaded files in the folder are of another database and stay as they are: start the server with that database, or move the folder away'
const SHARED_WARNING = 'the folder has uploaded files of several databases: those that no row names stay as they are'

const BATCH = 200
const FOLDER_MODE = 0o700

/** Creates the mark of a folder. The first claim of a foreign folder is logged. */
export function createFolderMark({ folder, server, queries, clock, logger }: FolderMarkOptions): FolderMark {
  const path = join(folder, FOLDER_MARK)
  const key = `stored_files:${server}`
  let hasWarned = false
  let isOwn = false
  let claiming: Promise<boolean> | undefined

  async function readRow(): Promise<string | undefined> {
    const [row] = await queries.rows((db, { instance }) =>
      db.select({ value: instance.value }).from(instance).where(eq(instance.key, key)),
    )
    return row?.value
  }

  async function write(value: string): Promise<void> {
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE }).catch((error: unknown) => {
      throw toFileError(error, 'written', path)
    })
    await writeFileAtomic(path, `${value}\n`, { mode: 0o600 })
  }

  async function take(): Promise<void> {
    const row = { key, value: randomUUID(), updatedAt: clock.now() }
    await queries.change((db, { instance }) => db.insert(instance).values(row).onConflictDoNothing())
    await write((await readRow()) ?? row.value)
  }

  async function claim(): Promise<boolean> {
    const [mark, row] = [await readMark(path), await readRow()]
    if (mark?.isShared === false && mark.id === row) return true
    const names = await listStoredNames(folder)
    if (names.length === 0 || (mark === undefined && (await isAnyKnown(names, { server, queries })))) {
      await take()
      return true
    }
    // Later uploads have rows, and the folder stays what it is.
    if (mark === undefined) await write(randomUUID())
    if (!hasWarned) logger.warn({ folder, files: names.length }, mark?.id === row ? SHARED_WARNING : FOREIGN_WARNING)
    hasWarned = true
    return false
  }

  return {
    async claim() {
      if (isOwn) return true
      // One at a time: a file that another call moves in has no row yet.
      claiming ??= claim().finally(() => {
        claiming = undefined
      })
      isOwn = await claiming
      return isOwn
    },
    async share() {
      const mark = await readMark(path)
      if (mark?.isShared === false) await write(`${mark.id}\n${SHARED}`)
    },
  }
}

/** Lists the names of stored files in a folder. */
export async function listStoredNames(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.filter((name) => readPlace(FILE_PREFIX, `${FILE_PREFIX}${name}`) !== undefined)
}

async function readMark(path: string): Promise<Mark | undefined> {
  try {
    const [id = '', note] = (await readFile(path, 'utf8')).trim().split('\n')
    return { id, isShared: note === SHARED }
  } catch (error) {
    if (readSystemCode(error) === 'ENOENT') return undefined
    throw toFileError(error, 'read', path)
  }
}

async function isAnyKnown(
  names: readonly string[],
  { server, queries }: Pick<FolderMarkOptions, 'server' | 'queries'>,
): Promise<boolean> {
  for (let at = 0; at < names.length; at += BATCH) {
    const ids = names.slice(at, at + BATCH).map((name) => `${FILE_PREFIX}${name}`)
    const known = await queries.rows((db, { storedFiles: files }) =>
      db
        .select({ id: files.id })
        .from(files)
        .where(and(inArray(files.id, ids), eq(files.server, server)))
        .limit(1),
    )
    if (known.length > 0) return true
  }
  return false
}
