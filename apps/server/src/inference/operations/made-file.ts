import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { SNIFFED_BYTES } from '../media/sniff-media.ts'

/** Opens a file that a backend has written. A link in its place is not followed. */
export function openMadeFile(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
}

/** Reads the first bytes of a file that a backend has written, as many as tell its type. */
export async function readMadeHead(path: string): Promise<Uint8Array> {
  const file = await openMadeFile(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
