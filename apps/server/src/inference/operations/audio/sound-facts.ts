import { open } from 'node:fs/promises'

/** Bytes in which the samples of real files begin. */
const HEADER_BYTES = 4096

/**
 * Reads the length of a WAV file. Undefined for files of other types, and for those whose header does not tell it. Never
 * fails.
 */
export async function readSoundSeconds(path: string): Promise<number | undefined> {
  const file = await open(path).catch(() => undefined)
  if (file === undefined) return undefined
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0)
    const { size } = await file.stat()
    return findSeconds(buffer.subarray(0, bytesRead), size)
  } catch {
    return undefined
  } finally {
    await file.close()
  }
}

function findSeconds(head: Buffer, size: number): number | undefined {
  if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WAVE') return undefined
  let bytesPerSecond = 0
  for (let at = 12; at + 8 <= head.length; ) {
    const name = head.toString('latin1', at, at + 4)
    const length = head.readUInt32LE(at + 4)
    if (name === 'fmt ' && at + 20 <= head.length) bytesPerSecond = head.readUInt32LE(at + 16)
    if (name === 'data') {
      return bytesPerSecond > 0 ? Math.min(length, Math.max(0, size - at - 8)) / bytesPerSecond : undefined
    }
    at += 8 + length + (length % 2)
  }
  return undefined
}
