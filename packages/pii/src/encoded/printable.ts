import { STEP_CHARACTERS, type Steps } from './reading.ts'

/** Bytes of the shortest text, as in the shortest run of hex. Random data seldom contains so many. */
const MIN_TEXT_BYTES = 12

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Finds the texts among bytes: ranges of UTF-8 without control characters other than tabs and line breaks. */
export function* findPrintableTexts(bytes: Uint8Array): Steps<string> {
  for (let start = 0; start < bytes.length; ) {
    const limit = start + STEP_CHARACTERS
    start = nextText(bytes, start, limit)
    if (start >= limit) {
      yield undefined
      continue
    }
    if (start >= bytes.length) return
    const { end, text } = yield* readText(bytes, start)
    yield text
    start = end
  }
}

/**
 * The next position at which a text begins. When no text begins before the limit, returns a position from the limit on,
 * or the end. Other data is read from its end to its start, so most of it is skipped.
 */
function nextText(bytes: Uint8Array, from: number, limit: number): number {
  let start = from
  /** The bytes between the start and here may be text. */
  let known = from
  while (start < limit) {
    const enough = start + MIN_TEXT_BYTES
    if (enough > bytes.length) return bytes.length
    let at = enough - 1
    while (at >= known && mayBeOfText(bytes, at)) at--
    const isPossible = at < known
    known = enough
    if (isPossible) {
      at = charactersEnd(bytes, start, enough)
      if (at >= enough) return start
    }
    start = at + 1
    known = Math.max(known, start)
  }
  return start
}

/** Whether a byte may belong to a printed character, by itself and its neighbour. */
function mayBeOfText(bytes: Uint8Array, index: number): boolean {
  const byte = bytes[index] ?? 0
  if (byte < 0x80) return isPrinted(byte)
  if (byte < 0xc0) return index > 0 && (bytes[index - 1] ?? 0) >= 0x80
  return isContinuation(bytes[index + 1])
}

/** Reads printed characters from a position on. */
function* readText(bytes: Uint8Array, start: number): Generator<undefined, { end: number; text: string }, undefined> {
  const pieces: string[] = []
  for (let from = start; ; ) {
    const limit = from + STEP_CHARACTERS
    const end = charactersEnd(bytes, from, limit)
    pieces.push(decoder.decode(bytes.subarray(from, end)))
    if (end < limit) return { end, text: pieces.join('') }
    from = end
    yield undefined
  }
}

/** The end of the characters from a position on. Only characters that begin before the limit count. */
function charactersEnd(bytes: Uint8Array, start: number, limit: number): number {
  let end = start
  while (end < limit && end < bytes.length) {
    const width = characterWidth(bytes, end)
    if (width === 0) break
    end += width
  }
  return end
}

/** Number of bytes of the character at a position; 0 for anything but a printed one. */
function characterWidth(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0
  if (first < 0x80) return isPrinted(first) ? 1 : 0
  const second = bytes[at + 1] ?? 0
  if (first < 0xc2 || first > 0xf4 || second < lowestSecond(first) || second > highestSecond(first)) return 0
  if (first < 0xe0) return 2
  if (!isContinuation(bytes[at + 2])) return 0
  if (first < 0xf0) return 3
  return isContinuation(bytes[at + 3]) ? 4 : 0
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}

function isPrinted(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || byte === 0x09 || byte === 0x0a || byte === 0x0d
}

/** Lower values are control characters, or overlong forms. */
function lowestSecond(first: number): number {
  if (first === 0xc2 || first === 0xe0) return 0xa0
  return first === 0xf0 ? 0x90 : 0x80
}

/** Higher values are halves of surrogate pairs, or past the last character. */
function highestSecond(first: number): number {
  if (first === 0xed) return 0x9f
  return first === 0xf4 ? 0x8f : 0xbf
}
