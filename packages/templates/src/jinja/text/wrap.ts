import { isDecimal, isLetter, isSpace, isWordCharacter } from './characters.ts'
import { toCodePoints } from './code-points.ts'

/** Options of breaking a line. */
export interface WrapOptions {
  /** In code points, from 1. */
  readonly width: number
  /** Whether words longer than a line are broken. */
  readonly breakWords: boolean
  /** Whether words with hyphens may be broken behind them. */
  readonly breakHyphens: boolean
}

/** A part of a line that is not broken unless it is too wide. */
interface Chunk {
  readonly start: number
  readonly end: number
}

/** Breaks a line at blanks so that no part is wider than allowed, if possible. */
export function wrapText(line: string, options: WrapOptions): string[] {
  const characters = toCodePoints(line)
  const chunks = options.breakHyphens ? splitAtHyphens(characters) : splitAtBlanks(characters)
  return new Wrapper(characters, { chunks: chunks.reverse(), options }).wrap()
}

/** Fills lines with chunks; keeps the chunks with the next one last. */
class Wrapper {
  readonly #characters: readonly string[]
  readonly #chunks: Chunk[]
  readonly #options: WrapOptions
  readonly #lines: string[] = []

  constructor(characters: readonly string[], { chunks, options }: { chunks: Chunk[]; options: WrapOptions }) {
    this.#characters = characters
    this.#chunks = chunks
    this.#options = options
  }

  wrap(): string[] {
    while (this.#chunks.length > 0) {
      if (this.#lines.length > 0 && this.#isBlank(this.#chunks.at(-1))) this.#chunks.pop()
      const line = this.#fillLine()
      if (this.#isBlank(line.at(-1))) line.pop()
      const first = line[0]
      const last = line.at(-1)
      if (first !== undefined && last !== undefined) {
        this.#lines.push(this.#characters.slice(first.start, last.end).join(''))
      }
    }
    return this.#lines
  }

  #fillLine(): Chunk[] {
    const line: Chunk[] = []
    let space = this.#options.width
    for (let next = this.#chunks.at(-1); next !== undefined; next = this.#chunks.at(-1)) {
      const width = next.end - next.start
      if (width > space) {
        if (width > this.#options.width) this.#breakWord(next, line, space)
        break
      }
      line.push(next)
      space -= width
      this.#chunks.pop()
    }
    return line
  }

  /** Puts the fitting part of a long word into the line. */
  #breakWord(word: Chunk, line: Chunk[], space: number): void {
    if (this.#options.breakWords) {
      const end = this.#findBreak(word, space)
      line.push({ start: word.start, end })
      this.#chunks[this.#chunks.length - 1] = { start: end, end: word.end }
    } else if (line.length === 0) {
      line.push(word)
      this.#chunks.pop()
    }
  }

  #findBreak({ start }: Chunk, space: number): number {
    if (!this.#options.breakHyphens) return start + space
    const head = this.#characters.slice(start, start + space)
    const hyphen = head.lastIndexOf('-')
    const hasLetters = head.slice(0, Math.max(0, hyphen)).some((character) => character !== '-')
    return start + (hyphen > 0 && hasLetters ? hyphen + 1 : space)
  }

  #isBlank(chunk: Chunk | undefined): boolean {
    if (chunk === undefined) return false
    for (let index = chunk.start; index < chunk.end; index++) {
      if (!isSpace((this.#characters[index] ?? '').charCodeAt(0))) return false
    }
    return true
  }
}

/** Blanks and the words between them. */
function splitAtBlanks(characters: readonly string[]): Chunk[] {
  const chunks: Chunk[] = []
  let start = 0
  for (let index = 1; index <= characters.length; index++) {
    if (index < characters.length && isBreakable(characters[index]) === isBreakable(characters[start])) continue
    chunks.push({ start, end: index })
    start = index
  }
  return chunks
}

/** Like {@link splitAtBlanks}; words also end behind a hyphen between letters, and around a dash of several. */
function splitAtHyphens(characters: readonly string[]): Chunk[] {
  const splitter = new HyphenSplitter(characters)
  const chunks: Chunk[] = []
  for (let start = 0; start < characters.length; ) {
    const end = splitter.findEnd(start)
    chunks.push({ start, end })
    start = end
  }
  return chunks
}

class HyphenSplitter {
  readonly #characters: readonly string[]
  /** The end of the run of hyphens that was measured last. */
  #runEnd = 0

  constructor(characters: readonly string[]) {
    this.#characters = characters
  }

  /** The end of the chunk that begins at a place. */
  findEnd(start: number): number {
    let end = start
    while (isBreakable(this.#characters[end])) end++
    if (end > start) return end
    if (this.#isDash(start)) return this.#runEnd
    for (end = start + 1; end < this.#characters.length; end++) {
      if (this.#characters[end] === '-' && this.#joinsLetters(end)) return end + 1
      if (isBreakable(this.#characters[end]) || this.#isDash(end)) return end
    }
    return end
  }

  /** Whether several hyphens are here with a word on both sides. */
  #isDash(index: number): boolean {
    if (this.#characters[index] !== '-' || !isWordPunctuation(this.#characters[index - 1])) return false
    if (this.#runEnd <= index) {
      this.#runEnd = index
      while (this.#characters[this.#runEnd] === '-') this.#runEnd++
    }
    return this.#runEnd - index >= 2 && isWord(this.#characters[this.#runEnd])
  }

  /** Whether a hyphen has two letters before it, or a letter, a hyphen and a letter; and the like after it. */
  #joinsLetters(index: number): boolean {
    const before = (distance: number): string | undefined => this.#characters[index - distance]
    const behind = (distance: number): string | undefined => this.#characters[index + distance]
    const begins =
      isWordLetter(before(1)) && isWordLetter(before(2))
        ? true
        : isWordPunctuation(before(1)) && before(2) === '-' && isWordLetter(before(3))
    if (!begins || !isWordLetter(behind(1))) return false
    return isWordLetter(behind(2)) || (behind(2) === '-' && isWordLetter(behind(3)))
  }
}

/** The blanks that lines are broken at; others, such as the one that does not break, are part of words. */
function isBreakable(character: string | undefined): boolean {
  return character !== undefined && '\t\n\x0b\x0c\r '.includes(character)
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && isWordCharacter(character)
}

function isWordPunctuation(character: string | undefined): boolean {
  return character !== undefined && (isWordCharacter(character) || '!"\'&.,?'.includes(character))
}

/** Whether `[^\d\W]` matches a character. */
function isWordLetter(character: string | undefined): boolean {
  return character !== undefined && (isLetter(character) || (isWordCharacter(character) && !isDecimal(character)))
}
