import { toDigitValue } from '../text/characters.ts'
import { trimText } from '../text/trim.ts'
import { type Integer, toInteger } from './integer.ts'

/** The most digits of a decimal integer, as in Python: reading takes quadratic time. */
export const MAX_INTEGER_DIGITS = 4300

const BASES: ReadonlyMap<string, number> = new Map([
  ['b', 2],
  ['o', 8],
  ['x', 16],
])

/** The integer in a text as Python's `int` reads it: blanks around, a sign, underscores; undefined for other text. */
export function parseIntegerText(text: string, base: number): Integer | undefined {
  if (base !== 0 && (base < 2 || base > 36)) return undefined
  const { negative, rest } = takeSign(trimText(text, 'both'))
  const prefix = rest[0] === '0' ? BASES.get((rest[1] ?? '').toLowerCase()) : undefined
  const hasPrefix = prefix !== undefined && (base === 0 || base === prefix)
  const actual = base === 0 ? (prefix ?? 10) : base
  const digits = withoutUnderscores(hasPrefix ? rest.slice(2) : rest, {
    mayBegin: hasPrefix,
    isDigit: (character) => toDigit(character) !== undefined,
  })
  if (digits === undefined || digits === '' || digits.length > MAX_INTEGER_DIGITS) return undefined
  // Without a base, zeros may not come first: `010` was octal once.
  if (base === 0 && !hasPrefix && digits[0] === '0' && digits.replaceAll('0', '') !== '') return undefined
  const value = readDigits(digits, actual)
  return value === undefined ? undefined : toInteger(negative ? -value : value)
}

/** The float in a text as Python's `float` reads it; undefined for other text. */
export function parseFloatText(text: string): number | undefined {
  const { negative, rest } = takeSign(trimText(text, 'both'))
  const size = readSize(rest)
  if (size === undefined) return undefined
  return negative ? -size : size
}

function readSize(text: string): number | undefined {
  switch (text.toLowerCase()) {
    case 'inf':
    case 'infinity':
      return Number.POSITIVE_INFINITY
    case 'nan':
      return Number.NaN
    default:
  }
  const plain = withoutUnderscores(toAsciiDigits(text), {
    mayBegin: false,
    isDigit: (character) => isAsciiDigit(character, 0),
  })
  return plain !== undefined && isFloatText(plain) ? Number(plain) : undefined
}

/** Digits, a point and an exponent, each of them optional, but with a digit before the exponent. */
function isFloatText(text: string): boolean {
  let index = 0
  const skipDigits = (): number => {
    const start = index
    while (isAsciiDigit(text, index)) index++
    return index - start
  }
  let digits = skipDigits()
  if (text[index] === '.') {
    index++
    digits += skipDigits()
  }
  if (digits === 0) return false
  if (text[index] === 'e' || text[index] === 'E') {
    index++
    if (text[index] === '+' || text[index] === '-') index++
    if (skipDigits() === 0) return false
  }
  return index === text.length
}

function takeSign(text: string): { readonly negative: boolean; readonly rest: string } {
  const signed = text[0] === '-' || text[0] === '+'
  return { negative: text[0] === '-', rest: signed ? text.slice(1) : text }
}

/** Removes single underscores between digits; returns undefined for a text with any other underscore. */
function withoutUnderscores(
  text: string,
  { mayBegin, isDigit }: { readonly mayBegin: boolean; readonly isDigit: (character: string) => boolean },
): string | undefined {
  if (!text.includes('_')) return text
  const parts = text.split('_')
  const isRight = parts.every((part, index) => {
    if (part === '') return index === 0 && mayBegin
    const beginsWell = index === 0 || isDigit(part[0] ?? '')
    const endsWell = index === parts.length - 1 || isDigit(part.at(-1) ?? '')
    return beginsWell && endsWell
  })
  return isRight ? parts.join('') : undefined
}

function readDigits(digits: string, base: number): bigint | undefined {
  let plain = ''
  for (const character of digits) {
    const digit = toDigit(character)
    if (digit === undefined || digit >= base) return undefined
    plain += digit.toString(36)
  }
  if (base === 10) return BigInt(plain)
  let value = 0n
  const big = BigInt(base)
  for (const character of plain) value = value * big + BigInt(Number.parseInt(character, 36))
  return value
}

function toDigit(character: string): number | undefined {
  const decimal = toDigitValue(character)
  if (decimal !== undefined) return decimal
  const code = character.toLowerCase().charCodeAt(0) - 0x61
  return character.length === 1 && character < '\x80' && code >= 0 && code < 26 ? code + 10 : undefined
}

function toAsciiDigits(text: string): string {
  let result = ''
  for (const character of text) result += character < '\x80' ? character : String(toDigitValue(character) ?? character)
  return result
}

function isAsciiDigit(text: string, index: number): boolean {
  const unit = text.charCodeAt(index)
  return unit >= 0x30 && unit <= 0x39
}
