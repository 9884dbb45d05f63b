import { isHighSurrogate, isLowSurrogate } from './code-set.ts'

/** A text to search with the edges of its segments, at which `^` and `$` match. */
export class SourceText {
  readonly text: string
  private readonly starts: ReadonlySet<number>
  private readonly ends: ReadonlySet<number>

  /** @param segments ascending; @default the whole text as one */
  constructor(text: string, segments?: readonly { readonly start: number; readonly end: number }[]) {
    this.text = text
    const all = segments ?? [{ start: 0, end: text.length }]
    this.starts = new Set(all.map((segment) => segment.start))
    this.ends = new Set(all.map((segment) => segment.end))
  }

  get length(): number {
    return this.text.length
  }

  startsSegment(at: number): boolean {
    return this.starts.has(at)
  }

  endsSegment(at: number): boolean {
    return this.ends.has(at)
  }

  /** The whole code point at an offset; a lone half of a pair is itself. */
  codeAt(at: number): number {
    const unit = this.text.charCodeAt(at)
    return isHighSurrogate(unit) ? (this.text.codePointAt(at) ?? unit) : unit
  }

  /** The whole code point before an offset that is not inside of one; -1 at the start of the text. */
  codeBefore(at: number): number {
    if (at === 0) return -1
    const unit = this.text.charCodeAt(at - 1)
    return isLowSurrogate(unit) && at > 1 && isHighSurrogate(this.text.charCodeAt(at - 2))
      ? (this.text.codePointAt(at - 2) ?? unit)
      : unit
  }

  /** The offset itself, or one less where it is inside of a surrogate pair. */
  boundaryAt(at: number): number {
    const inside = at > 0 && isLowSurrogate(this.text.charCodeAt(at)) && isHighSurrogate(this.text.charCodeAt(at - 1))
    return inside ? at - 1 : at
  }
}
