import { findChangedReading, joinReadings, NOTHING_LEFT } from './readings.ts'

/** Text decoded from bytes, and its encoding back for the same reader. */
export interface TextBytes {
  readonly text: string
  readonly encode: (text: string) => Uint8Array
  /** Whether the charset is supported. For any other the text has the ASCII characters, and other bytes as bytes. */
  readonly isKnown: boolean
}

/** One way of reading bytes. */
interface Charset {
  readonly decode: (bytes: Uint8Array) => string
  readonly encode: (text: string) => Uint8Array
}

const encoder = new TextEncoder()
/** An invalid byte must not hide the text beside it. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const wideDecoder = new TextDecoder('utf-16le', { ignoreBOM: true })

/** This many ASCII characters in a row are not a coincidence. */
const ASCII_RUN = 4

const UTF_8: Charset = { decode: (bytes) => decoder.decode(bytes), encode: (text) => encoder.encode(text) }
const UTF_16LE: Charset = { decode: (bytes) => wideDecoder.decode(bytes), encode: toWideBytes }
const UTF_16BE: Charset = {
  decode: (bytes) => wideDecoder.decode(swapped(bytes)),
  encode: (text) => swapped(toWideBytes(text)),
}
/** Every byte a character of its own, as in ISO 8859-1. */
const LATIN_1: Charset = { decode: toBinary, encode: fromBinary }

const CHARSETS: ReadonlyMap<string, Charset> = new Map([
  ...['utf-8', 'utf8', 'us-ascii', 'ascii'].map((label) => [label, UTF_8] as const),
  ...['utf-16', 'utf-16le'].map((label) => [label, UTF_16LE] as const),
  ['utf-16be', UTF_16BE],
  ...['iso-8859-1', 'latin1', 'windows-1252'].map((label) => [label, LATIN_1] as const),
])

/**
 * Reads bytes by their byte order mark, by their declared charset, or as UTF-8. Readers differ in their choice: when
 * bytes look like text in another charset, that reading follows, after a blank line.
 *
 * @param charset a label; @default none
 */
export function readTextBytes(bytes: Uint8Array, charset?: string): TextBytes {
  const label = charset?.toLowerCase()
  const said = charsetOfMark(bytes) ?? (label === undefined ? undefined : (CHARSETS.get(label) ?? LATIN_1))
  // ASCII reads the same in ISO 8859-1.
  const likely = likelyCharsets(bytes).filter((other) => other !== said && (said !== LATIN_1 || other !== UTF_8))
  const charsets = said === undefined && likely.length > 0 ? likely : [said ?? UTF_8, ...likely]
  const texts = charsets.map(({ decode }) => decode(bytes))
  return {
    text: joinReadings(texts),
    isKnown: (label === undefined || CHARSETS.has(label)) && !isMarkedUtf32(bytes),
    encode: (text) => {
      const changed = findChangedReading(text, texts)
      return (changed && charsets[changed.index]?.encode(changed.text)) ?? encoder.encode(NOTHING_LEFT)
    },
  }
}

function charsetOfMark(bytes: Uint8Array): Charset | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return UTF_8
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return UTF_16LE
  return bytes[0] === 0xfe && bytes[1] === 0xff ? UTF_16BE : undefined
}

/** Its mark begins with that of UTF-16. */
function isMarkedUtf32(bytes: Uint8Array): boolean {
  return bytes[0] === 0xff && bytes[1] === 0xfe && bytes[2] === 0 && bytes[3] === 0
}

/** The charsets in which ASCII characters are among the bytes. */
function likelyCharsets(bytes: Uint8Array): Charset[] {
  const isWide = bytes.includes(0)
  return [
    ...(hasAscii(bytes, { from: 0, step: 1 }) ? [UTF_8] : []),
    ...(isWide && hasAscii(bytes, { from: 0, step: 2 }) ? [UTF_16LE] : []),
    ...(isWide && hasAscii(bytes, { from: 1, step: 2 }) ? [UTF_16BE] : []),
  ]
}

/** Whether enough ASCII characters follow each other; in steps of two each beside a zero. */
function hasAscii(bytes: Uint8Array, { from, step }: { readonly from: number; readonly step: 1 | 2 }): boolean {
  let run = 0
  for (let at = from; at < bytes.length; at += step) {
    const byte = bytes[at] ?? 0
    const isPrinted = (byte >= 0x20 && byte < 0x7f) || byte === 0x09 || byte === 0x0a || byte === 0x0d
    const other = step === 1 ? 0 : bytes[from === 0 ? at + 1 : at - 1]
    run = isPrinted && other === 0 ? run + 1 : 0
    if (run === ASCII_RUN) return true
  }
  return false
}

function toWideBytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 2)
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    bytes[2 * at] = unit & 0xff
    bytes[2 * at + 1] = unit >> 8
  }
  return bytes
}

/** Swaps pairs of bytes; a single last one stays. */
function swapped(bytes: Uint8Array): Uint8Array {
  const result = bytes.slice()
  for (let at = 0; at + 1 < result.length; at += 2) {
    result[at] = bytes[at + 1] ?? 0
    result[at + 1] = bytes[at] ?? 0
  }
  return result
}

/** Bytes as a string of characters up to U+00FF. */
export function toBinary(bytes: Uint8Array): string {
  const wide = new Uint8Array(bytes.length * 2)
  for (let at = 0; at < bytes.length; at++) wide[2 * at] = bytes[at] ?? 0
  return wideDecoder.decode(wide)
}

/** The bytes of such a string; other characters are written as UTF-8. */
export function fromBinary(binary: string): Uint8Array {
  const bytes = new Uint8Array(binary.length)
  for (let index = 0; index < binary.length; index++) {
    const unit = binary.charCodeAt(index)
    if (unit > 0xff) return encodeMixed(binary)
    bytes[index] = unit
  }
  return bytes
}

function encodeMixed(text: string): Uint8Array {
  const parts = Array.from(text, (character) => {
    const code = character.codePointAt(0) ?? 0
    return code > 0xff ? [...encoder.encode(character)] : [code]
  })
  return Uint8Array.from(parts.flat())
}
