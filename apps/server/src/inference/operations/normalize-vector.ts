/** Kind 0 scales the largest number of a vector to this value, so that all numbers fit signed 16-bit integers. */
const INT16_SCALE = 32_760

/**
 * Scales a vector.
 *
 * @param kind as llama.cpp's `embd_normalize`: negative leaves it unchanged, 0 scales the largest number to 32760, 2
 *   scales the Euclidean length to 1, any other p scales the p-norm to 1. A vector of zeros stays unchanged.
 */
export function normalizeVector(vector: Float64Array | Float32Array, kind: number): Float32Array {
  if (kind < 0) return Float32Array.from(vector)
  const length = measureLength(vector, kind)
  return length > 0 ? Float32Array.from(vector, (value) => value / length) : new Float32Array(vector.length)
}

function measureLength(vector: Float64Array | Float32Array, kind: number): number {
  let largest = 0
  for (const value of vector) largest = Math.max(largest, Math.abs(value))
  if (kind === 0 || largest === 0) return largest / INT16_SCALE
  // in shares of the largest number, so that no power overflows
  let sum = 0
  for (const value of vector) sum += (Math.abs(value) / largest) ** kind
  return largest * sum ** (1 / kind)
}
