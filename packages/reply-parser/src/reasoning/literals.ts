/** Where a text can begin with one of some literals: which one it is, that it is none, or that more text must tell. */
export type LiteralMatch = number | 'none' | 'more'

/** The part of a text that is looked at: half-open UTF-16 offsets. */
export interface TextWindow {
  readonly text: string
  readonly at: number
  /** No further than this. */
  readonly end: number
  /** Nothing comes after `end`. */
  readonly final: boolean
}

/**
 * Tells which literal stands at a place. The first in the list that matches wins, so one that begins with another must
 * come before it; while an earlier one may still come, the answer is `more`.
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

/** How many UTF-16 units at the end of a text may be the beginning of a literal; less than the whole literal. */
export function heldBackLength(text: string, literal: string): number {
  for (let length = Math.min(text.length, literal.length - 1); length > 0; length--) {
    if (literal.startsWith(text.slice(text.length - length))) return length
  }
  return 0
}

/** The first UTF-16 units of some literals. */
export function firstUnits(literals: readonly string[]): ReadonlySet<number> {
  return new Set(literals.map((literal) => literal.charCodeAt(0)))
}
