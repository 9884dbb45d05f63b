import { readSync } from 'node:fs'
import { GgufError, readGgufHeader } from '@svc/gguf'
import { type ModelShape, toShape } from './memory-estimate.ts'

/** The shape of an open GGUF file; undefined for another file. Blocks while it reads the header. */
export function readShape(descriptor: number, sizeBytes: number): ModelShape | undefined {
  const read = (position: number, length: number): Uint8Array => {
    const bytes = Buffer.allocUnsafe(length)
    return bytes.subarray(0, readSync(descriptor, bytes, 0, length, position))
  }
  try {
    return toShape(readGgufHeader({ sizeBytes, read }), sizeBytes)
  } catch (error) {
    if (error instanceof GgufError) return undefined
    throw error
  }
}
