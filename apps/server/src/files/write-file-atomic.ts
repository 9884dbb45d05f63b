import { open, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { readSystemCode, toFileError } from './file-error.ts'
import { createTemporaryPath } from './temporary-files.ts'

/** The whole content of a file, or its pieces in order. */
export type FileContent = string | Uint8Array | Iterable<Uint8Array>

/** The part of an open file that a write needs. */
interface DiskFile {
  writeFile(content: FileContent): Promise<void>
  sync(): Promise<void>
  close(): Promise<void>
}

/** The calls of a durable write, so that a test can fail each of them. */
export interface Disk {
  open(path: string, flags: string, mode?: number): Promise<DiskFile>
  rename(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
}

const realDisk: Disk = { open, rename, unlink }

async function fill(disk: Disk, path: string, content: FileContent, mode: number): Promise<void> {
  const file = await disk.open(path, 'wx', mode)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Makes a rename or removal in this folder survive a power cut. */
export async function syncFolder(folder: string, disk: Disk = realDisk): Promise<void> {
  // Windows opens no folders, and some network file systems cannot sync them.
  if (process.platform === 'win32') return
  const handle = await disk.open(folder, 'r')
  try {
    await handle.sync()
  } catch (error) {
    if (readSystemCode(error) !== 'EINVAL') throw error
  } finally {
    await handle.close()
  }
}

/**
 * Writes a whole file so that a reader, a kill and a power cut see the old content or the new one, never a mixture:
 * temporary file beside it, fsync, rename, fsync of the folder (threats, section 5). The content is durable when this
 * resolves. When it throws, the old file is still there, except that after a failed fsync of the folder it may already
 * be the new one.
 *
 * @param options.mode permissions of the new file, `0o600` for anything that may hold a secret
 * @throws {SvcError} `disk_full` (insufficient_storage) or `file_failed` (internal)
 */
export async function writeFileAtomic(
  path: string,
  content: FileContent,
  { mode, disk = realDisk }: { readonly mode: number; readonly disk?: Disk | undefined },
): Promise<void> {
  const temporary = createTemporaryPath(path)
  try {
    await fill(disk, temporary, content, mode)
    await disk.rename(temporary, path)
  } catch (error) {
    await disk.unlink(temporary).catch(() => {
      // it may not exist; a later start removes leftovers
    })
    throw toFileError(error, 'written', path)
  }
  try {
    await syncFolder(dirname(path), disk)
  } catch (error) {
    throw toFileError(error, 'written', path)
  }
}
