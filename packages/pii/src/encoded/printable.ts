import { STEP_CHARACTERS } from './reading.ts'

/** Bytes of the shortest text: as many as the shortest run of hex stands for. In what is no text so many seldom come. */
const MIN_TEXT_BYTES = 12

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Finds the texts among bytes: stretches of UTF-8 without control characters other than tabs and ends of lines. */
export class PrintableTexts {
  readonly #bytes: Uint8Array
  readonly #size: number
  #start = 0
  #at = 0
  #text: string | undefined

  /** @param size how many of the bytes count */
  constructor(bytes: Uint8Array, size: number) {
    this.#bytes = bytes
    this.#size = size
  }

  /** Looks on, as far as the next text but not further than one step. @returns false once there is nothing left */
  advance(): boolean {
    this.#text = undefined
    const limit = this.#at + STEP_CHARACTERS
    while (this.#at <= this.#size) {
      const width = characterWidth(this.#bytes, this.#at)
      if (width > 0 && this.#at + width <= this.#size) this.#at += width
      else if (this.#endStretch()) return true
      if (this.#at >= limit) return true
    }
    return false
  }

  /** What the last step found, if anything. */
  get text(): string | undefined {
    return this.#text
  }

  #endStretch(): boolean {
    const start = this.#start
    const end = this.#at
    this.#start = end + 1
    this.#at = end + 1
    if (end - start < MIN_TEXT_BYTES) return false
    this.#text = decoder.decode(this.#bytes.subarray(start, end))
    return true
  }
}

/** How many bytes the character at a place has; 0 where none stands that can be shown. */
function characterWidth(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0
  if (first < 0x80) return (first >= 0x20 && first < 0x7f) || first === 0x09 || first === 0x0a || first === 0x0d ? 1 : 0
  // The second byte of some is bounded: by the longest form, the halves of pairs, the last character, or controls.
  if (first < 0xc2) return 0
  if (first < 0xe0) return isBetween(bytes[at + 1], first === 0xc2 ? 0xa0 : 0x80, 0xbf) ? 2 : 0
  if (first < 0xf0) {
    const isSecond = isBetween(bytes[at + 1], first === 0xe0 ? 0xa0 : 0x80, first === 0xed ? 0x9f : 0xbf)
    return isSecond && isBetween(bytes[at + 2], 0x80, 0xbf) ? 3 : 0
  }
  if (first > 0xf4) return 0
  const isSecond = isBetween(bytes[at + 1], first === 0xf0 ? 0x90 : 0x80, first === 0xf4 ? 0x8f : 0xbf)
  return isSecond && isBetween(bytes[at + 2], 0x80, 0xbf) && isBetween(bytes[at + 3], 0x80, 0xbf) ? 4 : 0
}

function isBetween(byte: number | undefined, low: number, high: number): boolean {
  return byte !== undefined && byte >= low && byte <= high
}
