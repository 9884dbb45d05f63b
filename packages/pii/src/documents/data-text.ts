import { fromBinary, readTextBytes, toBinary } from './text-bytes.ts'

/** Media is never this short; shorter strings are text. */
const MIN_MEDIA_LENGTH = 64
const NOT_BASE64 = /[^A-Za-z0-9+/=\r\n]/
const DATA_URL = /^\s*data:([^,]*),/i
const ENDS_IN_BASE64 = /; *base64 *$/i
const CHARSET = /; *charset *= *"?([^;"]*)/gi
/** A media type and what belongs to it. Anything else that stands there is text of the caller's. */
const PLAIN_HEADER =
  /^(?:(?:application|audio|font|image|text|video)\/[a-z0-9.+-]{1,64})?(?:;charset=[a-z0-9-]{1,32})?(?:;base64)?$/i
const TEXT_TYPE = /^\s*(?:text\/|application\/(?:json|xml|[a-z0-9.+-]+\+(?:json|xml)))/i
/** What stands for itself in an address. */
const UNRESERVED = /[A-Za-z0-9\-_.!~*'()]/
const ESCAPED_BYTE = /%([0-9A-Fa-f]{2})/g

const encoder = new TextEncoder()

/** Text inside a string that is not the string itself, and the way back. */
export interface WrappedText {
  readonly text: string
  readonly encode: (text: string) => string
  /** Whether its charset is one that is read here; what can be seen of the text is scanned all the same. */
  readonly isKnown: boolean
}

/** Whether a media type is one of text. */
export function isTextType(type: string): boolean {
  return TEXT_TYPE.test(type)
}

/** Whether a string is the bytes of media, bare or in a `data:` address, so that there is no text to scan in it. */
export function isMediaData(value: string): boolean {
  const header = DATA_URL.exec(value)
  if (header === null) return value.length >= MIN_MEDIA_LENGTH && !NOT_BASE64.test(value)
  const type = header[1] ?? ''
  return PLAIN_HEADER.test(type) && /;base64$/i.test(type) && !NOT_BASE64.test(value.slice(header[0].length))
}

/**
 * The text of a `data:` address of a text type, after its header where that says more than a type; undefined for
 * anything else.
 */
export function readDataUrl(value: string): WrappedText | undefined {
  const header = DATA_URL.exec(value)
  const type = header?.[1] ?? ''
  // An address without a type is plain text by its own rules.
  if (header === null || (type !== '' && !type.startsWith(';') && !isTextType(type))) return undefined
  const prefix = header[0]
  const payload = value.slice(prefix.length)
  const isBase64 = ENDS_IN_BASE64.test(type)
  const bytes = isBase64 ? fromBase64(payload.replaceAll(ESCAPED_BYTE, toCharacter)) : fromEscaped(payload)
  if (bytes === undefined) return undefined
  const inner = readTextBytes(bytes, charsetOf([type]))
  const write = isBase64 ? toBase64 : toEscaped
  const encode = (text: string): string => prefix + write(inner.encode(text))
  if (PLAIN_HEADER.test(type)) return { ...inner, encode }
  return {
    text: prefix + inner.text,
    encode: (text) =>
      text.startsWith(prefix) ? encode(text.slice(prefix.length)) : `data:text/plain,${encodeURIComponent(text)}`,
    isKnown: inner.isKnown,
  }
}

/**
 * Text in base64 of either alphabet; undefined when it is no base64.
 *
 * @param mediaTypes what is said of its type, charset included
 */
export function readBase64Text(value: string, mediaTypes: readonly string[]): WrappedText | undefined {
  const bytes = fromBase64(value)
  if (bytes === undefined) return undefined
  const { encode, ...rest } = readTextBytes(bytes, charsetOf(mediaTypes))
  return { ...rest, encode: (text) => toBase64(encode(text)) }
}

/** The charset that media types name; several are none that is known. */
function charsetOf(types: readonly string[]): string | undefined {
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

function toBase64(bytes: Uint8Array): string {
  return btoa(toBinary(bytes))
}

/** The bytes of a text in which some stand behind percent signs. */
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
