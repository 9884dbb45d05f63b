import type { ScanDocument } from '../detector.ts'
import type { Span } from '../span.ts'

/** The parts of one message joined without a separator, and the way back to the document. */
export interface AdjacentParts {
  readonly text: string
  /** Range of each part in the text. */
  readonly parts: readonly Span[]
  /** The document's range, including the separators between the parts when it crosses from one to another. */
  toDocument(range: Span): Span
}

/**
 * Joins the parts of each message with several: a secret split over parts is whole again there, and so is the context
 * in front of a secret.
 */
export function joinAdjacentParts({ text, segments, messages }: ScanDocument): AdjacentParts[] {
  return messages.flatMap((message) => {
    const originals = segments.slice(message.start, message.end)
    if (originals.length < 2) return []
    const parts: Span[] = []
    let length = 0
    for (const part of originals) {
      parts.push({ start: length, end: length + part.end - part.start })
      length += part.end - part.start
    }
    return {
      text: originals.map((part) => text.slice(part.start, part.end)).join(''),
      parts,
      toDocument: ({ start, end }) => {
        const first = indexOfPart(parts, start)
        const last = indexOfPart(parts, end - 1)
        const findShift = (index: number): number => (originals[index]?.start ?? 0) - (parts[index]?.start ?? 0)
        return { start: start + findShift(first), end: end + findShift(last) }
      },
    }
  })
}

function indexOfPart(parts: readonly Span[], at: number): number {
  let low = 0
  let high = parts.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((parts[middle]?.end ?? 0) <= at) low = middle + 1
    else high = middle
  }
  return low
}
