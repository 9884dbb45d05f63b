import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { toFileError } from './file-error.ts'

const FOLDER_MODE = 0o700
const FILE_MODE = 0o600

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

/**
 * Opens a folder of temporary files. It removes the files of an earlier process, so the caller must hold the lock of the
 * folder around it.
 */
export async function openPrivateFiles(folder: string): Promise<PrivateFiles> {
  const removals = new Set<Promise<void>>()

  function track(removal: Promise<void>): Promise<void> {
    const tracked = removal.catch(() => undefined).finally(() => removals.delete(tracked))
    removals.add(tracked)
    return tracked
  }

  async function create({ extension = '' }: { readonly extension?: string | undefined } = {}): Promise<PrivateFile> {
    const path = join(folder, `${randomUUID()}${extension}`)
    try {
      await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
      return toPrivateFile(path, await open(path, 'wx', FILE_MODE), track)
    } catch (error) {
      throw toFileError(error, 'written', path)
    }
  }

  await rm(folder, { recursive: true, force: true })
  return {
    create,
    async close() {
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
