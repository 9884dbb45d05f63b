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
  // (11) 91234-5678.
  /^\([1-9]\d\) ?(?:9\d{4}|[2-5]\d{3})-\d{4}$/,
]
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
