import type { Span } from '../span.ts'
import { STEP_CHARACTERS, type Steps } from './reading.ts'

/** Shorter runs are words; padding counts, line breaks do not. */
export const MIN_RUN_LENGTH = 24

const MAX_PADDING = 2
/** Least number of unbroken symbols for a search; a run of shorter lines is found by its line breaks. */
const FIRST_SYMBOLS = MIN_RUN_LENGTH - MAX_PADDING

/** A run of base64 or hex characters with its padding, over any number of lines. */
export interface EncodedRun extends Span {
  /** The run without line breaks, padding and escapes of slashes. */
  readonly symbols: string
}

/** Line breaks, also as escapes inside a string; longer ones come before their prefixes. */
export const LINE_BREAKS = ['\r\n', '\n', '\r', '\\r\\n', '\\n']
const ANY_LINE_BREAK = /[\r\n]|\\r?\\?n/g
/** Indentation and marks of quotation. */
const MARGIN = ' \t>'

/** Flags by character: the alphabet of base64, its variant for addresses, and so all digits of hex. */
const SYMBOLS = new Uint8Array(128)
for (const symbol of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_') {
  SYMBOLS[symbol.charCodeAt(0)] = 1
}

/**
 * Finds the runs of a text that may be base64 or hex. In other text it checks few characters: only the ones at the end
 * of the shortest possible run.
 */
export function* findEncodedRuns(text: string): Steps<EncodedRun> {
  /** No undiscovered run begins before it. */
  let floor = 0
  /** The next position at which a run continues over the end of its first line. */
  let wrapped = -1
  /** The position up to which that search went. */
  let seen = 0
  for (;;) {
    const limit = floor + STEP_CHARACTERS
    if (wrapped < floor || floor >= seen) {
      seen = Math.min(limit, text.length)
      wrapped = nextWrapped(text, floor, seen)
    }
    floor = Math.min(wrapped, nextCandidate(text, floor, limit))
    if (floor + FIRST_SYMBOLS > text.length) return
    if (floor >= limit) {
      yield undefined
      continue
    }
    const { padding, ...run } = yield* readRun(text, floor)
    yield run.symbols.length + padding < MIN_RUN_LENGTH ? undefined : run
    floor = run.end
  }
}

/**
 * The next position with enough symbols for the beginning of a run; or a position from the limit on, before which no
 * run begins; or one too near to the end for a run.
 */
function nextCandidate(text: string, from: number, limit: number): number {
  let start = from
  while (start < limit) {
    let at = start + FIRST_SYMBOLS - 1
    if (at >= text.length) return start
    while (at >= start && isSymbolAt(text, at)) at--
    if (at < start) return start
    start = at + 1
  }
  return start
}

/** The next position with symbols that continue in the next line, or at the limit; else the limit. */
function nextWrapped(text: string, from: number, limit: number): number {
  ANY_LINE_BREAK.lastIndex = 0
  const window = text.slice(from, limit)
  for (let found = ANY_LINE_BREAK.exec(window); found !== null; found = ANY_LINE_BREAK.exec(window)) {
    const lineEnd = from + found.index
    const next = findNextLine(text, lineEnd)
    if (next === lineEnd || !isSymbolAt(text, next)) continue
    const start = symbolsStart(text, from, lineEnd)
    if (start < lineEnd) return start
  }
  return symbolsStart(text, from, limit)
}

/** The start of the symbols that end at a position. */
function symbolsStart(text: string, from: number, end: number): number {
  let start = end
  while (start > from && isSymbolAt(text, start - 1)) start--
  return start
}

/** Reads a run from its start, over line breaks. */
function* readRun(
  text: string,
  start: number,
): Generator<undefined, EncodedRun & { readonly padding: number }, undefined> {
  const lines: string[] = []
  let from = start
  let end = start
  for (let pause = start + STEP_CHARACTERS; ; ) {
    while (end < pause && isSymbolAt(text, end)) end++
    if (end >= pause) {
      pause = end + STEP_CHARACTERS
      yield undefined
      continue
    }
    lines.push(text.slice(from, end))
    const next = findNextLine(text, end)
    if (next === end || !isSymbolAt(text, next)) break
    from = next
    end = next
  }
  let padding = 0
  while (padding < MAX_PADDING && text[end + padding] === '=') padding++
  return { start, end: end + padding, symbols: lines.join('').replaceAll('\\', ''), padding }
}

/**
 * The start of the next line's content, past blanks and marks of quotation, after a line break or an escaped one; else
 * the position itself.
 */
export function findNextLine(text: string, at: number): number {
  const lineBreak = LINE_BREAKS.find((one) => text.startsWith(one, at))
  if (lineBreak === undefined) return at
  let next = at + lineBreak.length
  while (next < text.length && MARGIN.includes(text.charAt(next))) next++
  return next
}

const BACKSLASH = 0x5c
const SLASH = 0x2f

/** Whether a symbol is at a position, or the backslash that some JSON writers put before a slash. */
function isSymbolAt(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return (unit < 128 && SYMBOLS[unit] === 1) || (unit === BACKSLASH && text.charCodeAt(at + 1) === SLASH)
}
