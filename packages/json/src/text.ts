import { END_MASK, FLAG_ESCAPED, FLAG_WIDE, findEndOffset, type Tokens } from './tape.ts'

/** Up to this many bytes, joining characters beats a call of the decoder. */
const MAX_JOINED_BYTES = 10

/** A byte order mark inside the document is text like any other. The tokenizer has checked the UTF-8. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Node's buffers turn ASCII into text without the decoder's preparations. */
interface Sliceable {
  readonly latin1Slice?: (start: number, end: number) => string
}

/** The text of a range of ASCII bytes. */
function asciiRange(bytes: Uint8Array & Sliceable, start: number, end: number): string {
  return bytes.latin1Slice === undefined ? decodeRange(bytes, start, end) : bytes.latin1Slice(start, end)
}

/** The text of a range of bytes. */
export function decodeRange(bytes: Uint8Array, start: number, end: number): string {
  return decoder.decode(bytes.subarray(start, end))
}

/** The text of a string token, escapes resolved. A lone surrogate stays one. */
export function decodeStringText(tokens: Tokens, index: number): string {
  const { bytes, tape } = tokens
  const start = tape.first(index)
  const end = findEndOffset(tokens, index)
  const flags = tape.second(index)
  if ((flags & FLAG_ESCAPED) !== 0) {
    const text: unknown = JSON.parse(decodeRange(bytes, start, end))
    return String(text)
  }
  if ((flags & FLAG_WIDE) !== 0) return decodeRange(bytes, start + 1, end - 1)
  if (end - start > MAX_JOINED_BYTES) return asciiRange(bytes, start + 1, end - 1)
  let text = ''
  for (let position = start + 1; position < end - 1; position++) text += String.fromCharCode(bytes[position] ?? 0)
  return text
}

/** Recently read keys, in the form in which objects hold them. Requests repeat few keys. */
const RECENT_KEYS = 512
const MAX_RECENT_BYTES = 32
/** Form of a programmed member name. Any other key may be a user's text, which must not be kept. */
const NAME = /^[\w$.-]+$/
const recentKeys: (string | undefined)[] = new Array<string | undefined>(RECENT_KEYS).fill(undefined)

/** The text of a key, as {@link decodeStringText} gives it. A recently read key is compared instead of decoded. */
export function decodeKeyText(tokens: Tokens, index: number): string {
  const { bytes, tape } = tokens
  const start = tape.first(index) + 1
  const second = tape.second(index)
  const end = (second & END_MASK) - 1
  if (end - start > MAX_RECENT_BYTES || (second & (FLAG_ESCAPED | FLAG_WIDE)) !== 0)
    return decodeStringText(tokens, index)
  const middle = bytes[(start + end) >> 1] ?? 0
  const mixed = (bytes[start] ?? 0) + (bytes[end - 1] ?? 0) * 31 + middle * 7 + (end - start) * 113
  const slot = mixed % RECENT_KEYS
  const recent = recentKeys[slot]
  if (recent !== undefined && isRange(bytes, start, end, recent)) return recent
  const text = decodeStringText(tokens, index)
  if (!NAME.test(text)) return text
  const key = asKey(text)
  recentKeys[slot] = key
  return key
}

/**
 * Interns the text as the engine interns member names, which makes lookups free of comparisons. An object without a
 * prototype keeps no shape for each name.
 */
function asKey(text: string): string {
  const holder: Record<string, true> = Object.create(null)
  holder[text] = true
  const [key = text] = Object.keys(holder)
  return key
}

/** Whether a string token means a text; cheaper than decoding it where both are ASCII. */
export function isStringText(tokens: Tokens, index: number, text: string): boolean {
  const { bytes, tape } = tokens
  if ((tape.second(index) & (FLAG_ESCAPED | FLAG_WIDE)) !== 0) return decodeStringText(tokens, index) === text
  return isRange(bytes, tape.first(index) + 1, findEndOffset(tokens, index) - 1, text)
}

/** Whether a range of ASCII bytes is a text. */
function isRange(bytes: Uint8Array, start: number, end: number, text: string): boolean {
  if (end - start !== text.length) return false
  for (let offset = 0; offset < text.length; offset++) {
    if (bytes[start + offset] !== text.charCodeAt(offset)) return false
  }
  return true
}
