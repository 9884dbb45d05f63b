import { fail } from '../errors.ts'

/** An exact decimal number: `units × 10^exponent`. */
export interface Decimal {
  readonly units: bigint
  readonly exponent: number
}

/** Places after the point that a division keeps. */
const DIVISION_PLACES = 16
/** Beyond this many digits the sum of two floats' exponents is no longer written out. */
const MOST_DIGITS = 2_000

/** The decimal number that a float prints as. */
export function toDecimal(value: number): Decimal {
  if (!Number.isFinite(value)) return fail('cannot create a decimal from NaN or infinity')
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  return { units: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}

/** The nearest float. */
export function decimalToNumber({ units, exponent }: Decimal): number {
  return Number(`${units}e${exponent}`)
}

/** The exact sum. */
export function addDecimals(left: Decimal, right: Decimal): Decimal {
  const exponent = Math.min(left.exponent, right.exponent)
  return { units: unitsAt(left, exponent) + unitsAt(right, exponent), exponent }
}

/** The exact difference. */
export function subtractDecimals(left: Decimal, right: Decimal): Decimal {
  return addDecimals(left, { units: -right.units, exponent: right.exponent })
}

/** The exact product. */
export function multiplyDecimals(left: Decimal, right: Decimal): Decimal {
  checkDigits(left.units, right.units)
  return { units: left.units * right.units, exponent: left.exponent + right.exponent }
}

/** The quotient rounded to 16 places, halves away from zero. */
export function divideDecimals(left: Decimal, right: Decimal): Decimal {
  if (right.units === 0n) return fail('decimal division by 0')
  const shift = left.exponent - right.exponent + DIVISION_PLACES
  const above = left.units * power(Math.max(shift, 0))
  const below = right.units * power(Math.max(-shift, 0))
  const quotient = above / below
  const rest = above % below
  const isUp = 2n * magnitude(rest) >= magnitude(below)
  const away = above < 0n === below < 0n ? 1n : -1n
  return { units: isUp ? quotient + away : quotient, exponent: -DIVISION_PLACES }
}

function unitsAt({ units, exponent }: Decimal, target: number): bigint {
  return units * power(exponent - target)
}

function power(exponent: number): bigint {
  if (exponent > MOST_DIGITS) return fail('decimal is too large')
  return 10n ** BigInt(exponent)
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value
}

function checkDigits(left: bigint, right: bigint): void {
  const limit = 1n << BigInt(4 * MOST_DIGITS)
  if (magnitude(left) > limit || magnitude(right) > limit) fail('decimal is too large')
}
