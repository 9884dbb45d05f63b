/** The path of a line over a box of 100 by 80; the largest value ends 4 below its top. */
export function toLine(values: readonly number[]): string {
  const highest = Math.max(1, ...values)
  const step = values.length > 1 ? 100 / (values.length - 1) : 0
  const points = values.map(
    (value, index) => `${(index * step).toFixed(2)} ${(80 - (value / highest) * 76).toFixed(1)}`,
  )
  return points.length === 0 ? 'M0 80 L100 80' : `M${points.join(' L')}`
}
