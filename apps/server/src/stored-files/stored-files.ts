import { copyFile, lstat, mkdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { and, count, eq, gt, inArray, isNull, lte, or, type SQL, sum } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import { readPage } from '../db/page.ts'
import { createPlacedId, isPlacedId, readPlace } from '../db/placed-id.ts'
import type { Tables } from '../db/schema.ts'
import { readSystemCode, toFileError } from '../files/file-error.ts'
import type { Clock, Logger } from '../ports.ts'
import { fileElsewhere, fileNotFound, filesFull, unknownCursor } from './file-errors.ts'
import { createFolderMark, type FolderMark, listStoredNames, FILE_PREFIX as PREFIX } from './folder-mark.ts'
import type { SharedBytes } from './shared-bytes.ts'
import type { Reader, StoredFile, StoredFiles } from './stored-file.ts'

/** Options of {@link createStoredFiles}. */
export interface StoredFilesOptions {
  /** Made with the first file. The data folder around it is locked. */
  readonly folder: string
  /** Id of this server. */
  readonly server: string
  readonly database: Pick<Database, 'queries'>
  /** Bytes of all files of one owner; 0 = no limit. */
  readonly maxOwnerBytes: number
  /** Files of one owner. @default 100,000 */
  readonly maxOwnerFiles?: number | undefined
  /** Gives the bytes to other front ends, and those of others to this one. @default each server has its own */
  readonly bytes?: SharedBytes | undefined
  /** Removes files from everything that uses them. */
  readonly detach: (ids: readonly string[]) => Promise<void>
  readonly clock: Clock
  readonly logger: Logger
}

type Files = Tables['storedFiles']

const FOLDER_MODE = 0o700
const BATCH = 200
const MAX_FILES = 100_000

const toName = (id: string): string => id.slice(PREFIX.length)

/** Creates the store. The bytes of a row are always there: they come before it and go after it. */
export function createStoredFiles(options: StoredFilesOptions): StoredFiles {
  const { folder, server, database, maxOwnerBytes, maxOwnerFiles = MAX_FILES, bytes, detach, clock, logger } = options
  const { queries } = database
  const mark = createFolderMark({ ...options, queries })

  const isVisible = (files: Files, { id, isAdmin }: Reader): SQL | undefined =>
    and(isAdmin ? undefined : eq(files.owner, id), or(isNull(files.expiresAt), gt(files.expiresAt, clock.now())))

  async function find(id: string, reader: Reader): Promise<StoredFile | undefined> {
    if (!isPlacedId(PREFIX, id)) return undefined
    const [row] = await queries.rows((db, { storedFiles: files }) =>
      db
        .select()
        .from(files)
        .where(and(eq(files.id, id), isVisible(files, reader))),
    )
    return row
  }

  async function remove(files: readonly StoredFile[]): Promise<void> {
    const ids = files.map(({ id }) => id)
    if (ids.length === 0) return
    await detach(ids)
    await queries.change((db, { storedFiles }) => db.delete(storedFiles).where(inArray(storedFiles.id, ids)))
    await bytes?.remove(ids)
    for (const file of files) {
      // Of another server's file there is a copy here at most.
      if (file.server !== server && bytes === undefined) continue
      await rm(join(folder, toName(file.id)), { force: true }).catch((err: unknown) => {
        logger.warn({ err, file: file.id }, 'the bytes of a file could not be removed; the next sweep tries again')
      })
    }
  }

  return {
    find,
    remove,
    async keep(path, { expiresAfterMs, ...facts }) {
      const createdAt = clock.now()
      const id = createPlacedId(PREFIX, createdAt)
      const expiresAt = expiresAfterMs === undefined ? null : createdAt + expiresAfterMs
      const [row, place] = [{ id, server, ...facts, createdAt, expiresAt }, join(folder, toName(id))]
      if (!(await mark.claim())) await mark.share()
      await moveFile(path, place)
      try {
        await insertRow(row, { queries, maxOwnerBytes, maxOwnerFiles })
      } catch (error) {
        await rm(place, { force: true })
        throw error
      }
      try {
        await bytes?.put(id, place)
      } catch (error) {
        await remove([row])
        throw error
      }
      return row
    },
    async list({ purpose, ...query }, reader) {
      const page = await readPage(query, {
        find: async (id) => readPlace(PREFIX, id),
        rows: (part, limit) =>
          queries.rows((db, { storedFiles: files }) => {
            const { where, orderBy } = part(files)
            const isMeant = purpose === undefined ? undefined : eq(files.purpose, purpose)
            return db
              .select()
              .from(files)
              .where(and(isVisible(files, reader), isMeant, where))
              .orderBy(...orderBy)
              .limit(limit)
          }),
      })
      if ('unknown' in page) throw unknownCursor(page.unknown)
      return page
    },
    locate: (file) => locateFile(file, options),
    async trim() {
      for (let isLeft = true; isLeft; ) {
        const old = await queries.rows((db, { storedFiles: files }) =>
          db.select().from(files).where(lte(files.expiresAt, clock.now())).limit(BATCH),
        )
        await remove(old)
        isLeft = old.length === BATCH
      }
    },
    sweep: (leastAgeMs = 0) => sweepFolder(options, mark, leastAgeMs),
  }
}

/** Adds a row, if its owner has room. */
async function insertRow(
  row: StoredFile,
  {
    queries,
    maxOwnerBytes,
    maxOwnerFiles,
  }: Pick<Database, 'queries'> & Pick<StoredFilesOptions, 'maxOwnerBytes'> & { readonly maxOwnerFiles: number },
): Promise<void> {
  await queries.transaction(async (transaction) => {
    const [whole] = await transaction.rows((db, { storedFiles: files }) =>
      db
        .select({ files: count(), bytes: sum(files.sizeBytes).mapWith(Number) })
        .from(files)
        .where(eq(files.owner, row.owner)),
    )
    if (Number(whole?.files ?? 0) >= maxOwnerFiles) throw filesFull(`${maxOwnerFiles}`)
    const bytes = (whole?.bytes ?? 0) + row.sizeBytes
    if (maxOwnerBytes > 0 && bytes > maxOwnerBytes) throw filesFull(`${maxOwnerBytes} bytes together`)
    await transaction.change((db, { storedFiles }) => db.insert(storedFiles).values(row))
  })
}

async function locateFile(
  file: StoredFile,
  { folder, server, bytes }: Pick<StoredFilesOptions, 'folder' | 'server' | 'bytes'>,
): Promise<string> {
  const isElsewhere = file.server !== server
  if (isElsewhere && bytes === undefined) throw fileElsewhere()
  const path = join(folder, toName(file.id))
  const found = await lstat(path).catch(() => undefined)
  if (found?.isFile() === true) return path
  if (found === undefined && (await bytes?.fetch(file.id, { path, sizeBytes: file.sizeBytes })) === true) return path
  throw isElsewhere ? fileElsewhere() : fileNotFound(file.id)
}

/** Removes files that no row names, unless they are of another database. */
async function sweepFolder(
  { folder, database: { queries }, clock, logger }: StoredFilesOptions,
  mark: FolderMark,
  leastAgeMs: number,
): Promise<void> {
  const now = clock.now()
  const isOld = (name: string): boolean =>
    leastAgeMs === 0 || (readPlace(PREFIX, `${PREFIX}${name}`)?.createdAt ?? now) + leastAgeMs <= now
  const names = (await listStoredNames(folder)).filter(isOld)
  if (names.length === 0 || !(await mark.claim())) return
  for (let at = 0; at < names.length; at += BATCH) {
    const part = names.slice(at, at + BATCH)
    const ids = part.map((name) => `${PREFIX}${name}`)
    const known = await queries.rows((db, { storedFiles: files }) =>
      db.select({ id: files.id }).from(files).where(inArray(files.id, ids)),
    )
    const kept = new Set(known.map(({ id }) => toName(id)))
    const left = part.filter((name) => !kept.has(name))
    for (const name of left) await rm(join(folder, name), { force: true })
    if (left.length > 0) logger.info({ files: left.length }, 'removed files of uploads that are no longer there')
  }
}

/** Moves a file, also from another file system. */
async function moveFile(from: string, to: string): Promise<void> {
  try {
    await mkdir(join(to, '..'), { recursive: true, mode: FOLDER_MODE })
    await rename(from, to).catch(async (error: unknown) => {
      if (readSystemCode(error) !== 'EXDEV') throw error
      await copyFile(from, to)
    })
  } catch (error) {
    await rm(to, { force: true }).catch(() => undefined)
    throw toFileError(error, 'written', basename(to))
  }
}
