/** What the largest number of a vector becomes with the kind 0: all then fit signed 16-bit integers. */
const INT16_SCALE = 32_760

/**
 * A vector brought to one length.
 *
 * @param kind as llama.cpp's `embd_normalize` counts: below 0 as it is, 0 the largest number becomes 32760, 2 the
 *   Euclidean length becomes 1, any other p the p-norm becomes 1. A vector of zeros stays one.
 */
export function normalizeVector(vector: Float64Array | Float32Array, kind: number): Float32Array {
  if (kind < 0) return Float32Array.from(vector)
  const length = lengthOf(vector, kind)
  return length > 0 ? Float32Array.from(vector, (value) => value / length) : new Float32Array(vector.length)
}

function lengthOf(vector: Float64Array | Float32Array, kind: number): number {
  let largest = 0
  for (const value of vector) largest = Math.max(largest, Math.abs(value))
  if (kind === 0 || largest === 0) return largest / INT16_SCALE
  // in shares of the largest, so that no power leaves the range of numbers
  let sum = 0
  for (const value of vector) sum += (Math.abs(value) / largest) ** kind
  return largest * sum ** (1 / kind)
}
