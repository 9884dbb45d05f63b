import type { Span } from '../span.ts'
import { findFirstEndingAfter } from '../span.ts'

/** A text whose protected ranges are hidden from a recogniser, and the way back. */
export interface Shield {
  /** The text with a placeholder for each protected range. */
  readonly text: string
  /**
   * The original pieces of a span of the shielded text, without the protected ranges, in order. Pieces of only white
   * space are left out.
   */
  toOriginal(span: Span): Span[]
  /** Whether a span of the original overlaps a protected range. */
  isProtected(span: Span): boolean
}

/** Replaces ranges of a text, ascending and apart, with a neutral word that the text does not contain. */
export function shieldRanges(text: string, ranges: readonly Span[]): Shield {
  if (ranges.length === 0) return { text, toOriginal: (span) => [span], isProtected: () => false }
  const placeholder = unusedPlaceholder(text)
  const pieces: string[] = []
  const hidden: HiddenRange[] = []
  let read = 0
  let length = 0
  for (const { start, end } of ranges) {
    pieces.push(text.slice(read, start), placeholder)
    length += start - read
    hidden.push({ start: length, end: length + placeholder.length, originalEnd: end })
    length += placeholder.length
    read = end
  }
  pieces.push(text.slice(read))
  return {
    text: pieces.join(''),
    toOriginal: (span) => cutOut(span, hidden).filter(({ start, end }) => text.slice(start, end).trim() !== ''),
    isProtected: ({ start, end }) => (ranges[findFirstEndingAfter(ranges, start)]?.start ?? end) < end,
  }
}

/** Position of a placeholder in the shielded text, and the end of its range in the original. */
interface HiddenRange extends Span {
  readonly originalEnd: number
}

/** The pieces of a span between placeholders, as spans of the original. */
function cutOut(span: Span, hidden: readonly HiddenRange[]): Span[] {
  const pieces: Span[] = []
  let index = findFirstEndingAfter(hidden, span.start)
  let shift = shiftAfter(hidden[index - 1])
  let at = span.start
  for (let next = hidden[index]; next !== undefined && next.start < span.end; next = hidden[++index]) {
    if (at < next.start) pieces.push({ start: at + shift, end: next.start + shift })
    at = next.end
    shift = shiftAfter(next)
  }
  if (at < span.end) pieces.push({ start: at + shift, end: span.end + shift })
  return pieces
}

function shiftAfter(range: HiddenRange | undefined): number {
  return range === undefined ? 0 : range.originalEnd - range.end
}

/** A word in brackets that does not occur in a text: `[PROTECTED]`, if possible. */
function unusedPlaceholder(text: string): string {
  let placeholder = '[PROTECTED]'
  for (let number = 2; text.includes(placeholder); number++) placeholder = `[PROTECTED ${number}]`
  return placeholder
}
