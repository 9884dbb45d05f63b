import { runeAt, runeBytes } from '../bytes.ts'
import { canBackquote, quoteRune, quoteString } from '../quote.ts'
import { isPrintable } from '../unicode.ts'
import { type Flags, pad, padSpaces } from './flags.ts'
import { binaryExponent, type FloatVerb, formatFloat } from './float.ts'

/** A bool under a verb; undefined when the verb is not for bools. The functions below do the same for other types. */
export function formatBool(value: boolean, verb: string, flags: Flags): string | undefined {
  return verb === 'v' || verb === 't' ? pad(String(value), flags) : undefined
}

/** A string under a verb. */
export function formatString(bytes: string, verb: string, flags: Flags): string | undefined {
  switch (verb) {
    case 'v':
      return flags.sharpV ? quoted(bytes, flags) : pad(truncate(bytes, flags), flags)
    case 's':
      return pad(truncate(bytes, flags), flags)
    case 'q':
      return quoted(bytes, flags)
    case 'x':
      return hexBytes(bytes, flags, false)
    case 'X':
      return hexBytes(bytes, flags, true)
    default:
      return undefined
  }
}

/** An integer under a verb. */
export function formatInteger(value: bigint, unsigned: boolean, verb: string, flags: Flags): string | undefined {
  switch (verb) {
    case 'v':
      if (flags.sharpV && unsigned) return toDigits(value, 16, verb, { ...flags, sharp: true })
      return toDigits(value, 10, verb, flags)
    case 'd':
      return toDigits(value, 10, verb, flags)
    case 'b':
      return toDigits(value, 2, verb, flags)
    case 'o':
    case 'O':
      return toDigits(value, 8, verb, flags)
    case 'x':
      return toDigits(value, 16, verb, flags)
    case 'X':
      return toDigits(value, 16, verb, flags).toUpperCase()
    case 'c':
      return pad(runeBytes(asRune(value)), flags)
    case 'q':
      return pad(quoteRune(asRune(value), flags.plus), flags)
    case 'U':
      return unicode(BigInt.asUintN(64, value), flags)
    default:
      return undefined
  }
}

/** A float under a verb. */
export function formatFloatVerb(value: number, verb: string, flags: Flags): string | undefined {
  switch (verb) {
    case 'v':
      return float(value, 'g', -1, verb, flags)
    case 'b':
    case 'g':
    case 'G':
    case 'x':
    case 'X':
      return float(value, verb, -1, verb, flags)
    case 'e':
    case 'E':
    case 'f':
      return float(value, verb, 6, verb, flags)
    case 'F':
      return float(value, 'f', 6, verb, flags)
    default:
      return undefined
  }
}

/** A complex number under a verb. */
export function formatComplex(real: number, imaginary: number, verb: string, flags: Flags): string | undefined {
  const first = formatFloatVerb(real, verb, flags)
  const second = formatFloatVerb(imaginary, verb, { ...flags, plus: true })
  return first === undefined || second === undefined ? undefined : `(${first}${second}i)`
}

function asRune(value: bigint): number {
  return value >= 0n && value <= 0x10ffffn ? Number(value) : -1
}

function truncate(bytes: string, { precision }: Flags): string {
  if (precision === undefined || precision >= bytes.length) return bytes
  let at = 0
  for (let count = 0; count < precision && at < bytes.length; count++) at += runeAt(bytes, at).size
  return bytes.slice(0, at)
}

function quoted(bytes: string, flags: Flags): string {
  const text = truncate(bytes, flags)
  if (flags.sharp && canBackquote(text)) return pad(`\`${text}\``, flags)
  return pad(quoteString(text, flags.plus), flags)
}

