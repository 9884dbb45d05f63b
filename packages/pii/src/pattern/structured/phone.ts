import type { Span } from '../../span.ts'
import { isCallingCode } from './calling-codes.ts'
import type { Candidate } from './candidate.ts'
import { isAlphanumeric, isDigit, isSeparator } from './characters.ts'
import { contextIndex } from './context.ts'
import type { StructuredKind } from './kind.ts'

const PLUS = 0x2b
const OPEN = 0x28
const CLOSE = 0x29
const SLASH = 0x2f
const DOT = 0x2e
const HYPHEN = 0x2d
const TILDE = 0x7e
const FEWEST = 7
const MOST = 15
/** Fewest digits of a number with its country code. */
const FEWEST_INTERNATIONAL = 8
const MOST_MARKS = 3
/** Most digits of an international number without any mark. */
const LONGEST_UNBROKEN = 13

interface PhoneNumber extends Span {
  /** The digits, group by group. */
  readonly groups: readonly string[]
  readonly digits: string
  /** Whether digits follow beyond the number. */
  readonly goesOn: boolean
}

/**
 * A telephone number: with its country code, in the groups of the North American plan, or after a word that announces
 * it; with its extension.
 */
export const PHONE: StructuredKind = {
  name: 'phone',
  group: 'PHONE',
  numbers: [1, MOST],
  mixed: [9, 24],
  labelledBy: 'phone',
  findUnchecked: findShort,
  find(candidate) {
    const { text } = candidate
    const start = numberStart(candidate)
    if (start === undefined) return undefined
    if (!mayBePhone(candidate, start)) return undefined
    const number = readNumber(text, start)
    if (number === undefined || !isPhone(candidate, number)) return undefined
    return { start, end: extensionEnd(text, number.end) }
  },
}

/** The start with the plus sign and the brackets before the first digit. */
function numberStart({ text, start: at }: Candidate): number | undefined {
  if (!isDigit(text.charCodeAt(at))) return undefined
  let start = at
  if (text.charCodeAt(start - 1) === PLUS) start--
  if (text.charCodeAt(start - 1) === OPEN) start--
  if (start < at && text.charCodeAt(start) === OPEN && text.charCodeAt(start - 1) === PLUS) start--
  const before = start === 0 ? -1 : text.charCodeAt(start - 1)
  if (isAlphanumeric(before) || before === PLUS || before === DOT || before === 0x5f) return undefined
  if ((before === HYPHEN && isAlphanumeric(text.charCodeAt(start - 2))) || before === TILDE) return undefined
  return start
}

/** A quick check: a prefix, a group of the size of an area, or an announcing word. */
function mayBePhone(candidate: Candidate, start: number): boolean {
  const { text, start: at, end } = candidate
  if (start < at || text.startsWith('00', at)) return true
  const first = text.charCodeAt(at)
  if (end - at === 3 && first >= 0x32 && isMark(candidate.after)) return true
  if (end - at === 1 && first === 0x31 && isMark(candidate.after)) return true
  if (candidate.isAnnouncedAtAll && (candidate.isAnnounced('phone') || candidate.isAnnounced('call'))) return true
  return (candidate.digitSums & PHONE_SUMS) !== 0 && isNamedBehind(candidate, candidate.runEnd)
}

/** A bit for each number of digits that a telephone has. */
const PHONE_SUMS = 0x7f80
const PHONE_LABEL = contextIndex('phone')
const LINE_LABEL = contextIndex('line')
/** A label that ends a clause: `office supplies` is not one. */
const LINE_END =
  /[^\p{L}\n]{1,4}\p{L}+(?: (?:number|line|phone|no\.?))?(?:$|[^\p{L}\p{N} ]| (?:and|or|und|et|y|e|o|en) )/uy
/** Numbers with a blank, a dot or an apostrophe between thousands. */
const THOUSANDS = /^\d{1,3}(?:[ .,'\u00a0\u202f]\d{3})+$/

/** Whether a label such as `office` is behind a number that does not count something. */
function isNamedBehind(candidate: Candidate, end: number): boolean {
  const written = candidate.text.slice(candidate.start, end)
  if (THOUSANDS.test(written)) return false
  if (candidate.isLabelBehind(PHONE_LABEL, end)) return true
  if (!candidate.isLabelBehind(LINE_LABEL, end) || /^\d+$/.test(written)) return false
  LINE_END.lastIndex = end
  return LINE_END.test(candidate.text)
}

/** A number of five or six digits, as in small places. */
function findShort(candidate: Candidate): Span | undefined {
  const { text, start } = candidate
  SHORT.lastIndex = start
  const [found] = isAlphanumeric(text.charCodeAt(start - 1)) ? [] : (SHORT.exec(text) ?? [])
  return found === undefined ? undefined : { start, end: start + found.length }
}

const SHORT = /(?:\d{5,6}|\d{2,3}[ /-]\d{2,3}|\d{2} \d{2} \d{2})(?![\w]|[.,:/-]\d| \d)/y

function readNumber(text: string, start: number): PhoneNumber | undefined {
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
      (isAlphanumeric(text.charCodeAt(position)) && !isExtension(text, position))
    )
      break
    groups.push(group)
    digits += group
    end = position
    const next = skipMarks(text, position)
    if (next === position || !isDigit(text.charCodeAt(next))) break
    position = next
  }
  if (digits.length < FEWEST) return undefined
  return { start, end, groups, digits, goesOn: position > end && isDigit(text.charCodeAt(position - 1)) }
}

