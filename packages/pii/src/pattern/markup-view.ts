import { EscapedView } from '../encoded/escaped-view.ts'
import type { Reading } from '../encoded/reading.ts'
import type { Span } from '../span.ts'

/** Marks that readers do not see inside a value: tags within a line, references to blanks, emphasis, soft line ends. */
const MARKS =
  '</?(?:b|i|u|s|em|strong|span|wbr|small|mark|font|a|code|sub|sup|tt|kbd|bdi|bdo|ins|del|br)(?:\\s[^<>]{0,100})?/?>|&(?:nbsp|shy|#160|#173|#xa0);|\\*\\*|=\\r?\\n'
const MARK = new RegExp(MARKS, 'gi')
const MARK_HERE = new RegExp(MARKS, 'iy')
/** Beginnings of marks, which a text is searched for. */
const BEGINNINGS = ['<', '&', '**', '=\n', '=\r\n']
const BEFORE = /[\w@.]$/
/** Values have digits or `@`, on one of the sides of a mark. */
const IN_VALUES = /[\d@]/
const CLOSE = 6
/** Code units that are searched at a time. */
const PIECE = 1 << 14

/** Places at which a mark follows a letter, a digit, `@` or a dot of what may be a value. */
export function* listMarkupPlaces(text: string): Generator<Span> {
  const beginnings = BEGINNINGS.filter((beginning) => text.includes(beginning))
  if (beginnings.length === 0) return
  for (let from = 0; from < text.length; from += PIECE) {
    const places = beginnings.flatMap((beginning) => [...placesIn(text, beginning, from)])
    yield* beginnings.length > 1 ? places.toSorted((one, other) => one.start - other.start) : places
  }
}

function* placesIn(text: string, beginning: string, from: number): Generator<Span> {
  const piece = text.slice(from, from + PIECE + beginning.length - 1)
  for (let at = piece.indexOf(beginning); at >= 0; at = piece.indexOf(beginning, at + 1)) {
    const start = from + at
    if (start === 0 || !BEFORE.test(text.charAt(start - 1))) continue
    MARK_HERE.lastIndex = start
    if (!MARK_HERE.test(text)) continue
    const end = MARK_HERE.lastIndex
    if (IN_VALUES.test(text.slice(Math.max(0, start - CLOSE), start) + text.slice(end, end + CLOSE)))
      yield { start, end }
  }
}

/** The text as readers see it; undefined where it is the same. */
export function readWithoutMarkup(text: string): Reading | undefined {
  const view = new EscapedView(text)
  for (const { index, 0: mark } of text.matchAll(MARK)) view.replace(index, mark.length, toShown(mark))
  return view.reading()
}

function toShown(mark: string): string {
  if (/^<br\b/i.test(mark)) return '\n'
  return /^&(?:nbsp|#160|#xa0);$/i.test(mark) ? ' ' : ''
}
