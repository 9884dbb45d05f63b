import type { Span } from '../span.ts'
import type { Reading } from './reading.ts'

/** Neighbouring escapes that each stand for one code unit and are equally long, or one escape of any kind. */
interface Replacement {
  /** Where it lies in the view. */
  readonly start: number
  end: number
  /** Where it lies in the text. */
  readonly from: number
  to: number
  /** Code units of the text for one of the view; 0 where they cannot be told apart. */
  readonly width: number
}

/** A text with some of its stretches replaced by what they stand for. It is made from start to end. */
export class EscapedView {
  readonly #text: string
  readonly #pieces: string[] = []
  readonly #replacements: Replacement[] = []
  #length = 0
  #read = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Replaces the `size` code units at `from`, which lie after all that was replaced before. */
  replace(from: number, size: number, character: string): void {
    this.#copyTo(from)
    const start = this.#length
    const to = from + size
    this.#put(character)
    this.#read = to
    const width = character.length === 1 ? size : 0
    const last = this.#replacements.at(-1)
    if (width > 0 && last?.to === from && last.width === width) {
      last.end += 1
      last.to = to
    } else this.#replacements.push({ start, end: this.#length, from, to, width })
  }

  /** The whole view; undefined where nothing was replaced. Nothing can be replaced any more. */
  reading(): Reading | undefined {
    if (this.#replacements.length === 0) return undefined
    this.#copyTo(this.#text.length)
    return {
      text: this.#pieces.join(''),
      toSource: ({ start, end }) => ({ start: this.#unitAt(start).start, end: this.#unitAt(end - 1).end }),
    }
  }

  #copyTo(from: number): void {
    if (from > this.#read) this.#put(this.#text.slice(this.#read, from))
  }

  #put(piece: string): void {
    this.#pieces.push(piece)
    this.#length += piece.length
  }

  /** What a code unit of the view stands for in the text. */
  #unitAt(offset: number): Span {
    const replacement = this.#replacements[this.#lastBefore(offset)]
    if (replacement === undefined) return { start: offset, end: offset + 1 }
    const { start, end, from, to, width } = replacement
    const first = offset < end ? from + (offset - start) * width : to + offset - end
    if (offset >= end) return { start: first, end: first + 1 }
    return width === 0 ? { start: from, end: to } : { start: first, end: first + width }
  }

  /** The last replacement that begins at an offset of the view or before; -1 where none does. */
  #lastBefore(offset: number): number {
    let low = -1
    let high = this.#replacements.length
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if ((this.#replacements[middle]?.start ?? 0) <= offset) low = middle
      else high = middle
    }
    return low
  }
}
