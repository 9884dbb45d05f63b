import { endianness } from 'node:os'

const BYTES_PER_FLOAT = 4
const IS_LITTLE_ENDIAN = endianness() === 'LE'

/** Writes a vector for the database: 32-bit floats in little-endian order, as base64. */
export function writeVector(vector: Float32Array): string {
  const bytes = Buffer.from(vector.buffer.slice(vector.byteOffset, vector.byteOffset + vector.byteLength))
  return (IS_LITTLE_ENDIAN ? bytes : bytes.swap32()).toString('base64')
}

/** Reads what {@link writeVector} wrote. */
export function readVector(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64')
  const vector = new Float32Array(Math.floor(bytes.length / BYTES_PER_FLOAT))
  for (let index = 0; index < vector.length; index += 1) vector[index] = bytes.readFloatLE(index * BYTES_PER_FLOAT)
  return vector
}
