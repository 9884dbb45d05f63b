import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/** Options of {@link readRegularFile}. */
export interface RegularFileOptions {
  readonly maxBytes: number
  /** Whether the path may be a symbolic link. */
  readonly followsLink: boolean
}

/**
 * Reads a regular file of limited size. A pipe or a device is never waited for.
 *
 * @returns the content, or the reason why it was not read
 * @throws the system's error where the file cannot be opened or read
 */
export async function readRegularFile(
  path: string,
  { maxBytes, followsLink }: RegularFileOptions,
): Promise<Buffer | string> {
  // Opening a pipe would otherwise wait for a writer.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (followsLink ? 0 : (constants.O_NOFOLLOW ?? 0))
  const file = await open(path, flags)
  try {
    const found = await file.stat()
    if (!found.isFile()) return 'it is not a regular file'
    if (found.size > maxBytes) return `it is larger than ${maxBytes} bytes`
    return await file.readFile()
  } finally {
    await file.close()
  }
}
