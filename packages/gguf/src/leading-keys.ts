import { GgufCursor } from './cursor.ts'
import { GgufError } from './errors.ts'
import { readVersion } from './header.ts'
import { createKeys, type GgufValue, readKey } from './keys.ts'

/**
 * Reads the keys with a single value in the first bytes of a file, for files that are not here: the facts of the
 * network come before its vocabulary. Keys that are cut off are left out.
 *
 * @param bytes the begin of the file; 64 KiB and more are enough for the usual files
 * @throws {GgufError} for bytes that do not begin a GGUF file of version 2 or 3
 */
export function readLeadingKeys(bytes: Uint8Array): ReadonlyMap<string, GgufValue> {
  const source = {
    sizeBytes: bytes.length,
    read: (position: number, length: number) => bytes.subarray(position, position + length),
  }
  const cursor = new GgufCursor(source, bytes.length)
  readVersion(cursor)
  cursor.uint64()
  const keyCount = cursor.uint64()
  const keys = createKeys()
  try {
    for (let index = 0; index < keyCount; index += 1) readKey(cursor, keys, false)
  } catch (error) {
    if (!(error instanceof GgufError)) throw error
  }
  return keys.values
}
