import { DOT, LOWER_E, MINUS, NINE, PLUS, UPPER_E, ZERO } from './ascii.ts'

/** Digits of an integer that is exact when summed up digit by digit. */
const MAX_EXACT_DIGITS = 15

const decoder = new TextDecoder()

/** 1 for the bytes numbers are written with: digits, signs, dot, `e`. */
const IS_NUMBER_BYTE = new Uint8Array(256)
for (const character of '0123456789+-.eE') IS_NUMBER_BYTE[character.charCodeAt(0)] = 1

/** The offset after the run of bytes that numbers are written with, or `limit`. */
export function skipNumberBytes(bytes: Uint8Array, from: number, limit: number): number {
  let position = from
  while (position < limit && IS_NUMBER_BYTE[bytes[position] ?? 0] !== 0) position++
  return position
}

/** Whether the bytes of a range are one number of RFC 8259. */
export function isNumber(bytes: Uint8Array, start: number, end: number): boolean {
  const integer = bytes[start] === MINUS ? start + 1 : start
  let position = skipDigits(bytes, integer, end)
  if (position === integer || (bytes[integer] === ZERO && position > integer + 1)) return false
  if (position < end && bytes[position] === DOT) {
    const fraction = position + 1
    position = skipDigits(bytes, fraction, end)
    if (position === fraction) return false
  }
  if (position < end && (bytes[position] === LOWER_E || bytes[position] === UPPER_E)) {
    position++
    if (position < end && (bytes[position] === PLUS || bytes[position] === MINUS)) position++
    const exponent = position
    position = skipDigits(bytes, exponent, end)
    if (position === exponent) return false
  }
  return position === end
}

/** The value of a number token: the nearest double, as `JSON.parse` gives it. */
export function parseNumberValue(bytes: Uint8Array, start: number, end: number): number {
  const integer = bytes[start] === MINUS ? start + 1 : start
  if (end - integer <= MAX_EXACT_DIGITS && skipDigits(bytes, integer, end) === end) {
    let value = 0
    for (let position = integer; position < end; position++) value = value * 10 + ((bytes[position] ?? 0) - ZERO)
    return integer > start ? -value : value
  }
  return Number(decoder.decode(bytes.subarray(start, end)))
}

function skipDigits(bytes: Uint8Array, from: number, end: number): number {
  let position = from
  while (position < end) {
    const byte = bytes[position] ?? 0
    if (byte < ZERO || byte > NINE) break
    position++
  }
  return position
}
