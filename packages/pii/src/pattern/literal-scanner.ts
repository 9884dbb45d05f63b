import { ChunkOffsets } from './chunk-offsets.ts'
import { isHighSurrogate } from './code-set.ts'
import { groupEntries } from './literal-groups.ts'
import { chooseWindows, type LiteralEntry, WINDOW_BYTES } from './literal-windows.ts'

/** Code units that one call reads. */
export const CHUNK_UNITS = 1 << 14

/** Code units beyond both ends of a chunk that are read, so that each text beginning in it is read whole. */
const MARGIN_UNITS = 8

const PAIRS = 1 << 16
/** Groups of texts whose bytes begin at an even offset, and at an odd one: sixteen bits together. */
const EVEN_GROUPS = 12
const ODD_GROUPS = 4
const EVEN = (1 << EVEN_GROUPS) - 1
const ODD = ((1 << ODD_GROUPS) - 1) << EVEN_GROUPS

const isLittleEndian = new Uint16Array(Uint8Array.of(1, 0).buffer)[0] === 1

/**
 * Searches for many short texts at once. It reads the text as UTF-8, two bytes at a time. A table maps each pair of
 * bytes to the groups of texts that may begin with it (low half) and that may continue with it (high half). When both
 * halves agree, the texts themselves are compared. Each text is found by a window of four bytes at an even offset, for
 * any start; one of fewer than five bytes also by three bytes at an odd offset.
 */
export class LiteralScanner {
  private readonly table = new Int32Array(PAIRS)
  /** Flags by the mixed bits of a window: whether any text is found by such three bytes, and by such four. */
  private readonly knownThree = new Uint8Array(PAIRS)
  private readonly knownFour = new Uint8Array(PAIRS)
  private readonly entries = new Map<number, LiteralEntry[]>()
  /** The greatest distance between the start of a text and its anchor, in code units. */
  readonly maxOffset: number
  private readonly bytes = new Uint8Array(CHUNK_UNITS * 3 + 64)
  private readonly pairs = new Uint16Array(this.bytes.buffer)
  private readonly offsets = new ChunkOffsets(this.bytes)
  private readonly encoder = new TextEncoder()
  /** Bytes of the chunk. */
  private written = 0
  private hasFound = false
  private readonly noteFound = (): void => {
    this.hasFound = true
  }

  /** @param literals texts of at least three characters and the numbers to report them under */
  constructor(literals: ReadonlyMap<string, readonly number[]>) {
    const entries = [...literals].flatMap(([literal, owners]) => chooseWindows(literal, owners))
    this.maxOffset = Math.max(0, ...entries.map((entry) => entry.anchor))
    const even = groupEntries(
      entries.filter(({ isEven }) => isEven),
      EVEN_GROUPS,
    )
    const odd = groupEntries(
      entries.filter(({ isEven }) => !isEven),
      ODD_GROUPS,
    )
    for (const [index, group] of [...even, ...odd].entries()) for (const entry of group) this.add(entry, 1 << index)
  }

  private add(entry: LiteralEntry, bit: number): void {
    const [first = 0, second = 0, third = 0, fourth] = entry.window
    if (entry.isEven) {
      this.mark(first, second, bit)
      if (fourth !== undefined) this.mark(third, fourth, bit << 16)
      else for (let any = 0; any < 256; any++) this.mark(third, any, bit << 16)
    } else {
      for (let any = 0; any < 256; any++) this.mark(any, first, bit)
      this.mark(second, third, bit << 16)
    }
    const key = first | (second << 8) | (third << 16)
    if (fourth === undefined) this.knownThree[mix(key)] = 1
    else this.knownFour[mix(key | (fourth << 24))] = 1
    const alike = this.entries.get(key)
    if (alike === undefined) this.entries.set(key, [entry])
    else alike.push(entry)
  }

  private mark(first: number, second: number, bit: number): void {
    const pair = isLittleEndian ? first | (second << 8) : (first << 8) | second
    this.table[pair] = (this.table[pair] ?? 0) | bit
  }

