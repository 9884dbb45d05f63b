import { findChangedReading, joinReadings, NOTHING_LEFT } from './readings.ts'
import { fromBinary, readTextBytes, type TextBytes, toBinary } from './text-bytes.ts'

/** Media is never this short; shorter strings are text. */
const MIN_MEDIA_LENGTH = 64
const NOT_BASE64 = /[^A-Za-z0-9+/=\r\n]/
const DATA_URL = /^\s*data:([^,]*),/i
/** Some readers accept the word at any position. */
const IS_BASE64 = /; *base64 *(?:;|$)/i
const CHARSET = /; *charset *= *"?([^;"]*)/gi
/** A media type and its known parameters. Any other parameter is text of the caller. */
const PLAIN_HEADER =
  /^(?:(?:application|audio|font|image|message|model|text|video)\/[a-z0-9.+-]{1,64})?(?:;charset=[a-z0-9-]{1,32})?(?:;base64)?$/i
const TEXT_TYPE = /^\s*(?:text\/|message\/|application\/(?:json|xml|[a-z0-9.+-]+\+(?:json|xml|yaml)))/i
/** Types below `application` that hold text. */
const APPLICATION_TEXT =
  /^\s*application\/(?:x-)?(?:csv|ecmascript|graphql|httpd-php|javascript|jsonlines|latex|ndjson|perl|php|powershell|python|ruby|sh|shellscript|sql|subrip|tex|toml|typescript|yaml)\s*(?:;|$)/i
