const encoder = new TextEncoder()
/** A byte that is no text hides nothing of what stands beside it. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Media is never this short; shorter strings are text. */
const MIN_MEDIA_LENGTH = 64
const NOT_BASE64 = /[^A-Za-z0-9+/=\r\n]/
const DATA_URL = /^data:([^,]{0,256}),/i
/** A media type and what belongs to it. Anything else that stands there is text of the caller's. */
const PLAIN_HEADER =
  /^(?:(?:application|audio|font|image|text|video)\/[a-z0-9.+-]{1,64})?(?:;charset=[a-z0-9-]{1,32})?(?:;base64)?$/i
const TEXT_TYPE = /^(?:text\/|application\/(?:json|xml|[a-z0-9.+-]+\+(?:json|xml)))/i
/** Bytes that make one string argument list of a safe length. */
const CHARACTERS_A_CALL = 8192

/** Text inside a string that is not the string itself, and the way back. */
export interface WrappedText {
  readonly text: string
  readonly encode: (text: string) => string
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
  if (header === null || (type !== '' && !type.startsWith(';') && !TEXT_TYPE.test(type))) return undefined
  const prefix = header[0]
  const inner = readPayload(value.slice(prefix.length), /;base64$/i.test(type))
  if (inner === undefined) return undefined
  if (PLAIN_HEADER.test(type)) return { text: inner.text, encode: (text) => prefix + inner.encode(text) }
  return {
    text: prefix + inner.text,
    encode: (text) =>
      text.startsWith(prefix)
        ? prefix + inner.encode(text.slice(prefix.length))
        : `data:text/plain,${encodeURIComponent(text)}`,
  }
}

function readPayload(payload: string, isBase64: boolean): WrappedText | undefined {
  if (isBase64) return readBase64Text(payload)
  try {
    return { text: decodeURIComponent(payload), encode: encodeURIComponent }
  } catch {
    return undefined
  }
}

/** Text in base64 of either alphabet; undefined when it is no base64. */
export function readBase64Text(value: string): WrappedText | undefined {
  try {
    const binary = atob(value.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = new Uint8Array(binary.length)
    for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index)
    return { text: decoder.decode(bytes), encode: toBase64 }
  } catch {
    return undefined
  }
}

function toBase64(text: string): string {
  const bytes = encoder.encode(text)
  let binary = ''
  for (let start = 0; start < bytes.length; start += CHARACTERS_A_CALL) {
    binary += String.fromCharCode(...bytes.subarray(start, start + CHARACTERS_A_CALL))
  }
  return btoa(binary)
}
