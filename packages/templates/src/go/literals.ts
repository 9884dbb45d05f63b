import { unquoteRune } from './quote.ts'
import { GoComplex, type GoValue, goInt } from './values.ts'

/** A number of the source in every reading that Go allows. Its context decides the reading. */
export interface NumberLiteral {
  /** As an `int`, when it is a whole number in range; `1.0` and `'a'` count. */
  readonly integer: bigint | undefined
  /** As a `float64`. */
  readonly float: number | undefined
  /** As an argument of type `any`, where its spelling decides; undefined where Go finds it out of range. */
  readonly natural: GoValue
}

const INTEGER = /^[+-]?(?:0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO]?(?:_?[0-7])+|0|[1-9](?:_?[0-9])*)$/
const DIGITS = '[0-9]+(?:_[0-9]+)*'
const DECIMAL_FLOAT = new RegExp(`^[+-]?(?:${DIGITS}(?:\\.(?:${DIGITS})?)?|\\.${DIGITS})(?:[eE][+-]?${DIGITS})?$`)
const HEX_FLOAT = /^([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?[0-9]+)$/
const LONGEST_INTEGER = 100

/** Reads a number or character token; returns the message for any other text. */
export function parseNumber(text: string, kind: 'number' | 'complex' | 'charConstant'): NumberLiteral | string {
  if (kind === 'charConstant') return parseRune(text)
  if (kind === 'complex' || text.endsWith('i')) return parseComplex(text)
  const integer = parseInteger(text)
  if (integer !== undefined) return wholeLiteral(text, integer)
  const float = parseFloatLiteral(text)
  if (float === undefined) return 'illegal number syntax'
  if (!/[.eEpP]/.test(text)) return 'integer overflow'
  return { integer: wholeInRange(float), float, natural: float }
}

/** A Go integer literal with base prefix and underscores, of any size; undefined for other text. */
export function parseInteger(text: string): bigint | undefined {
  if (text.length > LONGEST_INTEGER || !INTEGER.test(text)) return undefined
  const negative = text.startsWith('-')
  const digits = text.replace(/^[+-]/, '').replaceAll('_', '')
  const isOctal = /^0[0-7]/.test(digits)
  const value = BigInt(isOctal ? `0o${digits.slice(1)}` : digits)
  return negative ? -value : value
}

/** A Go float literal, decimal or hexadecimal; undefined for other text and for an overflow. */
export function parseFloatLiteral(text: string): number | undefined {
  if (!DECIMAL_FLOAT.test(text)) return parseHexFloat(text)
  const value = Number(text.replaceAll('_', ''))
  return Number.isFinite(value) ? value : undefined
}

/** The range of `int` and `int64`. */
export function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value
}

function parseRune(text: string): NumberLiteral | string {
  const rune = unquoteRune(text)
  if (rune === undefined) return 'malformed character constant'
  return { integer: BigInt(rune), float: rune, natural: goInt(rune) }
}

function wholeLiteral(text: string, value: bigint): NumberLiteral | string {
  if (isInt64(value)) {
    const isFloat = /[.eEpP]/.test(text) && !/^0[xX]/.test(text)
    return { integer: value, float: Number(value), natural: isFloat ? Number(value) : goInt(value) }
  }
  const fitsUnsigned = value >= 0n && BigInt.asUintN(64, value) === value && !text.startsWith('+')
  return fitsUnsigned ? { integer: undefined, float: Number(value), natural: undefined } : 'integer overflow'
}

function wholeInRange(value: number): bigint | undefined {
  if (!Number.isInteger(value) || Math.abs(value) >= 2 ** 63) return undefined
  return BigInt(value)
}

function parseComplex(text: string): NumberLiteral | string {
  const split = Math.max(text.lastIndexOf('+'), text.lastIndexOf('-'))
  const afterExponent = /[eEpP]/.test(text.charAt(split - 1))
  const isPair = split > 0 && !afterExponent
  const imaginary = parseFloatLiteral(text.slice(isPair ? split : 0, -1))
  const real = isPair ? parseFloatLiteral(text.slice(0, split)) : 0
  if (real === undefined || imaginary === undefined) return 'illegal number syntax'
  const isReal = imaginary === 0
  const integer = isReal ? wholeInRange(real) : undefined
  return { integer, float: isReal ? real : undefined, natural: new GoComplex(real, imaginary) }
}

function parseHexFloat(text: string): number | undefined {
  const parts = HEX_FLOAT.exec(text)
  if (parts === null) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = ''] = parts
  const digits = `${whole}${fraction}`
  if (digits === '' || digits.length > LONGEST_INTEGER) return undefined
  const value = Number(BigInt(`0x${digits}`)) * 2 ** (Number(exponent) - 4 * fraction.length)
  if (!Number.isFinite(value)) return undefined
  return sign === '-' ? -value : value
}
