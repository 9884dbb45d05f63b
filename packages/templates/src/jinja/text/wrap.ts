import { isDecimal, isLetter, isSpace, isWordCharacter } from './characters.ts'
import { toCodePoints } from './code-points.ts'

/** How to break a line. */
export interface WrapOptions {
  /** In code points, from 1. */
  readonly width: number
  /** Whether words longer than a line are broken. */
  readonly breakWords: boolean
  /** Whether words with hyphens may be broken behind them. */
  readonly breakHyphens: boolean
}

/** Breaks a line at blanks so that no part is wider than allowed, where that can be. */
export function wrapText(line: string, options: WrapOptions): string[] {
  const characters = toCodePoints(line)
  const chunks = options.breakHyphens ? splitAtHyphens(characters) : splitAtBlanks(characters)
  return new Wrapper(chunks.reverse(), options).wrap()
}

/** Fills lines with chunks, which are kept with the next one last. */
class Wrapper {
  readonly #chunks: string[][]
  readonly #options: WrapOptions
  readonly #lines: string[] = []

  constructor(chunks: string[][], options: WrapOptions) {
    this.#chunks = chunks
    this.#options = options
  }

  wrap(): string[] {
    while (this.#chunks.length > 0) {
      if (this.#lines.length > 0 && isBlank(this.#chunks.at(-1))) this.#chunks.pop()
      const line = this.#fillLine()
      if (isBlank(line.at(-1))) line.pop()
      if (line.length > 0) this.#lines.push(line.flat().join(''))
    }
    return this.#lines
  }

  #fillLine(): string[][] {
    const line: string[][] = []
    let length = 0
    for (let next = this.#chunks.at(-1); next !== undefined; next = this.#chunks.at(-1)) {
      if (length + next.length > this.#options.width) break
      line.push(next)
      length += next.length
      this.#chunks.pop()
    }
    const next = this.#chunks.at(-1)
    if (next !== undefined && next.length > this.#options.width)
      this.#breakWord(next, line, this.#options.width - length)
    return line
  }

  /** Puts what fits of a long word into the line. */
  #breakWord(word: string[], line: string[][], space: number): void {
    if (this.#options.breakWords) {
      const end = this.#findBreak(word, space)
      line.push(word.slice(0, end))
      this.#chunks[this.#chunks.length - 1] = word.slice(end)
    } else if (line.length === 0) {
      line.push(word)
      this.#chunks.pop()
    }
  }

  #findBreak(word: readonly string[], space: number): number {
    if (!this.#options.breakHyphens || word.length <= space) return space
    const hyphen = word.slice(0, Math.max(0, space)).lastIndexOf('-')
    const hasLetters = word.slice(0, Math.max(0, hyphen)).some((character) => character !== '-')
    return hyphen > 0 && hasLetters ? hyphen + 1 : space
  }
}

function isBlank(chunk: readonly string[] | undefined): boolean {
  return chunk?.every((character) => isSpace(character.charCodeAt(0))) ?? false
}

/** Blanks and what is between them. */
function splitAtBlanks(characters: readonly string[]): string[][] {
  const chunks: string[][] = []
  let start = 0
  for (let index = 1; index <= characters.length; index++) {
    if (index < characters.length && isBreakable(characters[index]) === isBreakable(characters[start])) continue
    chunks.push(characters.slice(start, index))
    start = index
  }
  return chunks
}

/** Like {@link splitAtBlanks}; words also end behind a hyphen between letters, and around a dash of several. */
function splitAtHyphens(characters: readonly string[]): string[][] {
  const splitter = new HyphenSplitter(characters)
  const chunks: string[][] = []
  for (let start = 0; start < characters.length; ) {
    const end = splitter.findEnd(start)
    chunks.push(characters.slice(start, end))
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

  /** Whether several hyphens stand here with a word on both sides. */
  #isDash(index: number): boolean {
    if (this.#characters[index] !== '-' || !isWordPunctuation(this.#characters[index - 1])) return false
    if (this.#runEnd <= index) {
      this.#runEnd = index
      while (this.#characters[this.#runEnd] === '-') this.#runEnd++
    }
    return this.#runEnd - index >= 2 && isWord(this.#characters[this.#runEnd])
  }

  /** Whether a hyphen has two letters before, or a letter, a hyphen and a letter; and the like behind. */
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

/** What `[^\d\W]` matches. */
function isWordLetter(character: string | undefined): boolean {
  return character !== undefined && (isLetter(character) || (isWordCharacter(character) && !isDecimal(character)))
}
