import { randomBytes } from 'node:crypto'
import { lstat, mkdir, rename } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { SvcError } from '@svc/errors'
import { and, eq, gt } from 'drizzle-orm'
import { toFileError } from '../files/file-error.ts'
import type { Logger } from '../ports.ts'
import { GENERATED_KINDS, type GeneratedKind, toKind } from './kinds.ts'
import { sweepFiles } from './sweep-files.ts'
import { createFileTrimming, type FileTrimmingParts, toBytesName } from './trim-files.ts'

/** A generated file that exists. */
export interface GeneratedFile {
  /** Absolute. */
  readonly path: string
  readonly mediaType: string
  readonly sizeBytes: number
}

/** The caller that asks for a file. */
export interface FileReader {
  readonly id: string
  /** Whether the caller reads the files of all owners. */
  readonly isAdmin: boolean
}

/** Facts of a file that is kept. */
export interface KeptFile {
  readonly kind: GeneratedKind
  /** Id of the principal that it was made for. */
  readonly owner: string
  readonly mediaType: string
  /** The end of its name, with the dot. @default that of its path */
  readonly extension?: string | undefined
}

/** The store of files that models made. Clients fetch them by unguessable addresses. */
export interface GeneratedFiles {
  /**
   * Moves a finished file into the store.
   *
   * @param path on the file system of the store; its extension stays
   * @returns the end of its address: `generated-images/5f….png`
   * @throws {SvcError} `internal` when it is not a file with content; `insufficient_storage`, also as {@link checkRoom}
   */
  keep(path: string, facts: KeptFile): Promise<string>
  /**
   * Refuses files that the limit would remove at once, so that no address is dead from the beginning.
   *
   * @param sizeBytes of all files of a reply together
   * @throws {SvcError} `insufficient_storage` (`generated_content_limit`)
   */
  checkRoom(sizeBytes: number): void
  /** Removes a file again. @param address from {@link keep} */
  discard(address: string): Promise<void>
  /** Finds a file that the reader may see. Another reader's file is as absent as an unknown one. */
  find(kind: GeneratedKind, name: string, reader: FileReader): Promise<GeneratedFile | undefined>
  /** Removes files that are too old, and the oldest ones above the limit. */
  trim(): Promise<void>
  close(): void
}

/** Options of {@link createGeneratedFiles}. */
export interface GeneratedFilesOptions extends FileTrimmingParts {
  /** Whether only servers of this database write into the folder. Files without a row are removed then. @default false */
  readonly ownsFolder?: boolean | undefined
  readonly logger: Logger
}

/** 128 random bits and an extension. */
const NAME = /^[0-9a-f]{32}\.[a-z0-9]{1,8}$/
const EXTENSION = /^\.[a-z0-9]{1,8}$/
const FOLDER_MODE = 0o700
const TRIM_EVERY_MS = 3_600_000

/** Opens the store. The database is the truth about its files. */
export function createGeneratedFiles(options: GeneratedFilesOptions): GeneratedFiles {
  const { folder, database, keepMs, maxTotalBytes, bytes, clock, logger } = options
  const { queries } = database
  const trimming = createFileTrimming(options)
  const warnOfTrimming = (err: unknown): void => logger.warn({ err }, 'generated files could not be trimmed')
  const trimmer = setInterval(() => void trim().catch(warnOfTrimming), TRIM_EVERY_MS).unref()

  async function trim(): Promise<void> {
    await trimming.trim()
    if (options.ownsFolder === true) await sweepFiles(options, (name) => NAME.test(name))
  }

  async function move(path: string, kind: GeneratedKind, name: string): Promise<void> {
    try {
      await mkdir(join(folder, kind), { recursive: true, mode: FOLDER_MODE })
      await rename(path, join(folder, kind, name))
    } catch (error) {
      throw toFileError(error, 'written', path)
    }
  }

  function checkRoom(sizeBytes: number): void {
    if (maxTotalBytes === 0 || sizeBytes <= maxTotalBytes) return
    const message = `the result has ${sizeBytes} bytes, and generated files may have ${maxTotalBytes} together (--generated-content-limit)`
    throw new SvcError('insufficient_storage', message, { code: 'generated_content_limit' })
  }

  return {
    checkRoom,
    async keep(path, { kind, owner, mediaType, extension = extname(path) }) {
      const sizeBytes = await measureResult(path)
      checkRoom(sizeBytes)
      const name = `${randomBytes(16).toString('hex')}${EXTENSION.test(extension) ? extension : '.bin'}`
      const row = { name, kind, owner, mediaType, sizeBytes, createdAt: clock.now() }
      // A server that is killed here leaves a row without a file, and never a file that nobody removes.
      await queries.change((db, { generatedFiles }) => db.insert(generatedFiles).values(row))
      try {
        await bytes?.put(toBytesName(row), path)
        await move(path, kind, name)
      } catch (error) {
        await trimming.remove([row])
        throw error
      }
      trimming.count(sizeBytes).catch(warnOfTrimming)
      return `${GENERATED_KINDS[kind]}/${name}`
    },
    async find(kind, name, { id, isAdmin }) {
      if (!NAME.test(name)) return undefined
      const [row] = await queries.rows((db, { generatedFiles: files }) =>
        db
          .select({ mediaType: files.mediaType, sizeBytes: files.sizeBytes })
          .from(files)
          .where(
            and(
              eq(files.name, name),
              eq(files.kind, kind),
              isAdmin ? undefined : eq(files.owner, id),
              keepMs === 0 ? undefined : gt(files.createdAt, clock.now() - keepMs),
            ),
          ),
      )
      if (row === undefined) return undefined
      const path = join(folder, kind, name)
      const found = await lstat(path).catch(() => undefined)
      if (found?.isFile() === true) return { path, ...row }
      const isFetched =
        found === undefined && (await bytes?.fetch(toBytesName({ kind, name }), { path, ...row })) === true
      return isFetched ? { path, ...row } : undefined
    },
    async discard(address) {
      const name = basename(address)
      const kind = toKind(address)
      if (kind !== undefined && NAME.test(name)) await trimming.remove([{ kind, name }])
    },
    trim,
    close() {
      clearInterval(trimmer)
    },
  }
}

/** Measures a file that a backend has written. A link could lead to any file of the server. */
export async function measureResult(path: string): Promise<number> {
  const found = await lstat(path).catch(() => undefined)
  if (found?.isFile() === true && found.size > 0) return found.size
  throw new SvcError('internal', 'the backend has written no file', { code: 'no_result_file' })
}
