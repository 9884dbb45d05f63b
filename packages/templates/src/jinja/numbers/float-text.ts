import { MAX_DIGITS, scaleToInteger, toSignificant } from './decimal.ts'

/** Prints a float as Python does: the shortest text that reads back the same, always with a point or an exponent. */
export function printFloat(value: number): string {
  if (!Number.isFinite(value)) return printSpecial(value)
  const sign = isNegative(value) ? '-' : ''
  const { digits, exponent } = toShortest(Math.abs(value))
  if (exponent >= -4 && exponent < 16) return sign + placePoint(digits, exponent)
  const point = digits.length > 1 ? `${digits[0]}.${digits.slice(1)}` : digits
  return `${sign}${point}${printExponent(exponent)}`
}

/** The size of a number with a fixed number of decimals: form `f`. */
export function printFixed(value: number, decimals: number): string {
  if (decimals > MAX_DIGITS) return printFixed(value, MAX_DIGITS) + '0'.repeat(decimals - MAX_DIGITS)
  const digits = scaleToInteger(value, decimals)
    .toString()
    .padStart(decimals + 1, '0')
  if (decimals === 0) return digits
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/** The size of a number with an exponent and a fixed number of decimals: form `e`. */
export function printScientific(value: number, decimals: number): string {
  const { digits, exponent } = toSignificant(value, decimals + 1)
  const point = decimals > 0 ? `${digits[0]}.${digits.slice(1)}` : digits
  return point + printExponent(exponent)
}

/** Options of {@link printGeneral}. */
export interface GeneralForm {
  /** Significant digits, from 1. */
  readonly digits: number
  /** Keep zeros at the end, and the point. */
  readonly keepZeros: boolean
  /** Always a decimal, as in `str`; an exponent one digit earlier. */
  readonly asFloat?: boolean | undefined
}

/** The size of a number with so many significant digits, with an exponent where that is shorter: form `g`. */
export function printGeneral(value: number, { digits: count, keepZeros, asFloat = false }: GeneralForm): string {
  const { digits, exponent } = toSignificant(value, count)
  const kept = keepZeros ? digits : withoutZeros(digits)
  if (exponent >= -4 && exponent < (asFloat ? count - 1 : count)) {
    const text = placePoint(kept, exponent)
    if (asFloat) return text
    if (keepZeros) return exponent + 1 >= count ? text.slice(0, -1) : text
    return text.endsWith('.0') ? text.slice(0, -2) : text
  }
  const point = kept.length > 1 || keepZeros ? `${kept[0]}.${kept.slice(1)}` : kept
  return point + printExponent(exponent)
}

/** Whether a number has a minus sign, zero included. */
export function isNegative(value: number): boolean {
  return value < 0 || Object.is(value, -0)
}

/** The text of infinity and NaN. */
export function printSpecial(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  return value < 0 ? '-inf' : 'inf'
}

/** The digits and the exponent of the shortest form; JavaScript finds the same digits as Python. */
function toShortest(size: number): { readonly digits: string; readonly exponent: number } {
  const [mantissa = '0', exponent = '0'] = size.toExponential().split('e')
  return { digits: mantissa.replace('.', ''), exponent: Number(exponent) }
}

/** Plain notation; at least one digit on each side of the point. */
function placePoint(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  return `${whole}.${digits.slice(exponent + 1) || '0'}`
}

function withoutZeros(digits: string): string {
  let end = digits.length
  while (end > 1 && digits[end - 1] === '0') end--
  return digits.slice(0, end)
}

function printExponent(exponent: number): string {
  return `e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
}
