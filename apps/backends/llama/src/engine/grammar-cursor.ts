import { invalidRequest } from '../errors.ts'

const NAME_LETTER = /[A-Za-z0-9_-]/
const DIGIT = /\d/

/** The error of a grammar that the engine cannot take. */
export function refused(reason: string): Error {
  return invalidRequest(`the grammar ${reason}`, 'Grammar')
}

/** Moves over the text of a grammar, from left to right. */
export class GrammarCursor {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length
  }

  /** The current character; undefined at the end. */
  get letter(): string | undefined {
    return this.#text[this.#at]
  }

  get isAtName(): boolean {
    return NAME_LETTER.test(this.letter ?? '')
  }

  fail(): never {
    throw refused(`cannot be read at character ${this.#at}`)
  }

  /** Skips a mark. Returns whether it was there. */
  take(mark: string): boolean {
    const isThere = this.#text.startsWith(mark, this.#at)
    if (isThere) this.#at += mark.length
    return isThere
  }

  expect(mark: string): void {
    if (!this.take(mark)) this.fail()
  }

  /** Skips blanks and comments; line ends only where a rule may continue after them. */
  skip(overLines: boolean): void {
    for (;;) {
      const { letter } = this
      if (letter === ' ' || letter === '\t' || letter === '\r' || (overLines && letter === '\n')) this.#at += 1
      else if (letter === '#') while (!this.isAtEnd && this.letter !== '\n') this.#at += 1
      else return
    }
  }

  /** Whether a mark follows blanks, comments and line ends, which are skipped then. */
  skipTo(mark: string): boolean {
    const before = this.#at
    this.skip(true)
    if (this.letter === mark) return true
    this.#at = before
    return false
  }

  readName(): string {
    const name = this.#readWhile(NAME_LETTER)
    return name === '' ? this.fail() : name
  }

  /** Reads a number of at most six digits. */
  readNumber(): number {
    const digits = this.#readWhile(DIGIT)
    return digits === '' || digits.length > 6 ? this.fail() : Number(digits)
  }

  /** Reads a text or a set up to its closing mark; a backslash escapes the next character. @returns whether it is empty */
  readQuoted(end: string): boolean {
    this.#at += 1
    const start = this.#at
    while (!this.isAtEnd && this.letter !== end) this.#at += this.letter === '\\' ? 2 : 1
    if (this.isAtEnd) this.fail()
    const isEmpty = this.#at === start
    this.#at += 1
    return isEmpty
  }

  #readWhile(pattern: RegExp): string {
    const start = this.#at
    while (!this.isAtEnd && pattern.test(this.#text.charAt(this.#at))) this.#at += 1
    return this.#text.slice(start, this.#at)
  }
}