  /**
   * Scans one chunk of the text. Reports the start of each text whose anchor lies between `from` and the returned
   * offset, where the next chunk begins: the end of the text after the last one.
   */
  scan(text: string, from: number, report: (owner: number, start: number) => void): number {
    const limit = Math.min(text.length, from + CHUNK_UNITS)
    const start = wholeBefore(text, Math.max(0, from - MARGIN_UNITS))
    const end = wholeBefore(text, Math.min(text.length, limit + MARGIN_UNITS))
    const { bytes, pairs, table, knownThree, knownFour } = this
    const { written } = this.encoder.encodeInto(text.slice(start, end), bytes)
    this.written = written
    bytes.fill(0, written, written + WINDOW_BYTES + 2)
    this.offsets.reset(start, written === end - start)
    const count = (written >> 1) + 2
    const chunk: Chunk = { text, from, limit, report }
    for (let index = this.nextAgreed(1, count); index < count; index = this.nextAgreed(index + 1, count)) {
      const at = (index - 1) * 2
      const agreed = (table[pairs[index - 1] ?? 0] ?? 0) & ((table[pairs[index] ?? 0] ?? 0) >>> 16)
      const last = (agreed & ODD) === 0 ? at : at + 1
      for (let first = (agreed & EVEN) === 0 ? at + 1 : at; first <= last; first++) {
        const found = (bytes[first] ?? 0) | ((bytes[first + 1] ?? 0) << 8) | ((bytes[first + 2] ?? 0) << 16)
        const isKnown = knownFour[mix(found | ((bytes[first + 3] ?? 0) << 24))] === 1 || knownThree[mix(found)] === 1
        if (isKnown) this.compare(chunk, found, first)
      }
    }
    return limit
  }

  /** Whether a text is plain ASCII and holds none of the texts; false for a text longer than a chunk. */
  isPlainWithout(text: string): boolean {
    if (text.length > CHUNK_UNITS) return false
    this.hasFound = false
    this.scan(text, 0, this.noteFound)
    return !this.hasFound && this.written === text.length
  }

  /** The next index at which a pair of bytes continues the pair before it; `count` without one. */
  private nextAgreed(from: number, count: number): number {
    const { pairs, table } = this
    let before = table[pairs[from - 1] ?? 0] ?? 0
    for (let index = from; index < count; index++) {
      const now = table[pairs[index] ?? 0] ?? 0
      if ((before & (now >>> 16)) !== 0) return index
      before = now
    }
    return count
  }

  /** Reports the texts with a window of some bytes that are really there. */
  private compare({ text, from, limit, report }: Chunk, found: number, first: number): void {
    for (const entry of this.entries.get(found) ?? []) {
      // Most candidates are false, and computing their offsets in the text takes long.
      if ((first % 2 === 0) !== entry.isEven || !this.mayStandAt(entry, first)) continue
      const start = this.offsets.unitAt(first) - entry.offset
      const place = start + entry.anchor
      if (place < from || place >= limit || start < 0 || !text.startsWith(entry.literal, start)) continue
      for (const owner of entry.owners) report(owner, start)
    }
  }

  /** Whether the bytes of the chunk around the window equal the bytes of the text, as far as they lie in the chunk. */
  private mayStandAt({ encoded, byteOffset }: LiteralEntry, first: number): boolean {
    const { bytes } = this
    const start = first - byteOffset
    const end = Math.min(encoded.length, this.written - start)
    for (let index = Math.max(0, -start); index < end; index++) {
      if (bytes[start + index] !== encoded[index]) return false
    }
    return true
  }
}

/** The scanned chunk with its range. */
interface Chunk {
  readonly text: string
  readonly from: number
  readonly limit: number
  readonly report: (owner: number, start: number) => void
}

/** The offset, or one less where it would cut a surrogate pair. */
function wholeBefore(text: string, at: number): number {
  return at > 0 && at < text.length && isHighSurrogate(text.charCodeAt(at - 1)) ? at - 1 : at
}

/** Sixteen bits of three or four bytes. */
function mix(bytes: number): number {
  return Math.imul(bytes, 0x9e3779b1) >>> 16
}
