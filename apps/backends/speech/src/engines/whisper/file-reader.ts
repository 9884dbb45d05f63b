import type { FileHandle } from 'node:fs/promises'

const CHUNK_BYTES = 256 * 1024

/** A file that is read from its start, in pieces. */
export interface FileReader {
  /** Size of the file in bytes. */
  readonly size: number
  readonly position: number
  /** Reads bytes, at most {@link CHUNK_BYTES}. The bytes are valid until the next call. Undefined beyond the end. */
  read(length: number): Promise<Buffer | undefined>
  /** Steps over bytes. @returns whether they are all there */
  skip(length: number): boolean
}

/** Creates a reader of an open file. */
export function createFileReader(file: FileHandle, size: number): FileReader {
  const chunk = Buffer.alloc(CHUNK_BYTES)
  /** Place of the chunk in the file. */
  let start = 0
  let length = 0
  let position = 0
  return {
    size,
    get position() {
      return position
    },
    read: async (wanted) => {
      if (wanted > CHUNK_BYTES || position + wanted > size) return undefined
      if (position < start || position + wanted > start + length) {
        start = position
        ;({ bytesRead: length } = await file.read(chunk, 0, CHUNK_BYTES, start))
        // a file that has become shorter
        if (length < wanted) return undefined
      }
      const bytes = chunk.subarray(position - start, position - start + wanted)
      position += wanted
      return bytes
    },
    skip: (count) => {
      position += count
      return position <= size
    },
  }
}
