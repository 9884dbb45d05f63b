import { createHash, type Hash } from 'node:crypto'
import { constants, type FileHandle, open } from 'node:fs/promises'

/** Bytes that are read at a time: a hash over them takes a few milliseconds. */
const PIECE = 1024 * 1024

/** Opens a regular file for reading; a link is refused. */
function openForReading(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
}

/**
 * Feeds an open file to a hash, from its begin to its end or to a limit.
 *
 * @returns the number of bytes that were read
 */
export async function hashHandle(
  file: FileHandle,
  hash: Hash,
  { signal, limit = Number.POSITIVE_INFINITY }: { readonly signal: AbortSignal; readonly limit?: number | undefined },
): Promise<number> {
  const buffer = Buffer.allocUnsafe(PIECE)
  let position = 0
  while (position < limit) {
    signal.throwIfAborted()
    const { bytesRead } = await file.read(buffer, 0, Math.min(PIECE, limit - position), position)
    if (bytesRead === 0) break
    hash.update(buffer.subarray(0, bytesRead))
    position += bytesRead
  }
  return position
}

/** The SHA-256 of a file in lower-case hexadecimal digits, and its size. */
export async function hashFile(
  path: string,
  { signal }: { readonly signal: AbortSignal },
): Promise<{ readonly sha256: string; readonly sizeBytes: number }> {
  const file = await openForReading(path)
  try {
    const hash = createHash('sha256')
    const sizeBytes = await hashHandle(file, hash, { signal })
    return { sha256: hash.digest('hex'), sizeBytes }
  } finally {
    await file.close()
  }
}
