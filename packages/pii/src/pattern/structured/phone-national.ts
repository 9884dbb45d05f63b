import type { Span } from '../../span.ts'
import { isNationalNumber, type PhonePlan } from '../phone-regions.ts'
import type { PhoneNumber } from './phone-number.ts'

/** Groups behind a trunk prefix of 0, as they are usual in Europe, Asia, Australia and Africa, or behind 8 in Russia. */
const TRUNK_FORMS = [
  // In pairs: 06 12 34 56 78.
  /^0[1-9]([ .-])\d\d\1\d\d\1\d\d\1\d\d$/,
  // An area or a network, and one or two groups: (030) 1234567, 020 7946 0958, 07700 900123.
  /^\(0[1-9]\d{1,3}\) ?\d{5,8}$/,
  /^0[1-9]\d{3}[ -]\d{6}$/,
  /^\(?0[1-9]\d{1,3}\)? ?[ /-] ?\d{3,4}[ -]\d{4}$/,
  /^\(?0[1-9]\)? ?[ -] ?\d{4}[ -]\d{4}$/,
  // 0176 12345678, 0351 555 0118, 0664 123 45 67, 070-123 45 67, 069 12345-678.
  /^01[5-7]\d[ -]\d{7,8}$/,
  /^0[1-9]\d{1,3}[ /-]\d{4}[ -]\d{3}$/,
  /^0[1-9]\d{1,2}[ /-]\d{3} \d\d \d\d$/,
  /^0[1-9]\d{1,3}[ /]\d{4,7}-\d{1,4}$/,
  // 0412 345 678, 081 234 5678 and 0803-123-4567.
  /^0[1-9]\d(?:([ -])\d{3}\1\d{4}|\d([ -])\d{3}\2\d{3,4})$/,
  // 8 (916) 123-45-67.
  /^8[ -]?\(?[3489]\d\d\)?[ -]?\d{3}[ -]\d\d[ -]\d\d$/,
  // (11) 91234-5678 and 11 91234-5678.
  /^(?:\([1-9]\d\) ?(?:9\d{4}|[2-5]\d{3})|[1-9]\d 9\d{4})-\d{4}$/,
  // An area and the rest: 0211/8845120, 06-48277361, 0300-1234567, 0712 345678.
  /^0[1-9]\d{0,4}[/-]\d{5,9}$/,
  /^0[1-9]\d{2}[ ]\d{6,7}$/,
  // 0172/4418 203, (0 43 21) 88 15-0, 06 - 48 27 73 61.
  /^0[1-9]\d{1,4}\/\d{2,5}(?: \d{2,4}){1,3}(?:-\d{1,4})?$/,
  /^\(0 [1-9]\d \d\d\) ?\d\d(?: ?\d\d){0,3}(?:-\d{1,4})?$/,
  /^0[1-9] - ?\d\d \d\d \d\d \d\d$/,
  // 0478 21 63 95, 08-482 773 61, (0532) 482 77 36, 01632 960 417, 09 482 773 612, 0466-12-3456.
  /^0[1-9]\d\d([ .-])\d\d\1\d\d\1\d\d$/,
  /^0[1-9]\d{0,2}-\d{2,3} \d{2,3} \d\d(?: \d\d)?$/,
  /^(?:\(0[2-5]\d\d\)|0 ?\([2-5]\d\d\)) ?\d{3} \d\d \d\d$/,
  /^0[1-9]\d{3} \d{3} \d{3}$/,
  /^09([ -])\d{3}\1\d{3}\1\d{3}$/,
  /^0[1-9]\d{2,3}-\d{1,3}-\d{4}$/,
  // Without a trunk prefix: 612 34 56 78, 91 234 56 78, 55 1234 5678, 21 482 7736, 9 8412 7736, 138 0013 8000.
  /^[6-9]\d\d ([1-9]\d|0\d) \d\d \d\d$/,
  /^(?:[1-9]\d|\([1-9]\d\)) \d{3} \d\d \d\d$/,
  /^[2-9]\d \d{4}[ -]\d{4}$/,
  /^2\d \d{3} \d{4}$/,
  /^9 [2-9]\d{3} \d{4}$/,
  /^1[3-9]\d([ -])\d{4}\1\d{4}$/,
  // 98765 43210.
  /^[6-9]\d{4} \d{5}$/,
]
const CHINESE_MOBILE = /^1[3-9]\d{9}$/
const HAN_BEFORE = /\p{Script=Han}[^\p{L}\p{N}\n]{0,3}$/u
const HAN_BEHIND = /^[^\p{L}\p{N}\n]?\p{Script=Han}/u

/** Whether eleven digits without a mark are a Chinese mobile number, with a Chinese word on one side. */
export function isChineseMobile(text: string, { start, end }: Span): boolean {
  if (end - start !== 11 || !CHINESE_MOBILE.test(text.slice(start, end))) return false
  return HAN_BEFORE.test(text.slice(Math.max(0, start - 4), start)) || HAN_BEHIND.test(text.slice(end, end + 2))
}
/** Digits beside a number: the row of a table, an amount. */
const BESIDE_BEFORE = /(?:\b[\da-f]{2} |[\d.,:/-]|[#$€£¥_=&?]|\d[ \t]{1,3})$/iu
const BESIDE_AFTER = /^(?: [\da-f]{2}\b|[ \t]{1,3}[\d.]|[.,:/_-]\d|%)/i
const FEWEST = 9

/** Whether the groups begin with a trunk prefix and have the form of a number that is dialled inside a country. */
export function hasTrunkForm(text: string, { start, end, digits }: PhoneNumber): boolean {
  if (digits.length < FEWEST || digits.length > 12) return false
  const written = text
    .slice(start, end)
    .replaceAll(/[\u00a0\u2009\u202f]/g, ' ')
    .replaceAll(/[\u2010-\u2015]/g, '-')
  return TRUNK_FORMS.some((form) => form.test(written)) && isAlone(text, start, end)
}

/** Whether a number is one of the national numbers of some regions. */
export function isRegional(text: string, number: PhoneNumber, plans: readonly PhonePlan[]): boolean {
  const { start, end, digits, goesOn, groups } = number
  if (plans.length === 0 || goesOn || !isNationalNumber(digits, plans)) return false
  const written = text.slice(start, end)
  // Dates, thousands, fractions and tables.
  if (/^(?:19|20)\d\d[-/. ]\d\d?[-/. ]\d\d?$|[ \t]{2}|^[1-9]\d{0,2}(?:[., ]\d{3})+$|^\d+\.\d+$/.test(written))
    return false
  return groups.length <= 6 && isAlone(text, start, end)
}

function isAlone(text: string, start: number, end: number): boolean {
  return !BESIDE_BEFORE.test(text.slice(Math.max(0, start - 4), start)) && !BESIDE_AFTER.test(text.slice(end, end + 4))
}
