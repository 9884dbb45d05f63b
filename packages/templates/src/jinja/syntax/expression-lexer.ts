import { TemplateFloat } from '../../number.ts'
import { JinjaSyntaxError } from '../errors.ts'
import { toInteger } from '../numbers/integer.ts'
import { isIdentifierPart, isIdentifierStart, isSpace } from '../text/characters.ts'
import { readStringLiteral } from './string-literal.ts'
import type { Token } from './token.ts'

/** The most digits of an integer literal, as in Python. */
const MAX_INTEGER_DIGITS = 4300

const LONG_OPERATORS = ['//', '**', '==', '!=', '>=', '<=']
const SHORT_OPERATORS = '+-/*%~[](){}><=.:|,;'

const BASES: ReadonlyMap<string, string> = new Map([
  ['b', '01'],
  ['o', '01234567'],
  ['x', '0123456789abcdef'],
])

/** A token and the offset of the next one; no token for white space. */
export interface Scanned {
  readonly token: Token | undefined
  readonly end: number
}

/** Reads the piece of an expression at an offset. @throws JinjaSyntaxError */
export function scanExpression(source: string, start: number, line: number): Scanned {
  const unit = source.charCodeAt(start)
  if (isSpace(unit)) {
    let end = start + 1
    while (isSpace(source.charCodeAt(end))) end++
    return { token: undefined, end }
  }
  if (isDecimalDigit(source, start)) return scanNumber(source, start, line)
  if (unit === 0x22 || unit === 0x27) return scanString(source, start, line)
  const word = scanWord(source, start, line)
  if (word !== undefined) return word
  const long = LONG_OPERATORS.find((operator) => source.startsWith(operator, start))
  const operator = long ?? (SHORT_OPERATORS.includes(source[start] ?? '') ? source[start] : undefined)
  if (operator === undefined) {
    const character = String.fromCodePoint(source.codePointAt(start) ?? 0)
    throw new JinjaSyntaxError(`unexpected char '${character}' at ${start}`, line)
  }
  return { token: { type: 'operator', text: operator, line }, end: start + operator.length }
}

function scanWord(source: string, start: number, line: number): Scanned | undefined {
  let end = start
  while (end < source.length) {
    const character = String.fromCodePoint(source.codePointAt(end) ?? 0)
    if (!isIdentifierPart(character)) break
    end += character.length
  }
  if (end === start) return undefined
  const text = source.slice(start, end)
  if (!isIdentifierStart(String.fromCodePoint(text.codePointAt(0) ?? 0))) {
    throw new JinjaSyntaxError('Invalid character in identifier', line)
  }
  return { token: { type: 'word', text, line }, end }
}

function scanString(source: string, start: number, line: number): Scanned {
  const quote = source[start]
  let end = start + 1
  while (end < source.length && source[end] !== quote) end += source[end] === '\\' ? 2 : 1
  if (end >= source.length) throw new JinjaSyntaxError(`unexpected char '${quote}' at ${start}`, line)
  const text = readStringLiteral(source.slice(start + 1, end))
  if (text === undefined) throw new JinjaSyntaxError('malformed escape in a string', line)
  return { token: { type: 'string', text, line }, end: end + 1 }
}

function scanNumber(source: string, start: number, line: number): Scanned {
  const float = source[start - 1] === '.' ? undefined : scanFloat(source, start)
  if (float !== undefined) {
    const value = Number(source.slice(start, float).replaceAll('_', ''))
    return { token: { type: 'float', value: new TemplateFloat(value), line }, end: float }
  }
  const end = scanInteger(source, start)
  const digits = source.slice(start, end).replaceAll('_', '')
  if (digits.length > MAX_INTEGER_DIGITS) throw new JinjaSyntaxError('an integer has too many digits', line)
  return { token: { type: 'integer', value: toInteger(BigInt(digits.toLowerCase())), line }, end }
}

/** The end of a float, which has a fraction, an exponent or both; undefined if the text is not a float. */
function scanFloat(source: string, start: number): number | undefined {
  const whole = scanDigits(source, start)
  const fraction = source[whole] === '.' ? scanDigits(source, whole + 1) : whole + 1
  const mantissa = fraction > whole + 1 ? fraction : whole
  const exponent = scanExponent(source, mantissa)
  if (exponent !== undefined) return exponent
  return mantissa > whole ? mantissa : undefined
}

function scanExponent(source: string, start: number): number | undefined {
  if (source[start] !== 'e' && source[start] !== 'E') return undefined
  const digits = source[start + 1] === '+' || source[start + 1] === '-' ? start + 2 : start + 1
  const end = scanDigits(source, digits)
  return end > digits ? end : undefined
}

function scanInteger(source: string, start: number): number {
  if (source[start] !== '0') return scanDigits(source, start)
  const base = BASES.get((source[start + 1] ?? '').toLowerCase())
  if (base !== undefined) {
    const end = scanDigitsIn(base, source, start + 2, true)
    if (end > start + 2) return end
  }
  return scanDigitsIn('0', source, start)
}

/** The end of a run of decimal digits with single underscores between. */
function scanDigits(source: string, start: number): number {
  return scanDigitsIn('0123456789', source, start)
}

/** Like {@link scanDigits} for any digits; after the prefix of a base an underscore may come first. */
function scanDigitsIn(digits: string, source: string, start: number, mayBegin = false): number {
  let end = start
  for (;;) {
    const at = source[end] === '_' && (end > start || mayBegin) ? end + 1 : end
    const character = (source[at] ?? '').toLowerCase()
    if (character === '' || !digits.includes(character)) return end
    end = at + 1
  }
}

function isDecimalDigit(source: string, index: number): boolean {
  const unit = source.charCodeAt(index)
  return unit >= 0x30 && unit <= 0x39
}
