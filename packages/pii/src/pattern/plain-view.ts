import type { Span } from '../span.ts'
import { isInsideCharacter } from '../well-formed.ts'
import { BEYOND_LATIN, findLatinSuspect, findSuspect, toPlainForm } from './plain-characters.ts'

/** A text without its invisible characters and with its letters in their plain form, and the way back. */
export interface PlainView {
  readonly text: string
  readonly segments: readonly Span[]
  /** The text's range behind a span of the view, with all invisible characters between. */
  toText(span: Span): Span
}

/** Characters in one step. */
const STEP = 16_384
/** Anything but the printed characters and the blanks of ASCII. */
const NOT_PLAIN = /[^\t-\r\x20-\x7e]/
/** Tag characters for the printed characters of ASCII: people do not see them, models read them. */
const TAG = /[\u{e0020}-\u{e007e}]/u
const TAG_BASE = 0xe0000

/** Most cached forms of one text: texts repeat few characters. */
const MAX_KNOWN_FORMS = 4096

function tagForm(tag: string): string {
  return String.fromCodePoint((tag.codePointAt(0) ?? TAG_BASE) - TAG_BASE)
}

/**
 * Creates the plain view of a text in steps, so that a long text does not block the event loop. In it, secrets with
 * inserted characters, or in fullwidth or mathematical letters, look as patterns expect them (threats PII-4, PII-5).
 */
export class PlainViewer {
  readonly #readsTags: boolean
  readonly #text: string
  readonly #segments: readonly Span[]
  readonly #pieces: string[] = []
  /** Edges of segments in the view, in the order of the text. */
  readonly #edges: number[] = []
  /**
   * Positions at which the offset between view and text changes: offsets of the view and of the text, and the text's
   * end for a single character.
   */
  readonly #viewAt: number[] = [0]
  readonly #textAt: number[] = [0]
  readonly #textEnd: number[] = [-1]
  #read = 0
  #length = 0
  #segment = 0
  #isDifferent = false
  /** The current window of a text of Latin-1; the range of the window. */
  #window = ''
  #windowAt = 0
  #windowEnd = 0
  /** The next character that may have a plain form, or the end of the window. */
  #suspect = -1
  readonly #isLatin: boolean
  readonly #forms = new Map<string, string>()

  /** @param tags whether tags are read as their characters, or are invisible */
  constructor(text: string, segments: readonly Span[], tags: 'read' | 'unseen' = 'unseen') {
    this.#readsTags = tags === 'read'
    this.#isLatin = !BEYOND_LATIN.test(text)
    this.#text = text
    this.#segments = segments
  }

  /** Whether there is anything to change: printed ASCII is plain. */
  static mayDiffer(text: string): boolean {
    return NOT_PLAIN.test(text)
  }

  /** Whether a text has readable tags. */
  static hasTags(text: string): boolean {
    return TAG.test(text)
  }

  /** Does one step. @returns whether it was the last */
  advance(): boolean {
    this.#windowAt = this.#read
    const limit = Math.min(this.#read + STEP, this.#text.length)
    const end = isInsideCharacter(this.#text, limit) ? limit - 1 : limit
    if (this.#isLatin) this.#window = this.#text.slice(this.#read, end)
    this.#windowEnd = end
    this.#suspect = -1
    while (this.#read < end) this.#take()
    if (end < this.#text.length) return false
    this.#markEdges()
    return true
  }

  /** The view; undefined when it equals the text. Call it after all steps. */
  view(): PlainView | undefined {
    if (!this.#isDifferent) return undefined
    const segments = this.#segments.map((_, index) => {
      return { start: this.#edges[2 * index] ?? 0, end: this.#edges[2 * index + 1] ?? this.#length }
    })
    return { text: this.#pieces.join(''), segments, toText: (span) => this.#toText(span) }
  }

  /** Takes a run of plain characters, or one suspect. */
  #take(): void {
    this.#markEdges()
    const start = this.#read
    const end = Math.min(this.#nextEdge(), this.#nextSuspect())
    if (end > start) {
      this.#put(this.#text.slice(start, end), end)
      return
    }
    const character = String.fromCodePoint(this.#text.codePointAt(start) ?? 0)
    const after = start + character.length
    const plain = this.#findForm(character)
    if (plain === character) {
      this.#put(character, after)
      return
    }
    this.#isDifferent = true
    if (plain !== '') {
      this.#begin(start, after)
      this.#pieces.push(plain)
      this.#length += plain.length
    }
    this.#read = after
    this.#begin(after, -1)
  }

  #put(piece: string, after: number): void {
    this.#pieces.push(piece)
    this.#length += piece.length
    this.#read = after
  }

  /** Starts a new offset between view and text. */
  #begin(textAt: number, textEnd: number): void {
    const last = this.#viewAt.length - 1
    if (this.#viewAt[last] === this.#length) {
      this.#textAt[last] = textAt
      this.#textEnd[last] = textEnd
      return
    }
    this.#viewAt.push(this.#length)
    this.#textAt.push(textAt)
    this.#textEnd.push(textEnd)
  }

  #findForm(character: string): string {
    let form = this.#forms.get(character)
    if (form === undefined) {
      form = this.#readsTags && TAG.test(character) ? tagForm(character) : toPlainForm(character)
      if (this.#forms.size === MAX_KNOWN_FORMS) this.#forms.clear()
      this.#forms.set(character, form)
    }
    return form
  }

  #nextSuspect(): number {
    if (this.#suspect < this.#read) {
      this.#suspect = this.#isLatin
        ? this.#windowAt + findLatinSuspect(this.#window, this.#read - this.#windowAt)
        : findSuspect(this.#text, this.#read, this.#windowEnd)
    }
    return this.#suspect
  }

  /** The next edge of a segment after this place. */
  #nextEdge(): number {
    const segment = this.#segments[this.#segment >> 1]
    const edge = this.#segment % 2 === 0 ? segment?.start : segment?.end
    return edge ?? this.#text.length
  }

  #markEdges(): void {
    for (;;) {
      const segment = this.#segments[this.#segment >> 1]
      const edge = this.#segment % 2 === 0 ? segment?.start : segment?.end
      if (edge === undefined || edge > this.#read) return
      this.#edges.push(this.#length)
      this.#segment += 1
    }
  }

  #toText({ start, end }: Span): Span {
    const first = this.#runAt(start)
    const last = this.#runAt(end - 1)
    const whole = this.#textEnd[first] ?? -1
    const lastWhole = this.#textEnd[last] ?? -1
    return {
      start: whole >= 0 ? (this.#textAt[first] ?? 0) : this.#place(first, start),
      end: lastWhole >= 0 ? lastWhole : this.#place(last, end - 1) + 1,
    }
  }

  #place(run: number, offset: number): number {
    return (this.#textAt[run] ?? 0) + offset - (this.#viewAt[run] ?? 0)
  }

  /** The run around an offset of the view. */
  #runAt(offset: number): number {
    let low = 0
    let high = this.#viewAt.length
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if ((this.#viewAt[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return low
  }
}
