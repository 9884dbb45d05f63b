/**
 * Scales a vector as the option `embd_normalize` of a model says: not at all below 0, to a largest absolute value of
 * 32760 for 0, else to length 1 under the p-norm of that p (2: Euclid). A zero vector stays zero.
 */
export function normalizeVector(vector: Float32Array, norm: number): Float32Array {
  if (norm < 0) return vector
  const length = norm === 0 ? largest(vector) / 32_760 : pNorm(vector, norm)
  return length > 0 ? vector.map((value) => value / length) : vector
}

/** The cosine of the angle between two vectors of one dimension, -1 to 1; 0 for a zero vector. */
export function cosineSimilarity(a: Float32Array, b: Float32Array): number {
  const product = a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)
  const lengths = pNorm(a, 2) * pNorm(b, 2)
  return lengths > 0 ? Math.max(-1, Math.min(1, product / lengths)) : 0
}

function largest(vector: Float32Array): number {
  return vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
}

function pNorm(vector: Float32Array, p: number): number {
  return vector.reduce((sum, value) => sum + Math.abs(value) ** p, 0) ** (1 / p)
}
