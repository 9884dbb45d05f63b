import type { Span } from '../span.ts'
import type { Words } from './words.ts'

/** Context of extending a detection. */
export interface ExtensionContext {
  readonly text: string
  readonly words: Words
  /** Whether a range touches a protected term, which an extension must not cover. */
  isProtected(span: Span): boolean
}

/**
 * The end of a detection extended by the next word on its line: skips spaces and tabs, takes one word. The same end
 * when no word follows, or when a protected term would be covered.
 */
export function endWithNextWord({ end }: Span, { text, words, isProtected }: ExtensionContext): number {
  const own = words.around(end)
  // A detection may end within a word; the next word is the one after it.
  const ownEnd = own !== undefined && own.start < end && own.end > end ? own.end : end
  const start = skipBlanks(text, ownEnd)
  const next = words.around(start)
  if (next === undefined || next.start !== start || !next.isWord) return end
  return isProtected({ start: end, end: next.end }) ? end : next.end
}

/**
 * The start of a detection extended by the previous word on its line, if that consists of letters, `-` and `'`. The
 * same start when no word precedes, or when a protected term would be covered.
 */
export function startWithPreviousWord({ start }: Span, { text, words, isProtected }: ExtensionContext): number {
  const own = words.around(start)
  const isWithin = own !== undefined && own.start < start && own.end > start
  const ownStart = isWithin ? own.start : start
  if (isWithin && own.nameEnd < start) return start
  const end = skipBlanksBack(text, ownStart)
  const previous = words.around(end)
  if (previous === undefined || previous.end !== end) return start
  if (previous.nameEnd < previous.end || !previous.isWord) return start
  return isProtected({ start: previous.start, end: start }) ? start : previous.start
}

function skipBlanks(text: string, offset: number): number {
  let at = offset
  while (isBlank(text.charCodeAt(at))) at++
  return at
}

function skipBlanksBack(text: string, offset: number): number {
  let at = offset
  while (isBlank(text.charCodeAt(at - 1))) at--
  return at
}

/** A space or a tab; never a line break. */
function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09
}