/** Characters outside of the base64 alphabets. */
const NO_DIGIT = /[^A-Za-z0-9+/_=-]/g
const PADDING = /=+/
/** Control characters, which no correctly decoded text contains. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression searches for them
const NOT_WRITTEN = /[\x00-\x06\x0e-\x1a\x1c-\x1f\ufffd]/
/** Symbols of base64 that distinguish most media from text: whole groups of four. */
const HEAD_LENGTH = 1024
/** Characters that an address holds unescaped. */
const UNRESERVED = /[A-Za-z0-9\-_.!~*'()]/
const ESCAPED_BYTE = /%([0-9A-Fa-f]{2})/g

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const NO_BYTES = new Uint8Array()

/** Text inside a string other than the string itself, and the way back. */
export interface WrappedText {
  readonly text: string
  readonly encode: (text: string) => string
  /** Whether its charset is supported; the visible part of the text is scanned in any case. */
  readonly isKnown: boolean
}

/** Whether a media type is a type of text. */
export function isTextType(type: string): boolean {
  return TEXT_TYPE.test(type) || APPLICATION_TEXT.test(type)
}

/**
 * Whether a string is the bytes of media, bare or in a `data:` address, without text to scan. Bytes that are UTF-8 are
 * text, despite any declared type.
 */
export function isMediaData(value: string): boolean {
  const header = DATA_URL.exec(value)
  if (header === null) return isLongBase64(value) && !holdsText(value)
  const type = header[1] ?? ''
  if (!PLAIN_HEADER.test(type) || !/;base64$/i.test(type)) return false
  const payload = value.slice(header[0].length)
  return !NOT_BASE64.test(payload) && !isTextDeclared(type) && !holdsText(payload)
}

/** Reads the text that a string at a media position holds as bytes; undefined without text. */
export function readMediaText(value: string): WrappedText | undefined {
  if (DATA_URL.test(value)) return readDataUrl(value)
  if (NOT_BASE64.test(value) || !holdsText(value)) return undefined
  const inner = readBase64(value, undefined)
  return inner === undefined || isLongBase64(value) ? inner : withItself(value, inner)
}

function isLongBase64(value: string): boolean {
  return value.length >= MIN_MEDIA_LENGTH && !NOT_BASE64.test(value)
}

/** Whether base64 decodes to UTF-8 without control characters other than blanks. */
function holdsText(base64: string): boolean {
  const symbols = base64.slice(0, HEAD_LENGTH).replaceAll(/\s/g, '')
  const head = fromBase64(symbols.slice(0, symbols.length & ~3)) ?? NO_BYTES
  // The first bytes of most media show that they are not text. The last character of a piece may be cut.
  if (NOT_WRITTEN.test(decoder.decode(head).slice(0, -4))) return false
  const bytes = fromBase64(base64)
  return bytes !== undefined && bytes.length > 0 && !NOT_WRITTEN.test(decoder.decode(bytes))
}

/** An address without a type is plain text by its own rules. */
function isTextDeclared(type: string): boolean {
  return type === '' || type.startsWith(';') || isTextType(type)
}

/**
 * Reads the text of a `data:` address, including its header when that holds more than a type; undefined for bytes that
 * are neither declared as text nor UTF-8.
 */
function readDataUrl(value: string): WrappedText | undefined {
  const header = DATA_URL.exec(value)
  const type = header?.[1] ?? ''
  if (header === null) return undefined
  const prefix = header[0]
  const payload = value.slice(prefix.length)
  const isBytes = IS_BASE64.test(type) && !isTextDeclared(type)
  if (isBytes && !holdsText(payload.replaceAll(ESCAPED_BYTE, toCharacter))) return undefined
  const charset = findCharset([type])
  const encoded = IS_BASE64.test(type) ? readBase64(payload.replaceAll(ESCAPED_BYTE, toCharacter), charset) : undefined
  const inner = encoded ?? wrapped(readTextBytes(fromEscaped(payload), charset), toEscaped)
  const encode = (text: string): string => prefix + inner.encode(text)
  if (PLAIN_HEADER.test(type)) return { ...inner, encode }
  return {
    text: prefix + inner.text,
    encode: (text) =>
      text.startsWith(prefix) ? encode(text.slice(prefix.length)) : `data:text/plain,${encodeURIComponent(text)}`,
    isKnown: inner.isKnown,
  }
}

/**
 * Reads text in base64 of either alphabet; undefined for anything else.
 *
 * @param mediaTypes the declared media types, with charset
 */
export function readBase64Text(value: string, mediaTypes: readonly string[]): WrappedText | undefined {
  return readBase64(value, findCharset(mediaTypes))
}

/**
 * Decodes base64. An ambiguous string is also read undecoded, and so is a string whose invalid characters some readers
 * skip: any word is valid base64.
 */
function readBase64(value: string, charset: string | undefined): WrappedText | undefined {
  const strict = fromBase64(value)
  const bytes = strict ?? fromLooseBase64(value)
  if (bytes === undefined) return undefined
  const inner = wrapped(readTextBytes(bytes, charset), toBase64)
  const faults = inner.text.match(new RegExp(NOT_WRITTEN, 'g'))?.length ?? 0
  if (strict === undefined) return faults <= inner.text.length / 4 ? withItself(value, inner) : undefined
  return faults === 0 || isMediaData(value) ? inner : withItself(value, inner)
}

/** Joins a text and the enclosing string. */
function withItself(value: string, inner: WrappedText): WrappedText {
  const texts = [inner.text, value]
  const encode = (text: string): string => {
    const changed = findChangedReading(text, texts)
    if (changed === undefined) return NOTHING_LEFT
    return changed.index === 0 ? inner.encode(changed.text) : changed.text
  }
  return { text: joinReadings(texts), encode, isKnown: inner.isKnown }
}

function wrapped({ text, encode, isKnown }: TextBytes, write: (bytes: Uint8Array) => string): WrappedText {
  return { text, encode: (changed) => write(encode(changed)), isKnown }
}

/** The charset that media types name; several different ones count as unknown. */
function findCharset(types: readonly string[]): string | undefined {
  const labels = types.flatMap((type) => Array.from(type.matchAll(CHARSET), ([, label = '']) => label.trim()))
  return labels.length === 0 ? undefined : [...new Set(labels)].join()
}

function fromBase64(value: string): Uint8Array | undefined {
  try {
    return fromBinary(atob(value.replaceAll('-', '+').replaceAll('_', '/')))
  } catch {
    return undefined
  }
}

/** Decodes like readers that skip invalid characters and continue after padding. */
function fromLooseBase64(value: string): Uint8Array | undefined {
  let binary = ''
  for (const run of value.replaceAll(NO_DIGIT, '').split(PADDING)) {
    const bytes = fromBase64(run.length % 4 === 1 ? run.slice(0, -1) : run)
    if (bytes !== undefined) binary += toBinary(bytes)
  }
  return binary === '' ? undefined : fromBinary(binary)
}

function toBase64(bytes: Uint8Array): string {
  return btoa(toBinary(bytes))
}

/** The bytes of a text, with percent escapes decoded. */
function fromEscaped(text: string): Uint8Array {
  const bytes = encoder.encode(text)
  return text.includes('%') ? fromBinary(toBinary(bytes).replaceAll(ESCAPED_BYTE, toCharacter)) : bytes
}

function toCharacter(_: string, hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16))
}

function toEscaped(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte)
    return UNRESERVED.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }).join('')
}
