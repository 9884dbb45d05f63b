import { type FileHandle, mkdir, open, rename, stat, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { SvcError } from '@svc/errors'
import { and, asc, eq, gt, inArray, notInArray, sql } from 'drizzle-orm'
import type { Database } from '../../db/database.ts'
import type { Tables } from '../../db/schema.ts'
import { toFileError } from '../../files/file-error.ts'
import { createTemporaryPath, removeStaleTemporaries } from '../../files/temporary-files.ts'
import type { Clock } from '../../ports.ts'
import type { SharedBytes } from '../../stored-files/shared-bytes.ts'

/** The largest file whose bytes are shared. */
const MAX_SHARED_BYTES = 64 * 1024 * 1024
const PIECE_BYTES = 256 * 1024
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
const BATCH = 200

const toGeneratedName = ({ kind, name }: Tables['generatedFiles']) =>
  sql<string>`'generated/' || ${kind} || '/' || ${name}`

/** Removes bytes whose file is gone: a server was killed while it removed them. Bytes always come after their row. */
export async function removeLostBytes({ queries }: Pick<Database, 'queries'>): Promise<void> {
  await queries.change((db, { filePieces: pieces, storedFiles, generatedFiles }) => {
    const generated = toGeneratedName(generatedFiles)
    return db
      .delete(pieces)
      .where(
        and(
          notInArray(pieces.file, db.select({ id: storedFiles.id }).from(storedFiles)),
          notInArray(pieces.file, db.select({ name: generated }).from(generatedFiles)),
        ),
      )
  })
}

/** The bytes of files in the database. */
export interface DatabaseBytes extends SharedBytes {
  /** Larger files are not shared. */
  readonly maxBytes: number
  /** Makes the folder of a file, and removes what a killed server has left in it. @throws the system's error */
  prepareFolder(path: string): Promise<void>
}

/** Names of those files that have a row. */
export async function findNamedBytes(
  { queries }: Pick<Database, 'queries'>,
  files: readonly string[],
): Promise<ReadonlySet<string>> {
  const [stored, made] = await Promise.all([
    queries.rows((db, { storedFiles }) =>
      db
        .select({ file: storedFiles.id })
        .from(storedFiles)
        .where(inArray(storedFiles.id, [...files])),
    ),
    queries.rows((db, { generatedFiles }) => {
      const file = toGeneratedName(generatedFiles)
      return db
        .select({ file })
        .from(generatedFiles)
        .where(inArray(file, [...files]))
    }),
  ])
  return new Set([...stored, ...made].map(({ file }) => file))
}

/** Keeps the bytes of files in the database, in pieces. */
export function createDatabaseBytes(
  { queries }: Pick<Database, 'queries'>,
  { clock, maxBytes = MAX_SHARED_BYTES }: { readonly clock: Pick<Clock, 'now'>; readonly maxBytes?: number },
): DatabaseBytes {
  const cleaned = new Set<string>()

  async function remove(files: readonly string[]): Promise<void> {
    for (let at = 0; at < files.length; at += BATCH) {
      const part = files.slice(at, at + BATCH)
      await queries.change((db, { filePieces: pieces }) => db.delete(pieces).where(inArray(pieces.file, part)))
    }
  }

  async function* read(file: string): AsyncGenerator<Buffer> {
    for (let last = -1; ; ) {
      const [row] = await queries.rows((db, { filePieces: pieces }) =>
        db
          .select()
          .from(pieces)
          .where(and(eq(pieces.file, file), gt(pieces.piece, last)))
          .orderBy(asc(pieces.piece))
          .limit(1),
      )
      // A piece that is missing ends the file: its size tells.
      if (row?.piece !== last + 1) return
      yield Buffer.from(row.content, 'base64')
      last = row.piece
    }
  }

  async function prepareFolder(path: string): Promise<void> {
    const folder = dirname(path)
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
    if (cleaned.has(folder)) return
    cleaned.add(folder)
    await removeStaleTemporaries(folder, { now: clock.now() })
  }

  return {
    maxBytes,
    prepareFolder,
    remove,
    async put(file, path) {
      if ((await stat(path)).size > maxBytes) return
      const opened = await open(path, 'r')
      try {
        await writePieces(opened, (piece, content) =>
          queries.change((db, { filePieces }) => db.insert(filePieces).values({ file, piece, content })),
        )
      } catch (error) {
        await remove([file]).catch(() => undefined)
        throw error
      } finally {
        await opened.close()
      }
    },
    async fetch(file, { path, sizeBytes }) {
      if (sizeBytes > maxBytes) return false
      const temporary = createTemporaryPath(path)
      try {
        await prepareFolder(path)
        const isWhole = (await writeFile(temporary, read(file))) === sizeBytes
        if (isWhole) await rename(temporary, path)
        else await unlink(temporary)
        return isWhole
      } catch (error) {
        await unlink(temporary).catch(() => undefined)
        throw SvcError.is(error) ? error : toFileError(error, 'written', path)
      }
    },
  }
}

async function writePieces(
  file: FileHandle,
  write: (piece: number, content: string) => Promise<unknown>,
): Promise<void> {
  for (let piece = 0; ; piece += 1) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(PIECE_BYTES), 0, PIECE_BYTES, piece * PIECE_BYTES)
    if (bytesRead === 0) return
    await write(piece, buffer.toString('base64', 0, bytesRead))
  }
}

/** @returns the number of bytes */
async function writeFile(path: string, pieces: AsyncIterable<Buffer>): Promise<number> {
  const file = await open(path, 'wx', FILE_MODE)
  let size = 0
  try {
    for await (const piece of pieces) {
      await file.writeFile(piece)
      size += piece.length
    }
    await file.sync()
  } finally {
    await file.close()
  }
  return size
}