function hexBytes(bytes: string, flags: Flags, upper: boolean): string {
  const prefix = flags.sharp ? '0x' : ''
  const shown = flags.precision === undefined ? bytes : bytes.slice(0, flags.precision)
  const pairs: string[] = []
  for (let at = 0; at < shown.length; at++) pairs.push(shown.charCodeAt(at).toString(16).padStart(2, '0'))
  const joined = flags.space ? pairs.map((pair) => prefix + pair).join(' ') : pairs.join('')
  const hex = flags.space || joined === '' ? joined : prefix + joined
  return pad(upper ? hex.toUpperCase() : hex, flags)
}

function toDigits(value: bigint, base: 2 | 8 | 10 | 16, verb: string, flags: Flags): string {
  const isNegative = value < 0n
  const hasSign = isNegative || flags.plus || flags.space
  let least = flags.precision ?? 0
  if (flags.precision === 0 && value === 0n) return padSpaces('', flags)
  if (flags.precision === undefined && flags.zero && !flags.minus && flags.width !== undefined) {
    least = flags.width - (hasSign ? 1 : 0)
  }
  const digits = (isNegative ? -value : value).toString(base).padStart(least, '0')
  const sign = isNegative ? '-' : flags.plus ? '+' : flags.space ? ' ' : ''
  return padSpaces(sign + toPrefix(digits, base, verb, flags) + digits, flags)
}

function toPrefix(digits: string, base: number, verb: string, flags: Flags): string {
  const letters = verb === 'O' ? '0o' : ''
  if (!flags.sharp) return letters
  if (base === 2) return `0b${letters}`
  if (base === 16) return '0x'
  return base === 8 && !digits.startsWith('0') ? `${letters}0` : letters
}

function unicode(value: bigint, flags: Flags): string {
  const hex = value
    .toString(16)
    .toUpperCase()
    .padStart(Math.max(flags.precision ?? 4, 4), '0')
  const rune = value <= 0x10ffffn ? Number(value) : -1
  const shown = flags.sharp && rune >= 0 && isPrintable(rune) ? ` '${runeBytes(rune)}'` : ''
  return padSpaces(`U+${hex}${shown}`, flags)
}

function float(value: number, form: FloatVerb | 'b', places: number, verb: string, flags: Flags): string {
  const text = form === 'b' ? binaryExponent(value) : formatFloat(value, form, flags.precision ?? places)
  const isSigned = text.startsWith('-') || text.startsWith('+')
  let sign = isSigned ? text.charAt(0) : '+'
  let digits = isSigned ? text.slice(1) : text
  if (flags.space && sign === '+' && !flags.plus) sign = ' '
  if (digits === 'Inf' || digits === 'NaN') return notANumber(digits, sign, flags)
  if (flags.sharp && form !== 'b') digits = withPoint(digits, verb, flags.precision ?? places)
  if (!flags.plus && sign === '+') return pad(digits, flags)
  const isZeroPadded = flags.zero && !flags.minus && flags.width !== undefined && flags.width > digits.length + 1
  if (isZeroPadded) return sign + pad(digits, { ...flags, width: (flags.width ?? 0) - 1 })
  return pad(sign + digits, flags)
}

function notANumber(digits: string, sign: string, flags: Flags): string {
  const showsSign = digits === 'Inf' || flags.space || flags.plus
  return padSpaces((showsSign ? sign : '') + digits, flags)
}

/** The sharp flag: always a point, and for `%g` the zeros up to the precision. */
function withPoint(digits: string, verb: string, places: number): string {
  const isHex = verb === 'x' || verb === 'X'
  const cut = digits.search(isHex ? /[pP]/ : /[eEpP]/)
  const mantissa = cut < 0 ? digits : digits.slice(0, cut)
  const tail = cut < 0 ? '' : digits.slice(cut)
  let missing = 0
  if (verb === 'v' || verb === 'g' || verb === 'G' || verb === 'x') {
    const significant = mantissa.replace('.', '').replace(/^0+/, '').length
    missing = (places < 0 ? 6 : places) - significant - (mantissa === '0' ? 1 : 0)
  }
  const point = mantissa.includes('.') ? '' : '.'
  return mantissa + point + '0'.repeat(Math.max(missing, 0)) + tail
}
