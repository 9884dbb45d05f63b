import type { Span } from '../span.ts'

/** What a word is made of beside its inner dots (§2.11). */
const WORD = /^[\p{L}\p{Nd}\p{M}'-]$/u
const LETTER_OR_DIGIT = /[\p{L}\p{Nd}]/u
/** What a word that stands before a name may not be made of: a letter keeps the marks on it. */
const NOT_IN_NAME = /[^\p{L}\p{M}'-]/u

/** One word of a text. */
export interface Word extends Span {
  /** Where the letters, marks, `-` and `'` that it begins with end: at its end when there is nothing else in it. */
  readonly nameEnd: number
  /** Whether it has a letter or a digit: a lone dash is no word to speak of. */
  readonly isWord: boolean
}

/** The words of one text: runs of letters, digits, combining marks, `-`, `'` and inner dots. */
export interface Words {
  /** The longest run that begins before or at an offset and ends at or after it; undefined where there is none. */
  around(offset: number): Word | undefined
}

/** A detection, the words beside it and one more. */
const KEPT_WORDS = 4

/**
 * The words of a text. The last few are kept: asking again about them, however long they are, costs nothing.
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

/** Whether a word reaches an offset from before: a character of words, or an inner dot, stands there. */
export function isWordBefore(text: string, offset: number): boolean {
  const before = characterBefore(text, offset)
  if (before !== '.') return isWordCharacter(before)
  return isWordAt(text, offset) && isWordCharacter(characterBefore(text, offset - 1))
}

/** Whether a word goes on at an offset. */
export function isWordAfter(text: string, offset: number): boolean {
  const next = characterAt(text, offset)
  if (next !== '.') return isWordCharacter(next)
  return isWordAt(text, offset + 1) && isWordCharacter(characterBefore(text, offset))
}

/** Where the run that reaches an offset from before begins; the offset itself when there is none. */
function wordStart(text: string, offset: number): number {
  let start = offset
  for (;;) {
    const before = characterBefore(text, start)
    if (isWordCharacter(before)) start -= before.length
    else if (before === '.' && isWordCharacter(characterBefore(text, start - 1)) && isWordAt(text, start)) start--
    else return start
  }
}

/** Where the run that goes on at an offset ends; the offset itself when there is none. */
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
