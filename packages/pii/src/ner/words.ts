import type { Span } from '../span.ts'

/** Characters of a word beside its inner dots (§2.11). */
const WORD = /^[\p{L}\p{Nd}\p{M}'-]$/u
const LETTER_OR_DIGIT = /[\p{L}\p{Nd}]/u
/** Characters that a word before a name must not contain: a letter keeps its marks. */
const NOT_IN_NAME = /[^\p{L}\p{M}'-]/u

/** One word of a text. */
export interface Word extends Span {
  /** End of the leading letters, marks, `-` and `'`: the end of the word when it has nothing else. */
  readonly nameEnd: number
  /** Whether it has a letter or a digit: a lone dash is not a word. */
  readonly isWord: boolean
}

/** The words of one text: runs of letters, digits, combining marks, `-`, `'` and inner dots. */
export interface Words {
  /** The longest run that begins before or at an offset and ends at or after it; undefined without one. */
  around(offset: number): Word | undefined
}

/** A detection, the adjacent words and one more. */
const KEPT_WORDS = 4

/**
 * Creates the words of a text. The last few are cached: asking again about them, however long they are, costs nothing.
 */
export function createWords(text: string): Words {
  const kept: Word[] = []
  return {
    around(offset) {
      const known = kept.find(({ start, end }) => start <= offset && offset <= end)
      if (known !== undefined) return known
      const word = findWord(text, offset)
      if (word !== undefined && kept.push(word) > KEPT_WORDS) kept.shift()
      return word
    },
  }
}

function findWord(text: string, offset: number): Word | undefined {
  const start = wordStart(text, offset)
  const end = wordEnd(text, offset)
  if (start === end) return undefined
  const word = text.slice(start, end)
  const other = word.search(NOT_IN_NAME)
  return { start, end, nameEnd: other === -1 ? end : start + other, isWord: LETTER_OR_DIGIT.test(word) }
}

/** Whether a word reaches an offset from before: by a character of words, or an inner dot. */
export function isWordBefore(text: string, offset: number): boolean {
  const before = characterBefore(text, offset)
  if (before !== '.') return isWordCharacter(before)
  return isWordAt(text, offset) && isWordCharacter(characterBefore(text, offset - 1))
}

/** Whether a word continues at an offset. */
export function isWordAfter(text: string, offset: number): boolean {
  const next = characterAt(text, offset)
  if (next !== '.') return isWordCharacter(next)
  return isWordAt(text, offset + 1) && isWordCharacter(characterBefore(text, offset))
}

/** The start of the run that reaches an offset from before; the offset itself without one. */
function wordStart(text: string, offset: number): number {
  let start = offset
  for (;;) {
    const before = characterBefore(text, start)
    if (isWordCharacter(before)) start -= before.length
    else if (before === '.' && isWordCharacter(characterBefore(text, start - 1)) && isWordAt(text, start)) start--
    else return start
  }
}

/** The end of the run that continues at an offset; the offset itself without one. */
function wordEnd(text: string, offset: number): number {
  let end = offset
  for (;;) {
    const next = characterAt(text, end)
    if (isWordCharacter(next)) end += next.length
    else if (next === '.' && isWordCharacter(characterBefore(text, end)) && isWordAt(text, end + 1)) end++
    else return end
  }
}

function isWordAt(text: string, offset: number): boolean {
  return isWordCharacter(characterAt(text, offset))
}

function isWordCharacter(character: string): boolean {
  return WORD.test(character)
}

/** The whole character at an offset; empty at the end. */
function characterAt(text: string, offset: number): string {
  const code = text.codePointAt(offset)
  return code === undefined ? '' : String.fromCodePoint(code)
}

/** The whole character before an offset; empty at the start. */
function characterBefore(text: string, offset: number): string {
  if (offset <= 0) return ''
  const pair = offset >= 2 ? (text.codePointAt(offset - 2) ?? 0) : 0
  return pair > 0xffff ? text.slice(offset - 2, offset) : text.slice(offset - 1, offset)
}
