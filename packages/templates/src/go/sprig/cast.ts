import { isInt64, parseFloatLiteral, parseInteger } from '../literals.ts'
import { GoInteger, GoPointer, type GoValue, indirect } from '../values.ts'

const LEAST = -(2n ** 63n)

/** Any value as an `int64`: numbers cut off, texts read as Go literals, everything else 0. */
export function toInt(value: GoValue): bigint {
  const target = indirect(value)
  if (target instanceof GoInteger) return BigInt.asIntN(64, target.value)
  if (typeof target === 'number') return truncate(target)
  if (typeof target === 'boolean') return target ? 1n : 0n
  if (typeof target !== 'string') return 0n
  const parsed = parseInteger(withoutZeroFraction(target))
  return parsed !== undefined && isInt64(parsed) ? parsed : 0n
}

/** Any value as a `float64`: texts read as Go literals, everything else 0. */
export function toFloat(value: GoValue): number {
  const target = indirect(value)
  if (typeof target === 'number') return target
  if (target instanceof GoInteger) return Number(target.value)
  if (typeof target === 'boolean') return target ? 1 : 0
  if (typeof target === 'string') return parseFloatText(target) ?? 0
  return target instanceof GoPointer ? 0 : 0
}

/** The processor's conversion of floats out of range. */
function truncate(value: number): bigint {
  const cut = Math.trunc(value)
  if (Number.isNaN(cut) || cut >= 2 ** 63 || cut < -(2 ** 63)) return LEAST
  return BigInt(cut)
}

/** `1.00` counts as `1`. */
function withoutZeroFraction(text: string): string {
  return text.replace(/\.0+$/, '')
}

function parseFloatText(text: string): number | undefined {
  const word = /^([+-]?)(inf|infinity|nan)$/i.exec(text)
  if (word === null) return parseFloatLiteral(text)
  if (/nan/i.test(text)) return word[1] === '' ? Number.NaN : undefined
  return word[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}

/** `strconv.Atoi`; a number out of range gives the nearest bound, and any other text 0. */
export function parseDecimal(text: string): bigint {
  if (!/^[+-]?[0-9]+$/.test(text)) return 0n
  const isNegative = text.startsWith('-')
  const bound = isNegative ? -(2n ** 63n) : 2n ** 63n - 1n
  const digits = text.replace(/^[+-]?0*/, '')
  if (digits.length > 19) return bound
  const value = isNegative ? -BigInt(digits === '' ? 0 : digits) : BigInt(digits === '' ? 0 : digits)
  return isInt64(value) ? value : bound
}
