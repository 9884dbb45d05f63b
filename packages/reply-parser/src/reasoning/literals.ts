/**
 * Result of matching literals at a position: the index of the match, `none`, or `more` while the text is too short to
 * decide.
 */
export type LiteralMatch = number | 'none' | 'more'

/** The part of a text to examine: half-open UTF-16 offsets. */
export interface TextWindow {
  readonly text: string
  readonly at: number
  /** Exclusive end of the window. */
  readonly end: number
  /** The text ends at `end`. */
  readonly final: boolean
}

/**
 * Matches literals at a position. The first match in the list wins, so a literal must come before its own prefixes.
 * While an earlier literal may still match, the result is `more`.
 */
export function matchLiteralAt(literals: readonly string[], window: TextWindow): LiteralMatch {
  const { text, at, end, final } = window
  const available = end - at
  for (const [index, literal] of literals.entries()) {
    if (available >= literal.length) {
      if (text.startsWith(literal, at)) return index
    } else if (!final && literal.startsWith(text.slice(at, end))) {
      return 'more'
    }
  }
  return 'none'
}

/** Number of UTF-16 units at the end of a text that may be the beginning of a literal; less than the whole literal. */
export function measureHeldBack(text: string, literal: string): number {
  for (let length = Math.min(text.length, literal.length - 1); length > 0; length--) {
    if (literal.startsWith(text.slice(text.length - length))) return length
  }
  return 0
}

/** The first UTF-16 units of some literals. */
export function listFirstUnits(literals: readonly string[]): ReadonlySet<number> {
  return new Set(literals.map((literal) => literal.charCodeAt(0)))
}
