import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, opendir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { toFileError } from './file-error.ts'

const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
/** Characters of a UUID. */
const ID_LENGTH = 36

/** Temporary files that only this server reads. */
export interface PrivateFiles {
  /**
   * Makes an empty file.
   *
   * @param options.extension the end of its name with the dot, for programs that read it there. @default none
   * @throws {SvcError} `insufficient_storage`, `internal`
   */
  create(options?: { readonly extension?: string | undefined }): Promise<PrivateFile>
  /** Waits until removed files are gone, then removes the rest. */
  close(): Promise<void>
}

/** A temporary file under way. */
export interface PrivateFile {
  readonly path: string
  /** Writes a piece at the end of the file. Call it again when it has settled. */
  append(piece: Uint8Array): Promise<void>
  /** Ends the writing. */
  close(): Promise<void>
  /** Removes the file. May be called at any time, also twice. Resolves, also after a failure, once it is removed. */
  remove(): Promise<void>
}

/** Time from the removal of a file to the look for what was written after it. */
const SWEEP_AFTER_MS = 60_000
/** Entries that one sweep removes. */
const MAX_SWEPT = 1000

/**
 * Opens a folder of temporary files. It removes the files of an earlier process, so the caller must hold the lock of the
 * folder around it. A program that was given a path may write there after the file was removed; such files are removed
 * later.
 *
 * @param options.sweepAfterMs time from the removal of a file to the look for such files. @default a minute
 */
export async function openPrivateFiles(
  folder: string,
  { sweepAfterMs = SWEEP_AFTER_MS }: { readonly sweepAfterMs?: number } = {},
): Promise<PrivateFiles> {
  const removals = new Set<Promise<void>>()
  /** Names of files under way, without their extension: programs write files with other endings beside them. */
  const owned = new Set<string>()
  let sweeping: NodeJS.Timeout | undefined
  let isClosed = false

  function track(removal: Promise<void>): Promise<void> {
    const tracked = removal.catch(() => undefined).finally(() => removals.delete(tracked))
    removals.add(tracked)
    return tracked
  }

  async function sweep(): Promise<void> {
    const left: string[] = []
    for await (const { name } of await opendir(folder)) {
      if (owned.has(name.slice(0, ID_LENGTH))) continue
      left.push(name)
      if (left.length === MAX_SWEPT) break
    }
    for (const name of left) await rm(join(folder, name), { recursive: true, force: true })
    if (left.length > 0) planSweep()
  }

  function planSweep(): void {
    if (isClosed) return
    sweeping ??= setTimeout(() => {
      sweeping = undefined
      void track(sweep())
    }, sweepAfterMs).unref()
  }

  async function create({ extension = '' }: { readonly extension?: string | undefined } = {}): Promise<PrivateFile> {
    const id = randomUUID()
    const path = join(folder, `${id}${extension}`)
    const release = (): void => {
      owned.delete(id)
      planSweep()
    }
    owned.add(id)
    try {
      await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
      return toPrivateFile(path, await open(path, 'wx', FILE_MODE), (removal) => track(removal.finally(release)))
    } catch (error) {
      release()
      throw toFileError(error, 'written', path)
    }
  }

  await rm(folder, { recursive: true, force: true })
  return {
    create,
    async close() {
      isClosed = true
      clearTimeout(sweeping)
      await Promise.all(removals)
      await rm(folder, { recursive: true, force: true }).catch(() => undefined)
    },
  }
}

function toPrivateFile(
  path: string,
  handle: FileHandle,
  track: (removal: Promise<void>) => Promise<void>,
): PrivateFile {
  let sizeBytes = 0
  let closing: Promise<void> | undefined
  let removal: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= handle.close().catch((error: unknown) => {
      throw toFileError(error, 'written', path)
    })
    return closing
  }
  return {
    path,
    async append(piece) {
      try {
        sizeBytes += await writeFully(handle, piece, sizeBytes)
      } catch (error) {
        throw toFileError(error, 'written', path)
      }
    },
    close,
    remove() {
      removal ??= track(
        close()
          .catch(() => undefined)
          // A backend may have put a folder there.
          .then(() => rm(path, { recursive: true, force: true })),
      )
      return removal
    },
  }
}

/** Writes all bytes of a piece. @returns their number */
export async function writeFully(handle: FileHandle, piece: Uint8Array, position: number): Promise<number> {
  let written = 0
  while (written < piece.length) {
    const { bytesWritten } = await handle.write(piece, written, piece.length - written, position + written)
    written += bytesWritten
  }
  return written
}
