import type { Span } from '../span.ts'
import { STEP_CHARACTERS, type Steps } from './reading.ts'

/** Shorter runs are words. */
export const MIN_RUN_LENGTH = 24

/** A run of characters that base64 or hex may be made of, with its padding, over as many lines as it goes on. */
export interface EncodedRun extends Span {
  /** The run without line breaks and padding. */
  readonly symbols: string
}

/** A line break, also as an escape inside of a string, and what a line is indented by. */
const LINE_BREAK = /(?:\r\n?|\n|\\r\\n|\\n)[ \t]*/y

/** Flags by character: the alphabet of base64, its variant for addresses, and so all digits of hex. */
const SYMBOLS = new Uint8Array(128)
for (const symbol of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_') {
  SYMBOLS[symbol.charCodeAt(0)] = 1
}

/**
 * The runs of a text that may be base64 or hex. Of other text few characters are looked at: those of the word that the
 * shortest run would end in.
 */
export function* findEncodedRuns(text: string): Steps<EncodedRun> {
  /** No run that was not found yet begins before it. */
  let floor = 0
  for (;;) {
    const limit = floor + STEP_CHARACTERS
    floor = nextCandidate(text, floor, limit)
    const end = symbolsEnd(text, floor)
    if (end - floor >= MIN_RUN_LENGTH) {
      const run = toRun(text, { start: floor, end })
      yield run
      floor = run.end
    } else if (floor < limit) return
    else yield undefined
  }
}

/**
 * The next place at which symbols begin that are as many as the shortest run has; or one from the limit on, before which
 * no run begins; or, before the limit, one past which there is no room for a run.
 */
function nextCandidate(text: string, from: number, limit: number): number {
  let start = from
  while (start < limit) {
    let at = start + MIN_RUN_LENGTH - 1
    if (at >= text.length) return start
    while (at >= start && isSymbol(text.charCodeAt(at))) at--
    if (at < start) return start
    start = at + 1
  }
  return start
}

/** Follows a run over the ends of lines. */
function toRun(text: string, first: Span): EncodedRun {
  const lines = [text.slice(first.start, first.end)]
  let { end } = first
  for (;;) {
    LINE_BREAK.lastIndex = end
    const next = LINE_BREAK.test(text) ? LINE_BREAK.lastIndex : end
    const nextEnd = symbolsEnd(text, next)
    if (next === end || nextEnd === next) break
    lines.push(text.slice(next, nextEnd))
    end = nextEnd
  }
  for (let padding = 0; padding < 2 && text[end] === '='; padding++) end++
  return { start: first.start, end, symbols: lines.join('') }
}

/** Where the symbols from a place on end; the place itself where none stands there. */
function symbolsEnd(text: string, at: number): number {
  let end = at
  while (end < text.length && isSymbol(text.charCodeAt(end))) end++
  return end
}

function isSymbol(unit: number): boolean {
  return unit < 128 && SYMBOLS[unit] === 1
}
