/** Ways to make one vector from the vectors of a text's tokens. */
export type Pooling = 'mean' | 'last' | 'decayed_mean'

/**
 * Pools the vectors of a text's tokens into one.
 *
 * @param matrix one route of `width` numbers for each token, at least one route
 * @param options.halfLife distance from the last token, in tokens, at which `decayed_mean` weighs a token half; above 0
 */
export function poolTokens(
  matrix: readonly number[],
  width: number,
  options: { readonly pooling: Pooling; readonly halfLife: number },
): Float64Array {
  const tokens = matrix.length / width
  const sum = new Float64Array(width)
  let total = 0
  for (let token = 0; token < tokens; token += 1) {
    const weight = toWeight(tokens - 1 - token, options)
    if (weight === 0) continue
    total += weight
    for (let index = 0; index < width; index += 1) {
      sum[index] = (sum[index] ?? 0) + weight * (matrix[token * width + index] ?? 0)
    }
  }
  return sum.map((value) => value / total)
}

/** @param distance from the last token, in tokens */
function toWeight(distance: number, { pooling, halfLife }: { readonly pooling: Pooling; halfLife: number }): number {
  switch (pooling) {
    case 'mean':
      return 1
    case 'last':
      return distance === 0 ? 1 : 0
    case 'decayed_mean':
      return 2 ** (-distance / halfLife)
  }
}
