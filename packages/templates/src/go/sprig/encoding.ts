import { type FunctionTable, fixed, walking } from '../function.ts'

/** Base64 and base32. Invalid input gives the text of Go's error, as in sprig. */
export const ENCODING_FUNCTIONS: FunctionTable = walking({
  b64enc: fixed(['string'], (_, text) => encode(text, BASE64)),
  b64dec: fixed(['string'], (_, text) => decodeBase64(text)),
  b32enc: fixed(['string'], (_, text) => encode(text, BASE32)),
  b32dec: fixed(['string'], (_, text) => decodeBase32(text)),
})

/** An alphabet with the bits and characters of a group. */
interface Base {
  readonly alphabet: string
  readonly bits: number
  readonly groupLength: number
  readonly values: ReadonlyMap<string, number>
}

const BASE64 = makeBase('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', 6, 4)
const BASE32 = makeBase('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 5, 8)

function makeBase(alphabet: string, bits: number, groupLength: number): Base {
  return { alphabet, bits, groupLength, values: new Map([...alphabet].map((char, value) => [char, value])) }
}

function encode(bytes: string, { alphabet, bits, groupLength }: Base): string {
  const out: string[] = []
  let buffer = 0
  let held = 0
  for (let at = 0; at < bytes.length; at++) {
    buffer = ((buffer << 8) | bytes.charCodeAt(at)) & 0xffff
    held += 8
    for (; held >= bits; held -= bits) out.push(alphabet.charAt((buffer >> (held - bits)) & ((1 << bits) - 1)))
  }
  if (held > 0) out.push(alphabet.charAt((buffer << (bits - held)) & ((1 << bits) - 1)))
  while (out.length % groupLength !== 0) out.push('=')
  return out.join('')
}

/** The bytes of digits without padding; bits left over are dropped. */
function decode(digits: readonly number[], bits: number): string {
  const out: string[] = []
  let buffer = 0
  let held = 0
  for (const digit of digits) {
    buffer = ((buffer << bits) | digit) & 0xffff
    held += bits
    if (held < 8) continue
    held -= 8
    out.push(String.fromCharCode((buffer >> held) & 0xff))
  }
  return out.join('')
}

function isLineEnd(char: string): boolean {
  return char === '\n' || char === '\r'
}

function decodeBase64(text: string): string {
  const corrupt = (at: number): string => `illegal base64 data at input byte ${at}`
  const digits: number[] = []
  const skipLineEnds = (from: number): number => {
    let at = from
    while (isLineEnd(text.charAt(at))) at++
    return at
  }
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    const value = BASE64.values.get(char)
    if (value !== undefined) {
      digits.push(value)
      continue
    }
    if (isLineEnd(char)) continue
    const inGroup = digits.length % 4
    if (char !== '=' || inGroup < 2) return corrupt(at)
    let next = skipLineEnds(at + 1)
    if (inGroup === 2) {
      if (next >= text.length) return corrupt(text.length)
      if (text.charAt(next) !== '=') return corrupt(next - 1)
      next = skipLineEnds(next + 1)
    }
    return next < text.length ? corrupt(next) : decode(digits, 6)
  }
  return digits.length % 4 === 0 ? decode(digits, 6) : corrupt(text.length - (digits.length % 4))
}

function decodeBase32(text: string): string {
  const corrupt = (at: number): string => `illegal base32 data at input byte ${at}`
  const source = text.replace(/[\r\n]/g, '')
  const digits: number[] = []
  for (let at = 0; at < source.length; at++) {
    const char = source.charAt(at)
    const inGroup = digits.length % 8
    const left = source.length - at - 1
    if (char === '=' && inGroup >= 2 && left < 8) {
      if (left + inGroup < 7) return corrupt(source.length)
      const wrong = source.slice(at + 1, at + 8 - inGroup).search(/[^=]/)
      if (wrong >= 0) return corrupt(at + wrong)
      return [1, 3, 6].includes(inGroup) ? corrupt(at) : decode(digits, 5)
    }
    const value = BASE32.values.get(char)
    if (value === undefined) return corrupt(at)
    digits.push(value)
  }
  return digits.length % 8 === 0 ? decode(digits, 5) : corrupt(source.length - (digits.length % 8))
}
