/** No float has more decimals, nor more significant digits, than this: only zeros follow. */
export const MAX_DIGITS = 1100

/** A finite number as `mantissa` times two to the power of `exponent`, exactly; without its sign. */
function decompose(value: number): { readonly mantissa: bigint; readonly exponent: number } {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const biased = Number((bits >> 52n) & 0x7ffn)
  const fraction = bits & 0xfffffffffffffn
  return biased === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | 0x10000000000000n, exponent: biased - 1075 }
}

/** The size of a finite number times ten to the power of `places`, rounded to an integer, ties to even. */
export function scaleToInteger(value: number, places: number): bigint {
  const { mantissa, exponent } = decompose(value)
  let numerator = mantissa
  let denominator = 1n
  if (exponent >= 0) numerator <<= BigInt(exponent)
  else denominator <<= BigInt(-exponent)
  if (places >= 0) numerator *= 10n ** BigInt(places)
  else denominator *= 10n ** BigInt(-places)
  return divideToEven(numerator, denominator)
}

/** The quotient of two integers that are not negative, ties to even. */
export function divideToEven(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator
  const doubled = (numerator % denominator) * 2n
  const up = doubled > denominator || (doubled === denominator && (quotient & 1n) === 1n)
  return up ? quotient + 1n : quotient
}

/** `count` significant digits of the size of a finite number and its decimal exponent: d.ddd times ten to it. */
export function toSignificant(value: number, count: number): { readonly digits: string; readonly exponent: number } {
  if (value === 0) return { digits: '0'.repeat(count), exponent: 0 }
  const digits = Math.min(count, MAX_DIGITS)
  let exponent = Math.floor(Math.log10(Math.abs(value)))
  for (;;) {
    const text = scaleToInteger(value, digits - 1 - exponent).toString()
    if (text.length === digits) return { digits: text.padEnd(count, '0'), exponent }
    // The logarithm was off by one, or the digits were rounded up to one more.
    exponent += text.length > digits ? 1 : -1
  }
}
