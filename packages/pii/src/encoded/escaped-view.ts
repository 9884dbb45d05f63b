import type { Span } from '../span.ts'
import type { Reading } from './reading.ts'

/** Numbers in a row of the table of replacements. */
const FIELDS = 5
/** Pieces joined at a time: one for each escape would be too many. */
const MAX_PIECES = 4096

/** Consecutive escapes of one length, each for one code unit, or one escape of any kind. */
interface Replacement {
  /** Start in the view. */
  readonly start: number
  readonly end: number
  /** Start in the text. */
  readonly from: number
  readonly to: number
  /** Code units of the text for one of the view; 0 when they cannot be assigned. */
  readonly width: number
}

/** A text with some of its ranges replaced by their decoded form, built from start to end. */
export class EscapedView {
  readonly #text: string
  readonly #pieces: string[] = []
  #lastPieces: string[] = []
  #rows = new Int32Array(64 * FIELDS)
  #count = 0
  #length = 0
  #read = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Replaces the `size` code units at `from`, which lie after all earlier replacements. */
  replace(from: number, size: number, character: string): void {
    this.#copyTo(from)
    const start = this.#length
    const to = from + size
    this.#put(character)
    this.#read = to
    const width = character.length === 1 ? size : 0
    const last = this.#count === 0 ? undefined : this.#row(this.#count - 1)
    if (width > 0 && last?.to === from && last.width === width) {
      this.#write(this.#count - 1, { ...last, end: this.#length, to })
    } else this.#write(this.#count, { start, end: this.#length, from, to, width })
  }

  /** The whole view; undefined without replacements. No replacement may follow. */
  reading(): Reading | undefined {
    if (this.#count === 0) return undefined
    this.#copyTo(this.#text.length)
    this.#pieces.push(...this.#lastPieces)
    return {
      text: this.#pieces.join(''),
      toSource: ({ start, end }) => ({ start: this.#unitAt(start).start, end: this.#unitAt(end - 1).end }),
    }
  }

  #copyTo(from: number): void {
    if (from > this.#read) this.#put(this.#text.slice(this.#read, from))
  }

  #put(piece: string): void {
    this.#length += piece.length
    if (this.#lastPieces.push(piece) < MAX_PIECES) return
    this.#pieces.push(this.#lastPieces.join(''))
    this.#lastPieces = []
  }

  #row(index: number): Replacement {
    const [start = 0, end = 0, from = 0, to = 0, width = 0] = this.#rows.subarray(index * FIELDS, (index + 1) * FIELDS)
    return { start, end, from, to, width }
  }

  #write(index: number, { start, end, from, to, width }: Replacement): void {
    this.#count = index + 1
    if (this.#rows.length < this.#count * FIELDS) {
      const larger = new Int32Array(this.#rows.length * 2)
      larger.set(this.#rows)
      this.#rows = larger
    }
    this.#rows.set([start, end, from, to, width], index * FIELDS)
  }

  /** The range of the text behind a code unit of the view. */
  #unitAt(offset: number): Span {
    const index = this.#lastBefore(offset)
    if (index === -1) return { start: offset, end: offset + 1 }
    const { start, end, from, to, width } = this.#row(index)
    if (offset >= end) return { start: to + offset - end, end: to + offset - end + 1 }
    if (width === 0) return { start: from, end: to }
    const first = from + (offset - start) * width
    return { start: first, end: first + width }
  }

  /** The last replacement that begins at an offset of the view or before; -1 without one. */
  #lastBefore(offset: number): number {
    let low = -1
    let high = this.#count
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if ((this.#rows[middle * FIELDS] ?? 0) <= offset) low = middle
      else high = middle
    }
    return low
  }
}
