import type { Span } from './span.ts'

/** The index of the first span that ends after an offset, or their number; spans are ascending and apart. */
export function findFirstEndingAfter(spans: readonly Span[], offset: number): number {
  let low = 0
  let high = spans.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((spans[middle]?.end ?? 0) > offset) high = middle
    else low = middle + 1
  }
  return low
}
