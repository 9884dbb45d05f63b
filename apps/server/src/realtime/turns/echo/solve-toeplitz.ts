/**
 * Solves the equations of a filter that makes one signal out of another with the least error (Levinson's recursion).
 *
 * @param auto correlation of the known signal with itself, at 0, 1, …
 * @param cross correlation of the wanted signal with the known one, at 0, 1, …
 * @param count of coefficients
 */
export function solveToeplitz(auto: Float64Array, cross: Float64Array, count: number): Float64Array {
  const filter = new Float64Array(count)
  const forward = new Float64Array(count)
  const kept = new Float64Array(count)
  const power = auto[0] ?? 0
  if (!(power > 0)) return filter
  forward[0] = 1
  let error = power
  filter[0] = (cross[0] ?? 0) / power
  for (let order = 1; order < count; order++) {
    const reflection = -dotReversed(forward, auto, order) / error
    kept.set(forward)
    for (let index = 1; index <= order; index++) {
      forward[index] = (kept[index] as number) + reflection * (kept[order - index] as number)
    }
    error *= 1 - reflection * reflection
    // rounding has used up what is left: more coefficients explain nothing
    if (!(error > power * 1e-9)) break
    const missing = ((cross[order] ?? 0) - dotReversed(filter, auto, order)) / error
    for (let index = 0; index <= order; index++) {
      filter[index] = (filter[index] as number) + missing * (forward[order - index] as number)
    }
  }
  return filter
}

/** The sum of `values[i] * auto[order - i]` below an order. */
function dotReversed(values: Float64Array, auto: Float64Array, order: number): number {
  let sum = 0
  for (let index = 0; index < order; index++) sum += (values[index] as number) * (auto[order - index] as number)
  return sum
}
