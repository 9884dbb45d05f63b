import { isHighSurrogate } from './code-set.ts'
import { rarityOf } from './rarity.ts'

/** Code units that one call looks at. */
export const CHUNK_UNITS = 1 << 14

/** Code units at the end of a chunk that the next one looks at again. */
const OVERLAP_UNITS = 8

const WINDOW_BYTES = 3
const BUCKETS = 8
const PAIRS = 1 << 16

/** A text that is looked for, by the three bytes in it that are rarest. */
interface Entry {
  readonly literal: string
  /** UTF-16 offset of those bytes in the text. */
  readonly offset: number
  /** The bytes as one number. */
  readonly bytes: number
  readonly owners: readonly number[]
}

/**
 * Looks for many short texts at once. The text is read as UTF-8 two bytes at a time; one table says for each pair of bytes
 * which of the wanted texts it may begin (low half) and which it may go on with (high half), for texts that begin at an
 * even offset and at an odd one. Where both halves agree on something, the texts themselves are compared.
 */
export class LiteralScanner {
  private readonly table = new Int32Array(PAIRS)
  private readonly buckets: readonly (readonly Entry[])[]
  /** The greatest distance between the start of a text and the bytes it is found by, in code units. */
  readonly maxOffset: number
  private readonly bytes = new Uint8Array(CHUNK_UNITS * 3 + 16)
  private readonly pairs = new Uint16Array(this.bytes.buffer)
  private readonly encoder = new TextEncoder()

  /** @param literals texts of at least three characters and the numbers to report them under */
  constructor(literals: ReadonlyMap<string, readonly number[]>) {
    const entries = [...literals].map(([literal, owners]) => toEntry(literal, owners))
    this.maxOffset = Math.max(0, ...entries.map((entry) => entry.offset))
    entries.sort((a, b) => a.bytes - b.bytes)
    this.buckets = Array.from({ length: BUCKETS }, (_, bucket) =>
      entries.filter((_entry, index) => index % BUCKETS === bucket),
    )
    for (const [bucket, list] of this.buckets.entries()) for (const entry of list) this.mark(bucket, entry.bytes)
  }

  private mark(bucket: number, bytes: number): void {
    const [first, second, third] = [bytes & 255, (bytes >> 8) & 255, bytes >> 16]
    const even = 1 << bucket
    const odd = 1 << (bucket + BUCKETS)
    const set = (one: number, other: number, bit: number): void => {
      const pair = pairOf(one, other)
      this.table[pair] = (this.table[pair] ?? 0) | bit
    }
    set(first, second, even)
    set(second, third, odd << 16)
    for (let any = 0; any < 256; any++) {
      set(third, any, even << 16)
      set(any, first, odd)
    }
  }

  /**
   * Looks at one chunk of the text. Reports the start of each text found by bytes in front of the offset that is
   * returned, where the next chunk begins: the end of the text after the last one. Starts of one text ascend.
   */
  scan(text: string, from: number, report: (owner: number, start: number) => void): number {
    let to = Math.min(text.length, from + CHUNK_UNITS)
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to--
    let limit = to === text.length ? to : to - OVERLAP_UNITS
    if (limit < to && isHighSurrogate(text.charCodeAt(limit - 1))) limit--
    const { bytes, pairs, table } = this
    const { written } = this.encoder.encodeInto(text.slice(from, to), bytes)
    bytes.fill(0, written, written + 6)
    const place = new Place(bytes, from, written === to - from)
    const count = (written >> 1) + 2
    let before = 0
    for (let index = 0; index < count; index++) {
      const now = table[pairs[index] ?? 0] ?? 0
      const agreed = before & (now >>> 16)
      before = now
      if (agreed !== 0) this.compare({ text, at: (index - 1) * 2, agreed, place, limit, report })
    }
    return limit
  }

  private compare(window: {
    readonly text: string
    readonly at: number
    readonly agreed: number
    readonly place: Place
    readonly limit: number
    readonly report: (owner: number, start: number) => void
  }): void {
    const { text, at, agreed, place, limit, report } = window
    for (let bit = 0; bit < BUCKETS * 2; bit++) {
      if ((agreed & (1 << bit)) === 0) continue
      const first = bit < BUCKETS ? at : at + 1
      const { bytes } = this
      const found = (bytes[first] ?? 0) | ((bytes[first + 1] ?? 0) << 8) | ((bytes[first + 2] ?? 0) << 16)
      for (const { literal, offset, bytes: wanted, owners } of this.buckets[bit % BUCKETS] ?? []) {
        if (wanted !== found) continue
        const position = place.of(first)
        const start = position - offset
        if (position >= limit || start < 0 || !text.startsWith(literal, start)) continue
        for (const owner of owners) report(owner, start)
      }
    }
  }
}

/** Turns byte offsets of a chunk into offsets in the text. Offsets are asked for in nearly ascending order. */
class Place {
  private readonly bytes: Uint8Array
  private readonly from: number
  private readonly isAscii: boolean
  private byte = 0
  private unit = 0

  constructor(bytes: Uint8Array, from: number, isAscii: boolean) {
    this.bytes = bytes
    this.from = from
    this.isAscii = isAscii
  }

  of(byte: number): number {
    if (this.isAscii) return this.from + byte
    if (byte < this.byte) {
      this.byte = 0
      this.unit = 0
    }
    while (this.byte < byte) {
      const value = this.bytes[this.byte++] ?? 0
      // A continuation byte begins no character; one of four bytes is two code units.
      if ((value & 0xc0) !== 0x80) this.unit += value >= 0xf0 ? 2 : 1
    }
    return this.from + this.unit
  }
}

function toEntry(literal: string, owners: readonly number[]): Entry {
  const encoder = new TextEncoder()
  let best = { offset: 0, rarity: -1 }
  for (let offset = 0; offset < literal.length; ) {
    const rest = literal.slice(offset)
    if (encoder.encode(rest).length < WINDOW_BYTES) break
    const seldom = [...rest].slice(0, WINDOW_BYTES).reduce((sum, char) => sum + rarityOf(char), 0)
    if (seldom > best.rarity) best = { offset, rarity: seldom }
    offset += (literal.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1
  }
  const [first = 0, second = 0, third = 0] = encoder.encode(literal.slice(best.offset))
  return { literal, offset: best.offset, bytes: first | (second << 8) | (third << 16), owners }
}

const pairBytes = new Uint8Array(2)
const pairValue = new Uint16Array(pairBytes.buffer)

/** Two bytes as this machine reads them as one number. */
function pairOf(first: number, second: number): number {
  pairBytes[0] = first
  pairBytes[1] = second
  return pairValue[0] ?? 0
}
