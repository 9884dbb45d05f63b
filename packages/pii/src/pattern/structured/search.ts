import type { Span } from '../../span.ts'

/** A search for one shape in one text, done in pieces. */
export interface PieceSearch {
  /** Does a piece of the work; true at the end. */
  advance(): boolean
  /** The findings, ascending and never overlapping. */
  found(): readonly Span[]
}

/** Begins the search for a shape in a text. */
export type StructuredSearch = (text: string) => PieceSearch

/** Finds the match that begins at an offset; undefined without one. Reads a bounded range of the text. */
export type ShapeAt = (text: string, at: number) => Span | undefined

/** Whether a shape may begin at a position, before a closer check. */
export type Candidates = (unit: number, before: number) => boolean

const PIECE_UNITS = 1 << 14

/**
 * Creates a search that walks over the text and tries the shape at each candidate: a code unit with the one before it
 * (-1 at the start). A match may begin before the candidate, but never inside the previous match.
 */
export function searchShape(mayBe: Candidates, shapeAt: ShapeAt): StructuredSearch {
  return (text) => {
    const spans: Span[] = []
    let at = 0
    return {
      advance() {
        const to = Math.min(text.length, at + PIECE_UNITS)
        while (at < to) {
          const before = at === 0 ? -1 : text.charCodeAt(at - 1)
          const match = mayBe(text.charCodeAt(at), before) ? shapeAt(text, at) : undefined
          if (match !== undefined && match.start >= (spans.at(-1)?.end ?? 0)) {
            spans.push(match)
            at = Math.max(at + 1, match.end)
          } else at++
        }
        return at >= text.length
      },
      found: () => spans,
    }
  }
}
