import type { Span } from '../../span.ts'
import type { Candidate } from './candidate.ts'
import { isAlphanumeric, isDigit } from './characters.ts'
import { modulo97, sumWeighted } from './checksums.ts'
import type { StructuredKind } from './kind.ts'

/** Groups of digits with one mark between, and perhaps a check letter. */
const GROUPS = /\d+(?:[ \u00a0.\-/]\d+){0,9}(?:-[\dXK])?(?![\p{L}\d])/iuy
/** A French account: bank, branch, eleven letters and digits, key. */
const FRENCH = /\d{5}[ -]?\d{5}[ -]?(?=[A-Z]{0,10}\d)[A-Z\d]{11}[ -]?\d{2}(?!\w)/iy
/** A branch or an account with its check digit. */
const SHORT = /^\d{3,5}-[\dXK]$/i
const FEWEST = 6
const MOST = 30
const THOUSANDS = /^\d{1,3}(?:[ .\u00a0]\d{3})+$/
const DATE = /^(?:(?:19|20)\d\d[-./]\d\d?[-./]\d\d?|\d\d?[-./]\d\d?[-./](?:19|20)\d\d)/
/** The rest of a decimal fraction, or a currency. */
const AMOUNT =
  /^(?:[.,]\d|[ \u00a0]?(?:%|€|\$|£|¥|₽|元|円|(?:EUR|USD|GBP|CHF|BRL|eur|euros?|reais|pesos|dollars|kr|zł|руб))(?![a-z]))/u

/** Whether digits are an account with a check: of France, Spain, Portugal, Poland, Mexico, Argentina, the United States. */
function isChecked(code: string): boolean {
  switch (code.length) {
    case 9:
      return /^(?:0\d|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2])/.test(code) && passesTens(code, [3, 7, 1, 3, 7, 1, 3, 7])
    case 18:
      return passesTens(code, [3, 7, 1, 3, 7, 1, 3, 7, 1, 3, 7, 1, 3, 7, 1, 3, 7])
    case 20:
      return isSpanish(code)
    case 21:
      return modulo97(code) === 1
    case 22:
      return (
        passesTens(code.slice(0, 8), [7, 1, 3, 9, 7, 1, 3]) &&
        passesTens(code.slice(8), [3, 9, 7, 1, 3, 9, 7, 1, 3, 9, 7, 1, 3])
      )
    case 23:
      return isFrench(code)
    case 26:
      return modulo97(`${code.slice(2)}2521${code.slice(0, 2)}`) === 1
    default:
      return false
  }
}

/** The check of tens; each product counts by its last digit. */
function passesTens(digits: string, weights: readonly number[]): boolean {
  return (10 - (sumWeighted(digits, weights) % 10)) % 10 === Number(digits.at(-1))
}

function isSpanish(digits: string): boolean {
  const check = (part: string): number => {
    const rest = 11 - (sumWeighted(part, [1, 2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11)
    return rest === 10 ? 1 : rest % 11
  }
  return digits.slice(8, 10) === `${check(`00${digits.slice(0, 8)}`)}${check(digits.slice(10))}`
}

function isFrench(code: string): boolean {
  const values = [...code].map((char) => (/\d/.test(char) ? char : frenchValue(char))).join('')
  const [bank, branch, account, key] = [values.slice(0, 5), values.slice(5, 10), values.slice(10, 21), values.slice(21)]
  return (89 * Number(bank) + 15 * Number(branch) + 3 * Number(account) + Number(key)) % 97 === 0
}

/** Letters count from one to nine, from S on from two. */
function frenchValue(letter: string): string {
  const place = letter.charCodeAt(0) - 0x41
  return String(place < 18 ? (place % 9) + 1 : place - 16)
}

/** The number of a bank account, or of a bank, behind a word that announces it. */
export const BANK_ACCOUNT: StructuredKind = {
  name: 'bank_account',
  group: 'BANK_ACCOUNT',
  numbers: [1, MOST],
  mixed: [11, 23],
  announcedBy: 'bank_account',
  find(candidate) {
    const span = read(candidate)
    return span !== undefined && isChecked(codeIn(candidate.text, span)) ? span : undefined
  },
  findUnchecked: read,
}

function codeIn(text: string, { start, end }: Span): string {
  return text
    .slice(start, end)
    .toUpperCase()
    .replaceAll(/[^A-Z\d]/g, '')
}

function read({ text, start }: Candidate): Span | undefined {
  if (!isDigit(text.charCodeAt(start)) || isAlphanumeric(text.charCodeAt(start - 1))) return undefined
  const found = matchAt(FRENCH, text, start) ?? matchAt(GROUPS, text, start)
  if (found === undefined) return undefined
  const digits = found.replaceAll(/\D/g, '').length
  if (digits > MOST || (digits < FEWEST && !SHORT.test(found))) return undefined
  const end = start + found.length
  if (DATE.test(found) || (AMOUNT.test(text.slice(end, end + 9)) && isAmount(text, found, end))) return undefined
  return { start, end }
}

/** Whether what looks like a fraction or a currency behind a number makes it an amount: only groups of thousands do. */
function isAmount(text: string, found: string, end: number): boolean {
  return THOUSANDS.test(found) || /^\d+$/.test(found) || /^[.,]\d/.test(text.slice(end, end + 2))
}

function matchAt(form: RegExp, text: string, at: number): string | undefined {
  form.lastIndex = at
  return form.exec(text)?.[0]
}
