/** Fractional digits of a decimal number. */
const DECIMAL_DIGITS = 12
/** 1 in the unit of {@link readDecimal}. */
export const DECIMAL_ONE = 10n ** BigInt(DECIMAL_DIGITS)
/** Largest price and rate. */
export const MAX_DECIMAL = 1_000_000

/** Texts of {@link readDecimal}, without regard to the bounds. The exponent is how programs write small numbers. */
export const DECIMAL_FORM = '^[0-9]{1,15}(?:\\.[0-9]{1,40})?(?:[eE][-+]?[0-9]{1,2})?$'

const FORM = new RegExp(DECIMAL_FORM)

/**
 * Reads a decimal number from 0 to {@link MAX_DECIMAL} exactly.
 *
 * @returns the number in units of 10^-12, or a sentence that refuses the text
 */
export function readDecimal(text: string): bigint | string {
  if (!FORM.test(text)) return 'must be a decimal number of 0 or more, such as 2.5'
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const shift = DECIMAL_DIGITS + Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction)
  const divisor = 10n ** BigInt(Math.max(0, -shift))
  if (digits % divisor !== 0n) return `must have at most ${DECIMAL_DIGITS} digits behind the point`
  const value = (digits / divisor) * 10n ** BigInt(Math.max(0, shift))
  return value > BigInt(MAX_DECIMAL) * DECIMAL_ONE ? `must be at most ${MAX_DECIMAL}` : value
}
