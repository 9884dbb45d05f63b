/**
 * Go strings are bytes. Inside the Go engine every string value is a "byte string": a JavaScript string whose code
 * units are the bytes of the UTF-8 text (0..255). Lengths, slices, comparisons and searches are then Go's own, and
 * cutting through a character loses nothing. Only this file converts text; for ASCII both forms are the same string.
 */

const BEYOND_ASCII = /[\u0080-\uffff]/
const CHUNK = 8192

/** The character in place of bytes that are not UTF-8. */
const REPLACEMENT_RUNE = 0xfffd

/** One code point of a byte string. Bytes that are not UTF-8 read as U+FFFD of size 1. */
export interface Rune {
  readonly value: number
  /** Length in bytes. */
  readonly size: number
}

/** Whether a string is only ASCII, and so the same as text and as bytes. */
export function isAscii(value: string): boolean {
  return !BEYOND_ASCII.test(value)
}

/** Text to a byte string. Lone surrogates become U+FFFD. */
export function toBytes(text: string): string {
  if (isAscii(text)) return text
  const encoded = new TextEncoder().encode(text)
  const parts: string[] = []
  for (let at = 0; at < encoded.length; at += CHUNK) {
    // Several times as fast as spreading a typed array.
    parts.push(Reflect.apply(String.fromCharCode, undefined, encoded.subarray(at, at + CHUNK)))
  }
  return parts.join('')
}

/** Converts a byte string to text. Invalid UTF-8 becomes U+FFFD; a byte order mark is kept. */
export function toText(bytes: string): string {
  if (isAscii(bytes)) return bytes
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(byteArray(bytes))
}

/** The bytes of a byte string. */
export function byteArray(bytes: string): Uint8Array {
  const array = new Uint8Array(bytes.length)
  for (let at = 0; at < bytes.length; at++) array[at] = bytes.charCodeAt(at)
  return array
}

/** The byte string of one code point; an invalid one becomes U+FFFD. */
export function runeBytes(value: number): string {
  if (value < 0x80 && value >= 0) return String.fromCharCode(value)
  const isCharacter = value >= 0 && value <= 0x10ffff && !(value >= 0xd800 && value <= 0xdfff)
  return toBytes(String.fromCodePoint(isCharacter ? value : REPLACEMENT_RUNE))
}

/** The code point that begins at a byte. `at` must lie inside the string. */
export function runeAt(bytes: string, at: number): Rune {
  const first = bytes.charCodeAt(at)
  if (first < 0x80) return { value: first, size: 1 }
  if (first >= 0xc2 && first <= 0xdf) return assemble(bytes, at, first & 0x1f, 2, 0x80)
  if (first >= 0xe0 && first <= 0xef) return assemble(bytes, at, first & 0x0f, 3, 0x800)
  if (first >= 0xf0 && first <= 0xf4) return assemble(bytes, at, first & 0x07, 4, 0x10000)
  return { value: REPLACEMENT_RUNE, size: 1 }
}

function assemble(bytes: string, at: number, lead: number, size: number, least: number): Rune {
  let value = lead
  for (let offset = 1; offset < size; offset++) {
    const next = bytes.charCodeAt(at + offset)
    if (!(next >= 0x80 && next <= 0xbf)) return { value: REPLACEMENT_RUNE, size: 1 }
    value = (value << 6) | (next & 0x3f)
  }
  const isCharacter = value >= least && value <= 0x10ffff && !(value >= 0xd800 && value <= 0xdfff)
  return isCharacter ? { value, size } : { value: REPLACEMENT_RUNE, size: 1 }
}

/** The code points of a byte string, in order. */
export function* runes(bytes: string): Generator<Rune, void, void> {
  for (let at = 0; at < bytes.length; ) {
    const rune = runeAt(bytes, at)
    yield rune
    at += rune.size
  }
}

/** Number of code points in a byte string. */
export function runeCount(bytes: string): number {
  if (isAscii(bytes)) return bytes.length
  let count = 0
  for (let at = 0; at < bytes.length; count++) at += runeAt(bytes, at).size
  return count
}

/** Replaces every code point; bytes that are not UTF-8 come out as U+FFFD, as in Go. */
export function mapRunes(bytes: string, replace: (rune: number) => number): string {
  const parts: string[] = []
  let pending: number[] = []
  for (let at = 0; at < bytes.length; ) {
    const { value, size } = runeAt(bytes, at)
    pending.push(replace(value))
    at += size
    if (pending.length < CHUNK) continue
    parts.push(String.fromCodePoint(...pending))
    pending = []
  }
  parts.push(String.fromCodePoint(...pending))
  return toBytes(parts.join(''))
}
