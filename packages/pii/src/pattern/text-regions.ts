import { findFirstEndingAfter, type Span } from '../span.ts'

/** Code units of a region before and behind each place. */
const AROUND = 96
/** Code units up to a blank beyond that. */
const MOST_MORE = 512

/** The parts of a text around ascending places, themselves ascending and apart. They begin and end at blanks. */
export function* listRegions(text: string, places: Iterable<Span>): Generator<Span> {
  let region: Span | undefined
  for (const { start: at, end } of places) {
    if (region !== undefined && end <= region.end) continue
    const start = blankBefore(text, Math.max(0, at - AROUND))
    const next = { start, end: blankBehind(text, Math.min(text.length, end + AROUND)) }
    if (region !== undefined && start <= region.end) region = { start: region.start, end: next.end }
    else {
      if (region !== undefined) yield region
      region = next
    }
  }
  if (region !== undefined) yield region
}

/** The pieces of ascending ranges inside a region, in offsets of the region. */
export function cutToRegion(ranges: readonly Span[], { start, end }: Span): Span[] {
  const cut: Span[] = []
  for (let index = findFirstEndingAfter(ranges, start); index < ranges.length; index++) {
    const range = ranges[index]
    if (range === undefined || range.start >= end) break
    cut.push({ start: Math.max(range.start, start) - start, end: Math.min(range.end, end) - start })
  }
  return cut
}

function blankBefore(text: string, from: number): number {
  let at = from
  while (at > 0 && from - at < MOST_MORE && !isBlank(text.charCodeAt(at - 1))) at--
  return at
}

function blankBehind(text: string, from: number): number {
  let at = from
  while (at < text.length && at - from < MOST_MORE && !isBlank(text.charCodeAt(at))) at++
  return at
}

function isBlank(unit: number): boolean {
  return unit <= 0x20
}
