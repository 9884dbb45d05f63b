import type { ScanDocument } from '../detector.ts'
import type { Span } from '../span.ts'

/** The parts of one message joined without a separator, and the way back to the document. */
export interface AdjacentParts {
  readonly text: string
  /** Where each part lies in the text. */
  readonly parts: readonly Span[]
  /**
   * The place in the document of a range that crosses from one part into another, with the separators between; undefined
   * for a range inside of one part, which the document itself has.
   */
  toDocument(range: Span): Span | undefined
}

/** The messages of more than one part: secrets that were split over parts are whole again in them. */
export function adjacentParts({ text, segments, messages }: ScanDocument): AdjacentParts[] {
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
        const from = originals[first]
        const to = originals[last]
        if (first === last || from === undefined || to === undefined) return undefined
        return {
          start: from.start + start - (parts[first]?.start ?? 0),
          end: to.start + end - (parts[last]?.start ?? 0),
        }
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
