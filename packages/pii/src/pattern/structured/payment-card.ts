import type { Span } from '../../span.ts'
import { type Candidate, formatSizes, type GroupedNumber, listNumbers } from './candidate.ts'
import { isDigit } from './characters.ts'
import { passesLuhn } from './checksums.ts'
import type { StructuredKind } from './kind.ts'

const SHORTEST = 12
const LONGEST = 19
/** Shortest number that needs neither groups nor a word that announces it. */
const SHORTEST_BARE = 14

/** A number with the length, the first digits and the check of a payment card (ISO/IEC 7812-1), in groups or not. */
export const PAYMENT_CARD: StructuredKind = {
  name: 'credit_card',
  group: 'CREDITCARD',
  numbers: [3, LONGEST],
  digits: [SHORTEST, LONGEST],
  labelledBy: 'card',
  findUnchecked: findForm,
  find(candidate) {
    const { text, start } = candidate
    if (!'123456'.includes(text.charAt(start))) return undefined
    // Of cards with 1, only those of JCB with 1800 are known.
    if (text.charAt(start) === '1' && !text.startsWith('18', start)) return undefined
    return listNumbers(candidate, SHORTEST, LONGEST).find((number) => isCard(candidate, number))
  },
}

/** A number of the digits of a card, in groups that cards have. */
function findForm(candidate: Candidate): Span | undefined {
  return listNumbers(candidate, SHORTEST, LONGEST).find(({ groups }) => CARD_SIZES.test(formatSizes(groups)))
}

const CARD_SIZES = /^(?:1[2-9]|(?:4-){2,3}[1-7]|4-6-[45])$/

function isCard(candidate: Candidate, number: GroupedNumber): boolean {
  const { digits } = number
  if (!isIssued(digits) || !passesLuhn(digits)) return false
  const isClear = digits.length >= SHORTEST_BARE && hasUsualForm(candidate, number)
  return isClear || candidate.isNamed('card')
}

/** The groups of printed cards: of four, or as on cards of 14 and 15 digits. */
const USUAL_SIZES = /^(?:1[4569]|(?:4-)+[1-4]|4-6-[45])$/

function hasUsualForm(candidate: Candidate, number: GroupedNumber): boolean {
  const { groups } = number
  if (!USUAL_SIZES.test(formatSizes(groups))) return false
  if (groups.length === 1) return !candidate.isPart && !isDecimalPoint(candidate, number)
  const [, ...later] = groups
  const marks = new Set(later.map(({ separator }) => separator))
  // Blanks and hyphens may be mixed; a dot, a slash, a low line or a line break is the same between all groups.
  const others = [...marks].filter((mark) => mark !== 'blank' && mark !== 'hyphen')
  if (others.length > 0 && marks.size > 1 && !isCutAtLineEnd(candidate, number)) return false
  return !isPartOfRow(candidate, number)
}

/** Whether one line end is between groups with blanks or hyphens, and no other digits are on both lines beside them. */
function isCutAtLineEnd({ text, start }: Candidate, { end, groups }: GroupedNumber): boolean {
  const [, ...later] = groups
  if (later.filter(({ separator }) => separator === 'line').length !== 1) return false
  if (later.some(({ separator }) => separator !== 'line' && separator !== 'blank' && separator !== 'hyphen'))
    return false
  return (
    !/\d[^\n]{0,8}$/.test(text.slice(Math.max(0, start - 9), start)) && !/^\s{0,8}\d/.test(text.slice(end, end + 9))
  )
}

/** Whether digits follow a dot behind the number: a version or an amount. */
function isDecimalPoint({ text }: Candidate, { end }: Span): boolean {
  return text.charAt(end) === '.' && isDigit(text.charCodeAt(end + 1))
}

/** A number on the line before, and on the line behind. */
const LINE_BEFORE = /(?<![\d.])\d{1,6}[ \t]{0,8}\r?\n[ \t]{0,8}$/
const LINE_BEHIND = /^[ \t]{0,8}\r?\n[ \t]{0,8}\d{1,6}(?![\d.])/
const LINE_UNITS = 24
/** Four hex digits, one of them decimal, on the same line. */
const HEX_BEFORE = /(?<![\dA-Za-z])(?=[A-F]{0,3}\d)[\dA-F]{4}[ \t]{1,2}$/
const HEX_BEHIND = /^[ \t]{1,2}(?=[A-F]{0,3}\d)[\dA-F]{4}(?![\dA-Za-z])/

/** Whether more groups of four are before or behind the number, as in the row or the column of a table. */
function isPartOfRow({ text, start, groups: all }: Candidate, { groups, end }: GroupedNumber): boolean {
  if (groups.filter(({ separator }) => separator === 'line').length > 1) {
    return (
      LINE_BEFORE.test(text.slice(Math.max(0, start - LINE_UNITS), start)) ||
      LINE_BEHIND.test(text.slice(end, end + LINE_UNITS))
    )
  }
  const next = all[groups.length]
  if (next !== undefined && next.separator === 'blank' && next.end - next.start === 4) return true
  if (groups.length > 1 && HEX_BEHIND.test(text.slice(end, end + 8))) return true
  return HEX_BEFORE.test(text.slice(Math.max(0, start - 8), start))
}

/** Whether cards of these first digits and this length are issued; test numbers of zeros only are not. */
function isIssued(digits: string): boolean {
  const first = Number(digits.charAt(0))
  const two = Number(digits.slice(0, 2))
  const four = Number(digits.slice(0, 4))
  if (first === 4) return digits.length === 13 || digits.length === 16 || digits.length === 19
  if ((two >= 51 && two <= 55) || (four >= 2221 && four <= 2720)) return digits.length === 16
  if (four === 2131 || four === 1800) return digits.length === 15
  if (four >= 2200 && four <= 2204) return digits.length >= 16
  if (two === 34 || two === 37) return digits.length === 15
  if (two === 36 || two === 38 || two === 39 || two === 30) return digits.length >= 14
  if (two === 35 || two === 62 || two === 64 || two === 65 || four === 6011) return digits.length >= 16
  return two === 50 || (two >= 56 && two <= 63) || (two >= 66 && two <= 69)
}
