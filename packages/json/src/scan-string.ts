import { BACKSLASH, LOWER_U, QUOTE, SPACE } from './ascii.ts'
import { syntaxError } from './errors.ts'
import { FLAG_ESCAPED, FLAG_LONE_SURROGATE, FLAG_WIDE } from './tape.ts'
import { measureMultiByte } from './utf8.ts'

/** 1 for the bytes that end a run of plain text: quote, backslash, control characters, anything past ASCII. */
const IS_SPECIAL = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < SPACE || byte === QUOTE || byte === BACKSLASH || byte >= 0x80 ? 1 : 0,
)

/** 1 for the bytes that may follow a backslash, `u` apart. */
const IS_ESCAPE = new Uint8Array(256)
for (const character of '"\\/bfnrt') IS_ESCAPE[character.charCodeAt(0)] = 1

/** Value of a hexadecimal digit, 0xff for any other byte. */
const HEX_VALUE = new Uint8Array(256).fill(0xff)
for (const digit of '0123456789abcdefABCDEF') HEX_VALUE[digit.charCodeAt(0)] = Number.parseInt(digit, 16)

/** Finds the end of string tokens and checks their content; can stop and continue anywhere in a long string. */
export class StringScanner {
  /** Facts of the string so far, as `FLAG_*` bits. */
  flags = 0
  /** Whether the closing quote was reached. */
  closed = false
  readonly #bytes: Uint8Array
  /** The bytes four at a time, from the first aligned one. */
  readonly #words: Int32Array
  /** Bytes before the first aligned one, 0 to 3; may exceed the length of the input. */
  readonly #lead: number

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#lead = -bytes.byteOffset & 3
    const count = Math.max(0, (bytes.length - this.#lead) >> 2)
    this.#words = count === 0 ? new Int32Array(0) : new Int32Array(bytes.buffer, bytes.byteOffset + this.#lead, count)
  }

  /** Begins a string; call before the first {@link scan} of each. */
  begin(): void {
    this.flags = 0
    this.closed = false
  }

  /**
   * Scans on from an offset inside a string until its closing quote or `until`, and returns the offset after the
   * scanned part. May pass `until` by less than twelve bytes, never the end of the input.
   *
   * @throws SvcError `json_syntax`
   */
  scan(from: number, until: number): number {
    let position = from
    while (position < until) {
      position = this.#skipPlain(position, until)
      if (position >= until) return position
      const byte = this.#bytes[position] ?? 0
      if (byte === QUOTE) {
        this.closed = true
        return position + 1
      }
      if (byte === BACKSLASH) position = this.#skipEscape(position)
      else if (byte >= 0x80) position = this.#skipWide(position, until)
      else throw syntaxError('control character in a string', position)
    }
    return position
  }

  /** Skips plain text, a word of four bytes at a time where that is possible. */
  #skipPlain(from: number, until: number): number {
    const bytes = this.#bytes
    const words = this.#words
    const lead = this.#lead
    let position = from
    while (position < until && ((position - lead) & 3) !== 0) {
      if (IS_SPECIAL[bytes[position] ?? 0] !== 0) return position
      position++
    }
    const lastWord = until - 4
    while (position <= lastWord) {
      const word = words[(position - lead) >> 2] ?? 0
      // The top bit of a byte is set by: being past ASCII; less than a space; being a quote; being a backslash.
      // A borrow reaches the next byte only from a byte that is a hit itself.
      const hits = word | (word - 0x20202020) | ((word ^ 0x22222222) - 0x01010101) | ((word ^ 0x5c5c5c5c) - 0x01010101)
      if ((hits & 0x80808080) !== 0) break
      position += 4
    }
    while (position < until && IS_SPECIAL[bytes[position] ?? 0] === 0) position++
    return position
  }

  #skipWide(from: number, until: number): number {
    const bytes = this.#bytes
    let position = from
    this.flags |= FLAG_WIDE
    while (position < until && (bytes[position] ?? 0) >= 0x80) {
      const length = measureMultiByte(bytes, position)
      if (length === 0) throw syntaxError('invalid UTF-8', position)
      position += length
    }
    return position
  }

  #skipEscape(at: number): number {
    this.flags |= FLAG_ESCAPED
    const kind = this.#bytes[at + 1] ?? 0
    if (IS_ESCAPE[kind] !== 0) return at + 2
    if (kind !== LOWER_U) throw syntaxError('invalid escape in a string', at)
    const unit = this.#hex4(at + 2)
    if (unit < 0) throw syntaxError('invalid \\u escape in a string', at)
    if (unit < 0xd800 || unit > 0xdfff) return at + 6
    if (unit <= 0xdbff && this.#isLowSurrogate(at + 6)) return at + 12
    this.flags |= FLAG_LONE_SURROGATE
    return at + 6
  }

  #isLowSurrogate(at: number): boolean {
    if (this.#bytes[at] !== BACKSLASH || this.#bytes[at + 1] !== LOWER_U) return false
    const unit = this.#hex4(at + 2)
    return unit >= 0xdc00 && unit <= 0xdfff
  }

  /** The four hexadecimal digits at an offset as a number, or -1. */
  #hex4(at: number): number {
    let value = 0
    for (let index = at; index < at + 4; index++) {
      const digit = HEX_VALUE[this.#bytes[index] ?? 0] ?? 0xff
      if (digit === 0xff) return -1
      value = value * 16 + digit
    }
    return value
  }
}