function skipMarks(text: string, from: number): number {
  let position = from
  while (position - from < MOST_MARKS && isMark(text.charCodeAt(position))) position++
  // A minus sign comes before the number that it belongs to.
  const isMinus = text.charCodeAt(position - 1) === HYPHEN && text.charAt(position - 2) === ' '
  return isMinus ? from : position
}

function isMark(unit: number): boolean {
  if (isSeparator(unit)) return unit !== 0x0a && unit !== 0x0d
  return unit === OPEN || unit === CLOSE || unit === SLASH || unit === DOT
}

function isPhone(candidate: Candidate, number: PhoneNumber): boolean {
  if (isInternational(candidate, number)) return true
  if (isNorthAmerican(candidate.text, number)) return true
  if (isDate(number) || number.goesOn) return false
  if (candidate.isAnnounced('phone') || isNamedBehind(candidate, number.end)) return true
  const written = candidate.text.slice(number.start, number.end)
  // Versions, tables and numbers of standards follow such words too.
  if (/[ \t]{2}|\.\d+-|\b\d\.\d\b/.test(written)) return false
  const isShaped = number.groups.length > 1 || number.digits.length >= 10 || number.digits.startsWith('0')
  return isShaped && candidate.isAnnounced('call')
}

/** Whether a plus sign or two zeros and a calling code begin the number. */
function isInternational(candidate: Candidate, { start, end, groups, digits, goesOn }: PhoneNumber): boolean {
  const { text } = candidate
  const hasPlus = text.slice(start, candidate.start).includes('+')
  const number = hasPlus ? digits : digits.replace(/^00/, '')
  if (number.length < FEWEST_INTERNATIONAL || !isCallingCode(number)) return false
  const hasDots = text.slice(start, end).includes('.')
  // A decimal fraction has one dot; a number with dots has short groups.
  if (hasDots && (groups.length < 3 || groups.some(({ length }) => length > 5))) return false
  if (hasPlus) return groups.length > 1 || number.length <= LONGEST_UNBROKEN
  if (!digits.startsWith('00') || goesOn) return false
  const isAlone =
    !/\d\s+$/.test(text.slice(Math.max(0, start - 3), start)) && !/[ \t]{2}|\t/.test(text.slice(start, end))
  const isShaped = groups.length > 2 && (groups[0]?.length ?? 0) > 3 && number.length >= 10
  return (isAlone && isShaped) || candidate.isAnnounced('phone')
}

/** Whether the groups are area, exchange and line of the North American plan. */
function isNorthAmerican(text: string, { start, end, groups, goesOn }: PhoneNumber): boolean {
  const own = groups[0] === '1' ? groups.slice(1) : groups
  const [area = '', exchange = '', line = '', ...more] = own
  if (more.length > 0 || area.length !== 3 || exchange.length !== 3 || line.length !== 4) return false
  if (goesOn || !/^[2-9]/.test(area) || !/^[2-9]/.test(exchange)) return false
  const written = text.slice(start, end)
  if (written.includes('.') && /[- ]/.test(written)) return false
  if (/[-.()]/.test(written)) return true
  return !/[\d.,]\s$/.test(text.slice(Math.max(0, start - 2), start)) && !/^[\s,]+\d/.test(text.slice(end, end + 3))
}

function isDate({ groups }: PhoneNumber): boolean {
  const sizes = groups.map(({ length }) => length).join('-')
  if (sizes === '4-4') return groups.every((year) => /^(?:19|20)/.test(year))
  return /^(?:4-[12]-[12](?:$|-)|[12]-[12]-(?:2|4)$)/.test(sizes) && !groups[0]?.startsWith('0')
}

const EXTENSION =
  /[ \t]{0,2}[,;]?[ \t]{0,2}(?:x|ext\.?|extn\.?|extension|durchwahl|dw|poste|int\.?|#)[ \t.:]{0,2}\d{1,6}(?![\dA-Za-z])/iy

function extensionEnd(text: string, end: number): number {
  EXTENSION.lastIndex = end
  return EXTENSION.exec(text) === null ? end : EXTENSION.lastIndex
}

function isExtension(text: string, at: number): boolean {
  return extensionEnd(text, at) > at
}
