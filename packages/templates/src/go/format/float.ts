/** Digits of a number: `0.digits × 10^point`, without trailing zeros; no digits for zero. */
interface Digits {
  readonly digits: string
  readonly point: number
}

/** The verbs of `strconv.FormatFloat` but for `b`. */
export type FloatVerb = 'e' | 'E' | 'f' | 'g' | 'G' | 'x' | 'X'

/** `strconv.FormatFloat(value, verb, precision, 64)`: a precision of -1 gives the shortest text that reads back. */
export function formatFloat(value: number, verb: FloatVerb, precision: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value < 0 ? '-Inf' : '+Inf'
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  return sign + formatPositive(Math.abs(value), verb, precision)
}

function formatPositive(value: number, verb: FloatVerb, precision: number): string {
  switch (verb) {
    case 'x':
      return hexadecimal(value, precision)
    case 'X':
      return hexadecimal(value, precision).toUpperCase()
    case 'e':
    case 'E': {
      const digits = precision < 0 ? shortest(value) : rounded(value, () => precision + 1)
      return exponential(digits, precision < 0 ? Math.max(digits.digits.length - 1, 0) : precision, verb)
    }
    case 'f': {
      const digits = precision < 0 ? shortest(value) : rounded(value, (point) => point + precision)
      return plain(digits, precision < 0 ? Math.max(digits.digits.length - digits.point, 0) : precision)
    }
    case 'g':
    case 'G':
      return general(value, verb, precision)
  }
}

/** `%g`: with an exponent below 1e-4 and from 10^precision up; the shortest form counts as precision 6. */
function general(value: number, verb: 'g' | 'G', precision: number): string {
  const isShortest = precision < 0
  const wanted = isShortest ? 6 : Math.max(precision, 1)
  const digits = isShortest ? shortest(value) : rounded(value, () => wanted)
  const count = digits.digits.length
  let threshold = wanted
  if (!isShortest && threshold > count && count >= digits.point) threshold = count
  const exponent = digits.point - 1
  if (exponent < -4 || exponent >= threshold) {
    return exponential(digits, Math.max(count - 1, 0), verb === 'g' ? 'e' : 'E')
  }
  return plain(digits, Math.max(count - digits.point, 0))
}

function exponential({ digits, point }: Digits, places: number, letter: 'e' | 'E'): string {
  const exponent = digits === '' ? 0 : point - 1
  const padded = digits.padEnd(places + 1, '0')
  const fraction = places > 0 ? `.${padded.slice(1)}` : ''
  const sign = exponent < 0 ? '-' : '+'
  return `${padded.charAt(0)}${fraction}${letter}${sign}${String(Math.abs(exponent)).padStart(2, '0')}`
}

function plain({ digits, point }: Digits, places: number): string {
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0'
  if (places <= 0) return whole
  const fraction = (point > 0 ? digits.slice(point) : '0'.repeat(Math.min(-point, places)) + digits).padEnd(places, '0')
  return `${whole}.${fraction.slice(0, places)}`
}

/** The fewest digits that read back as the same number. */
function shortest(value: number): Digits {
  if (value === 0) return { digits: '', point: 0 }
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e')
  return { digits: mantissa.replace('.', ''), point: Number(exponent) + 1 }
}

/** Every digit the number has: 1074 places after the point at most. */
function exactDigits(value: number): Digits {
  if (value === 0) return { digits: '', point: 0 }
  const { mantissa, exponent } = binaryParts(value)
  if (exponent >= 0) return withoutZeros((mantissa << BigInt(exponent)).toString(), 0)
  return withoutZeros((mantissa * 5n ** BigInt(-exponent)).toString(), exponent)
}

function withoutZeros(digits: string, shift: number): Digits {
  let end = digits.length
  while (end > 0 && digits.charAt(end - 1) === '0') end--
  return { digits: digits.slice(0, end), point: digits.length + shift }
}

/** Exact digits rounded half to even to the requested number. */
function rounded(value: number, keep: (point: number) => number): Digits {
  const exact = exactDigits(value)
  const count = keep(exact.point)
  if (count >= exact.digits.length) return exact
  if (count < 0) return { digits: '', point: 0 }
  const kept = exact.digits.slice(0, count)
  if (!roundsUp(exact.digits, count)) return trimmed(kept, exact.point)
  const raised = (BigInt(`0${kept}`) + 1n).toString().padStart(count, '0')
  return trimmed(raised, exact.point + raised.length - count)
}

function trimmed(digits: string, point: number): Digits {
  const { digits: kept } = withoutZeros(digits, 0)
  return kept === '' ? { digits: '', point: 0 } : { digits: kept, point }
}

function roundsUp(digits: string, count: number): boolean {
  const next = digits.charAt(count)
  if (next === '5' && digits.length === count + 1) return count > 0 && Number(digits.charAt(count - 1)) % 2 === 1
  return next >= '5'
}

interface BinaryParts {
  readonly mantissa: bigint
  /** Power of two of the mantissa's last bit. */
  readonly exponent: number
}

function binaryParts(value: number): BinaryParts {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const biased = Number((bits >> 52n) & 0x7ffn)
  const fraction = bits & 0xf_ffff_ffff_ffffn
  if (biased === 0) return { mantissa: fraction, exponent: -1074 }
  return { mantissa: fraction | 0x10_0000_0000_0000n, exponent: biased - 1075 }
}

/** `%b`: the mantissa as a whole number and the power of two. */
export function binaryExponent(value: number): string {
  if (!Number.isFinite(value)) return formatFloat(value, 'g', -1)
  const { mantissa, exponent } = binaryParts(Math.abs(value))
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  return `${sign}${mantissa}p${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`
}

/** `%x`: 0x1.8p+01. */
function hexadecimal(value: number, precision: number): string {
  let { mantissa, exponent } = binaryParts(value)
  if (mantissa === 0n) exponent = 0
  else {
    const shift = 53 - mantissa.toString(2).length
    mantissa <<= BigInt(shift)
    exponent += 52 - shift
  }
  if (precision >= 0 && precision < 13) {
    const drop = BigInt(52 - 4 * precision)
    const half = 1n << (drop - 1n)
    const rest = mantissa & ((1n << drop) - 1n)
    mantissa >>= drop
    if (rest > half || (rest === half && (mantissa & 1n) === 1n)) mantissa += 1n
    mantissa <<= drop
    if (mantissa >> 53n > 0n) {
      mantissa >>= 1n
      exponent++
    }
  }
  const places = precision < 0 ? 13 : precision
  const all = (mantissa & 0xf_ffff_ffff_ffffn).toString(16).padStart(13, '0')
  const fraction = precision < 0 ? all.replace(/0+$/, '') : all.slice(0, places).padEnd(places, '0')
  const dot = fraction === '' ? '' : `.${fraction}`
  return `0x${mantissa >> 52n}${dot}p${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
}
