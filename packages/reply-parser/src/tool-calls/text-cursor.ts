import { listFirstUnits, matchLiteralAt } from '../reasoning/literals.ts'
import { MAX_CALL_LENGTH } from './limits.ts'

/** A step of reading that yields whenever it needs more text. */
export type Reading<Result> = Generator<undefined, Result, undefined>

/**
 * The reply so far, read from front to back. It remembers the text since the last mark, because that may turn out to be
 * text of the answer. It reads no further than {@link MAX_CALL_LENGTH} from the mark.
 */
export class TextCursor {
  /** The received text; the unread part begins at `at`. */
  text = ''
  at = 0
  #taken = ''
  #mark = 0
  #ended = false

  /** Appends a piece of the reply. Cost is proportional to the unread text, which readers keep short. */
  feed(piece: string): void {
    this.#taken += this.text.slice(this.#mark, this.at)
    this.text = this.text.slice(this.at) + piece
    this.at = 0
    this.#mark = 0
  }

  /** Ends the reply. */
  finish(): void {
    this.#ended = true
  }

  /** Exclusive end of the readable part of `text`. */
  get end(): number {
    return Math.min(this.text.length, this.#limit)
  }

  /** No readable text follows `end`: the reply is over, or the call has reached its maximum length. */
  get isFinal(): boolean {
    return this.#ended || this.#limit <= this.text.length
  }

  /** The reply is over and has been read. */
  get isDone(): boolean {
    return this.#ended && this.at === this.text.length
  }

  /** UTF-16 units read since the mark. */
  get offset(): number {
    return this.#taken.length + this.at - this.#mark
  }

  /** Text read since the mark. */
  get read(): string {
    return this.#taken + this.text.slice(this.#mark, this.at)
  }

  /** Sets the mark: forgets the text read so far. */
  mark(): void {
    this.#taken = ''
    this.#mark = this.at
  }

  /** Goes back to an offset from the mark, to read the text behind it again. */
  rewind(offset: number): void {
    this.text = this.#taken + this.text.slice(this.#mark)
    this.at = offset
    this.#taken = ''
    this.#mark = 0
  }

  get #limit(): number {
    return this.#mark + MAX_CALL_LENGTH - this.#taken.length
  }
}

/** Waits for more text; false when the reply is over. */
export function* more(cursor: TextCursor): Reading<boolean> {
  const unread = cursor.end - cursor.at
  while (cursor.end - cursor.at === unread) {
    if (cursor.isFinal) return false
    yield
  }
  return true
}

/** The next UTF-16 unit, not read; -1 at the end. */
export function* peek(cursor: TextCursor): Reading<number> {
  if (cursor.at === cursor.end && !(yield* more(cursor))) return -1
  return cursor.text.charCodeAt(cursor.at)
}

/** Whether a unit is one of the blanks that forms of calls allow between their parts. */
export function isGap(unit: number): boolean {
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d)
}

/** Reads blanks. */
export function* skipGap(cursor: TextCursor): Reading<void> {
  do {
    const { text, end } = cursor
    while (cursor.at < end && isGap(text.charCodeAt(cursor.at))) cursor.at++
  } while (cursor.at === cursor.end && (yield* more(cursor)))
}

/** Finds the literal that comes next without reading it; -1 if no literal does. List a literal before its prefixes. */
export function* lookingAt(cursor: TextCursor, literals: readonly string[]): Reading<number> {
  for (;;) {
    const { text, at, end, isFinal } = cursor
    const match = matchLiteralAt(literals, { text, at, end, final: isFinal })
    if (match === 'none') return -1
    if (match !== 'more') return match
    yield* more(cursor)
  }
}

/** Reads the literal that comes next; -1 if no literal does. */
export function* readLiteral(cursor: TextCursor, literals: readonly string[]): Reading<number> {
  const match = yield* lookingAt(cursor, literals)
  if (match >= 0) cursor.at += literals[match]?.length ?? 0
  return match
}

/**
 * Reads up to and including the first of some literals and returns the offset where it begins; undefined when none
 * comes.
 */
export function* readUntil(cursor: TextCursor, literals: readonly string[]): Reading<number | undefined> {
  const units = listFirstUnits(literals)
  do {
    while (cursor.at < cursor.end) {
      if (units.has(cursor.text.charCodeAt(cursor.at))) {
        const { offset } = cursor
        if ((yield* readLiteral(cursor, literals)) >= 0) return offset
      }
      cursor.at++
    }
  } while (yield* more(cursor))
  return undefined
}
