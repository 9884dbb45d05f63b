import { OPEN_BRACE, OPEN_BRACKET } from './ascii.ts'
import { takeWords } from './slab.ts'

/** Bits of a scalar's second word that hold its end offset. */
export const END_MASK = 0x1fff_ffff
/** The string holds a backslash escape. */
export const FLAG_ESCAPED = 1 << 31
/** The string holds bytes past ASCII. */
export const FLAG_WIDE = 1 << 30
/** The string holds an escape that is half of a surrogate pair. */
export const FLAG_LONE_SURROGATE = 1 << 29

const WORDS_PER_ENTRY = 2

const BLOCK_BITS = 12
const BLOCK_ENTRIES = 1 << BLOCK_BITS
const BLOCK_MASK = BLOCK_ENTRIES - 1
const FIRST_ENTRIES = 128

/**
 * The tokens of a document in source order, two 32-bit words each:
 *
 * | entry | first word | second word |
 * |---|---|---|
 * | string, number, literal | start offset | end offset and string flags |
 * | `{` or `[` | start offset | entry of its closing bracket |
 * | `}` or `]` | end offset | number of members |
 *
 * An object's members are pairs of a key (a string) and a value. The byte at an entry's start gives its kind.
 */
export class Tape {
  /** Entries written so far. */
  length = 0
  /** Blocks of equal size, so that a long tape grows without being copied; the first one starts short and doubles. */
  readonly #blocks: Int32Array[] = []
  #lastBlock: Int32Array

  constructor(sizeBytes: number) {
    // Every entry but a closing bracket starts at a byte of its own, and a closing bracket ends at one. Most bodies
    // have far fewer entries than bytes, and all memory taken has to be cleared and collected.
    this.#lastBlock = takeWords(Math.min(FIRST_ENTRIES, sizeBytes) * WORDS_PER_ENTRY)
    this.#blocks.push(this.#lastBlock)
  }

  /** Adds an entry and returns its index. */
  push(first: number, second: number): number {
    const index = this.length
    const at = (index & BLOCK_MASK) * WORDS_PER_ENTRY
    if (at === 0 && index > 0) {
      this.#lastBlock = new Int32Array(BLOCK_ENTRIES * WORDS_PER_ENTRY)
      this.#blocks.push(this.#lastBlock)
    } else if (at === this.#lastBlock.length) {
      const longer = new Int32Array(Math.min(at * 2, BLOCK_ENTRIES * WORDS_PER_ENTRY))
      longer.set(this.#lastBlock)
      this.#lastBlock = longer
      this.#blocks[this.#blocks.length - 1] = longer
    }
    this.#lastBlock[at] = first
    this.#lastBlock[at + 1] = second
    this.length = index + 1
    return index
  }

  first(index: number): number {
    return this.#blocks[index >>> BLOCK_BITS]?.[(index & BLOCK_MASK) * WORDS_PER_ENTRY] ?? 0
  }

  second(index: number): number {
    return this.#blocks[index >>> BLOCK_BITS]?.[(index & BLOCK_MASK) * WORDS_PER_ENTRY + 1] ?? 0
  }

  setSecond(index: number, second: number): void {
    const block = this.#blocks[index >>> BLOCK_BITS]
    if (block !== undefined) block[(index & BLOCK_MASK) * WORDS_PER_ENTRY + 1] = second
  }
}

/** A tokenized document: its bytes, and the offsets of its tokens. */
export interface Tokens {
  readonly bytes: Uint8Array
  readonly tape: Tape
}

/** The first byte of a token, which says its kind. */
export function readFirstByte({ bytes, tape }: Tokens, index: number): number {
  return bytes[tape.first(index)] ?? 0
}

/** Whether a token's first byte is that of an object or array. */
export function opensContainer(byte: number): boolean {
  return byte === OPEN_BRACE || byte === OPEN_BRACKET
}

/** The entry after a token and its content. */
export function findNextSibling(tokens: Tokens, index: number): number {
  return opensContainer(readFirstByte(tokens, index)) ? tokens.tape.second(index) + 1 : index + 1
}

/** The offset after the last byte of a token. */
export function findEndOffset(tokens: Tokens, index: number): number {
  const { tape } = tokens
  const second = tape.second(index)
  return opensContainer(readFirstByte(tokens, index)) ? tape.first(second) : second & END_MASK
}
