import type { Span } from '../span.ts'

/** The detections of a text, for spans that grow into them. */
export interface Neighbours {
  /** The end of a span that covers all detections beginning before its end. */
  coveringEnd(end: number): number
  /** The start of a span that covers all detections ending after its start. */
  coveringStart(start: number): number
}

/** Prepares spans in any order; each query then takes logarithmic time, for any overlaps. */
export function createNeighbours(spans: readonly Span[]): Neighbours {
  const starts = Float64Array.from(spans, ({ start }) => start).sort()
  const ends = Float64Array.from(spans, ({ end }) => end).sort()
  const furthest = runningExtremes(
    spans.toSorted((one, other) => one.start - other.start).map(({ end }) => end),
    Math.max,
  )
  const byEndBack = spans.toSorted((one, other) => other.end - one.end)
  const nearest = runningExtremes(
    byEndBack.map(({ start }) => start),
    Math.min,
  )
  return {
    coveringEnd: (end) => Math.max(end, furthest[countBelow(starts, end) - 1] ?? end),
    coveringStart: (start) => Math.min(start, nearest[spans.length - countBelow(ends, start + 1) - 1] ?? start),
  }
}

/** The extreme of all values up to each index. */
function runningExtremes(values: readonly number[], extreme: (one: number, other: number) => number): Float64Array {
  const result = new Float64Array(values.length)
  for (const [index, value] of values.entries())
    result[index] = index === 0 ? value : extreme(value, result[index - 1] ?? value)
  return result
}

/** The number of ascending values below a limit. */
function countBelow(values: Float64Array, limit: number): number {
  let low = 0
  let high = values.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((values[middle] ?? 0) < limit) low = middle + 1
    else high = middle
  }
  return low
}
