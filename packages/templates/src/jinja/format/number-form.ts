import { raise } from '../errors.ts'
import { isNegative, printFixed, printGeneral, printScientific, printSpecial } from '../numbers/float-text.ts'
import { payForInteger } from '../numbers/integer.ts'
import type { Rendering } from '../rendering.ts'

/** The letters that ask for a float. */
export type FloatType = 'e' | 'E' | 'f' | 'F' | 'g' | 'G'

/** A number as its sign and the rest, so that zeros can be put between. */
export interface SignedText {
  readonly negative: boolean
  readonly digits: string
}

/** The size and sign of a float in one of its forms. Pays for the digits. */
export function toFloatForm(
  run: Rendering,
  value: number,
  form: { readonly type: FloatType; readonly precision: number; readonly alternate: boolean },
): SignedText {
  const { type, precision, alternate } = form
  const negative = isNegative(value)
  const upper = type === 'E' || type === 'F' || type === 'G'
  if (!Number.isFinite(value)) {
    const word = printSpecial(Math.abs(value))
    return { negative, digits: upper ? word.toUpperCase() : word }
  }
  // The decimals of the smallest float end before this position.
  run.reserve(precision + 330)
  const text = printForm(value, { type, precision, alternate })
  return { negative, digits: upper ? text.toUpperCase() : text }
}

/** An integer with a base: `b`, `o`, `d` or `x`. Pays for the digits. */
export function toIntegerForm(run: Rendering, value: number | bigint, type: string): SignedText {
  payForInteger(run, value)
  const size = value < 0 ? -value : value
  return { negative: value < 0, digits: run.built(size.toString(toBase(type))) }
}

/** The prefix of digits in a base other than ten. */
export function toBasePrefix(type: string): string {
  switch (type) {
    case 'b':
    case 'o':
    case 'x':
      return `0${type}`
    case 'X':
      return '0X'
    default:
      return ''
  }
}

/** The integer part of a float. @throws OverflowError, ValueError for infinities and NaN */
export function truncateFloat(value: number): number | bigint {
  if (Number.isNaN(value)) raise('ValueError', 'cannot convert float NaN to integer')
  if (!Number.isFinite(value)) raise('OverflowError', 'cannot convert float infinity to integer')
  const whole = Math.trunc(value)
  return Number.isSafeInteger(whole) ? whole + 0 : BigInt(whole)
}

function toBase(type: string): number {
  switch (type) {
    case 'b':
      return 2
    case 'o':
      return 8
    case 'x':
    case 'X':
      return 16
    default:
      return 10
  }
}

function printForm(
  value: number,
  { type, precision, alternate }: { readonly type: FloatType; readonly precision: number; readonly alternate: boolean },
): string {
  switch (type) {
    case 'e':
    case 'E': {
      const text = printScientific(value, precision)
      return alternate && precision === 0 ? text.replace('e', '.e') : text
    }
    case 'f':
    case 'F':
      return printFixed(value, precision) + (alternate && precision === 0 ? '.' : '')
    case 'g':
    case 'G':
      return printGeneral(value, { digits: Math.max(1, precision), keepZeros: alternate })
  }
}
