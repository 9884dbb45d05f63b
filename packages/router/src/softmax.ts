/**
 * Shares in proportion to the exponentials of values; the shares add up to 1. A value of minus infinity has no share.
 * Where all values are minus infinity, all have the same share.
 */
export function softmax(values: readonly number[]): number[] {
  const largest = values.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY)
  if (largest === Number.NEGATIVE_INFINITY) return values.map(() => 1 / values.length)
  const weights = values.map((value) => Math.exp(value - largest))
  const sum = weights.reduce((one, other) => one + other, 0)
  return weights.map((weight) => weight / sum)
}
