import type { Span } from '../../span.ts'
import { isAlphanumeric, isDigit, isSeparator } from './characters.ts'

const PLUS = 0x2b
const OPEN = 0x28
const CLOSE = 0x29
const SLASH = 0x2f
const DOT = 0x2e
const HYPHEN = 0x2d
/** Fewest digits of a number. */
export const FEWEST = 7
/** Most digits of a number. */
export const MOST = 15
/** Most marks between two groups. */
export const MOST_MARKS = 3

/** A number as it is written. */
export interface PhoneNumber extends Span {
  /** The digits, group by group. */
  readonly groups: readonly string[]
  readonly digits: string
  /** Whether digits follow beyond the number. */
  readonly goesOn: boolean
}

/** Reads a number from its first sign on; undefined for one of too few digits. */
export function readNumber(text: string, start: number): PhoneNumber | undefined {
  const groups: string[] = []
  let digits = ''
  let end = start
  let position = start
  while (!isDigit(text.charCodeAt(position))) position++
  for (;;) {
    const from = position
    while (isDigit(text.charCodeAt(position)) && position - from <= MOST) position++
    const group = text.slice(from, position)
    if (
      digits.length + group.length > MOST ||
      (isAlphanumeric(text.charCodeAt(position)) && !(mayBeExtension(text, position) && isExtension(text, position)))
    )
      break
    groups.push(group)
    digits += group
    end = position
    const next = skipMarks(text, position) + skipLineEnd(text, position, start, digits.length)
    if (next === position || !isDigit(text.charCodeAt(next))) break
    position = next
  }
  if (digits.length < FEWEST) return undefined
  return { start, end, groups, digits, goesOn: position > end && isDigit(text.charCodeAt(position - 1)) }
}

/** Digits of a number with its country code that a line end may cut, at most. */
const MOST_BEFORE_LINE_END = 8
const LINE_END = /[ -]?\r?\n[ \t>]{0,8}(?=\(?\d{3})/y

/** The length of a line end that cuts a number with its country code. */
function skipLineEnd(text: string, at: number, start: number, digits: number): number {
  const unit = text.charCodeAt(at)
  if (digits > MOST_BEFORE_LINE_END || !(unit === 0x0a || unit === 0x0d || unit === 0x20 || unit === HYPHEN)) return 0
  if (text.charCodeAt(start) !== PLUS) return 0
  LINE_END.lastIndex = at
  const [found] = LINE_END.exec(text) ?? []
  return found === undefined ? 0 : found.length - (skipMarks(text, at) - at)
}

function skipMarks(text: string, from: number): number {
  let position = from
  while (position - from < MOST_MARKS && isMark(text.charCodeAt(position))) position++
  // A minus sign comes before the number that it belongs to.
  const isMinus = text.charCodeAt(position - 1) === HYPHEN && text.charAt(position - 2) === ' '
  return isMinus ? from : position
}

/** Whether a code unit separates the groups of a number. */
export function isMark(unit: number): boolean {
  if (isSeparator(unit)) return unit !== 0x0a && unit !== 0x0d
  return unit === OPEN || unit === CLOSE || unit === SLASH || unit === DOT
}

const EXTENSION =
  /[ \t]{0,2}[,;]?[ \t]{0,2}(?:x|ext\.?|extn\.?|extension|durchwahl|dw|poste|int\.?|#)[ \t.:=]{0,2}\d{1,6}(?![\dA-Za-z])/iy

/** The end of the extension behind a number; the end of the number where none follows. */
export function extensionEnd(text: string, end: number): number {
  EXTENSION.lastIndex = end
  return EXTENSION.exec(text) === null ? end : EXTENSION.lastIndex
}

/** Whether a letter begins one of the words of an extension. */
export function mayBeExtension(text: string, at: number): boolean {
  return 'xedpi'.includes(text.charAt(at).toLowerCase())
}

function isExtension(text: string, at: number): boolean {
  return extensionEnd(text, at) > at
}
