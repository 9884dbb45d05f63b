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
/** By code unit: whether a mark may follow it. */
const MAY_PRECEDE = Uint8Array.from({ length: 128 }, (_, unit) => (/[\w@.]/.test(String.fromCharCode(unit)) ? 1 : 0))
/** By code unit: whether it may be the second one of a mark. */
const MAY_FOLLOW = Uint8Array.from({ length: 128 }, (_, unit) =>
  /[/a-z#*\r\n]/i.test(String.fromCharCode(unit)) ? 1 : 0,
)
/** Code units beside a mark in which a digit or `@` shows a value. */
const CLOSE = 6
/** Code units without a blank beside a mark in which `@` shows an address. */
const LONGEST_ADDRESS_PART = 64
const EQUALS = 0x3d

/** Places at which a mark follows a letter, a digit, `@` or a dot of what may be a value. */
export function* listMarkupPlaces(text: string): Generator<Span> {
  const nexts = BEGINNINGS.map((beginning) => indexFrom(text, beginning, 0))
  for (;;) {
    const start = Math.min(...nexts)
    if (start === Number.POSITIVE_INFINITY) return
    const which = nexts.indexOf(start)
    nexts[which] = indexFrom(text, BEGINNINGS[which] ?? '', start + 1)
    const end = markEnd(text, start)
    if (end > start) yield { start, end }
  }
}

function indexFrom(text: string, beginning: string, from: number): number {
  const index = text.indexOf(beginning, from)
  return index < 0 ? Number.POSITIVE_INFINITY : index
}

/** The end of the mark at an offset; the offset where there is none in a value. */
function markEnd(text: string, start: number): number {
  // A soft line end is where the line is full, also behind a blank or a hyphen of a value.
  const isFree = text.charCodeAt(start) === EQUALS
  if (start === 0 || !(isFree || MAY_PRECEDE[text.charCodeAt(start - 1)] === 1)) return start
  if (MAY_FOLLOW[text.charCodeAt(start + 1)] !== 1) return start
  MARK_HERE.lastIndex = start
  if (!MARK_HERE.test(text)) return start
  const end = MARK_HERE.lastIndex
  const isValue =
    hasValueMark(text, Math.max(0, start - CLOSE), start) ||
    hasValueMark(text, end, end + CLOSE) ||
    isInAddress(text, start - 1, -1) ||
    isInAddress(text, end, 1)
  return isValue ? end : start
}

/** Whether `@` is in the rest of a word, in one direction. */
function isInAddress(text: string, from: number, step: 1 | -1): boolean {
  for (let count = 0, at = from; count < LONGEST_ADDRESS_PART; count++, at += step) {
    const unit = text.charCodeAt(at)
    if (unit === 0x40) return true
    if (!(unit > 0x20)) return false
  }
  return false
}

/** Whether a digit or `@` is in a range: values have them, on one of the sides of a mark. */
function hasValueMark(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x40 || (unit >= 0x30 && unit <= 0x39)) return true
  }
  return false
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
