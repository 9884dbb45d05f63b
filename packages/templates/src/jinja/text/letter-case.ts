import { isCased, isCaseIgnorable, isLower, isUpper } from './characters.ts'
import { toCodePoints } from './code-points.ts'

/** Digraphs and Greek letters whose form at the start of a word is not their upper case. */
const TITLE_FORMS: ReadonlyMap<string, string> = new Map([
  ...pairs('ǄǅǆǇǈǉǊǋǌǱǲǳ', 'ǅǅǅǈǈǈǋǋǋǲǲǲ'),
  ...pairs('ᾳᾼῃῌῳῼ', 'ᾼᾼῌῌῼῼ'),
  ['\u1fb2', '\u1fba\u0345'],
  ['\u1fb4', '\u0386\u0345'],
  ['\u1fb7', '\u1fbc\u0342'],
  ['\u1fc2', '\u1fca\u0345'],
  ['\u1fc4', '\u0389\u0345'],
  ['\u1fc7', '\u1fcc\u0342'],
  ['\u1ff2', '\u1ffa\u0345'],
  ['\u1ff4', '\u038f\u0345'],
  ['\u1ff7', '\u1ffc\u0342'],
  // Its upper case is two letters, and so is its title form.
  ['\u0149', '\u02bcN'],
])

/** The first character as at the start of a word, the rest in lower case. */
export function capitalize(text: string): string {
  const [first] = text
  if (first === undefined) return ''
  return toTitleForm(first) + text.toLowerCase().slice(first.toLowerCase().length)
}

/** Every word capitalised; a word is a run of letters that have a case. */
export function toTitleCase(text: string): string {
  const characters = toCodePoints(text)
  let inWord = false
  let result = ''
  for (const [index, character] of characters.entries()) {
    result += inWord ? lowerInWord(characters, index) : toTitleForm(character)
    inWord = isCased(character)
  }
  return result
}

/** Upper case to lower and the other way round. */
export function swapCase(text: string): string {
  const characters = toCodePoints(text)
  let result = ''
  for (const [index, character] of characters.entries()) {
    if (isUpper(character)) result += lowerInWord(characters, index)
    else result += isLower(character) ? character.toUpperCase() : character
  }
  return result
}

/** For comparison without regard to case, beyond lower case: `ß` becomes `ss`. */
export function foldCase(text: string): string {
  let result = ''
  for (const character of text) result += foldCharacter(character)
  return result
}

/** Whether all letters with a case are in upper case, and there is one. */
export function isAllUpper(text: string): boolean {
  return hasOnly(text, isUpper)
}

/** Whether all letters with a case are in lower case, and there is one. */
export function isAllLower(text: string): boolean {
  return hasOnly(text, isLower)
}

/** Whether upper case begins every run of letters with a case, and is nowhere else. */
export function isTitleCase(text: string): boolean {
  let inWord = false
  let found = false
  for (const character of text) {
    const cased = isCased(character)
    if (cased && isLower(character) !== inWord) return false
    found ||= cased
    inWord = cased
  }
  return found
}

function toTitleForm(character: string): string {
  const form = TITLE_FORMS.get(character)
  if (form !== undefined) return form
  const code = character.codePointAt(0) ?? 0
  if (code >= 0x10d0 && code <= 0x10ff) return character
  if (code >= 0x1f80 && code <= 0x1faf) return String.fromCodePoint(code | 8)
  const [first = '', ...rest] = character.toUpperCase()
  return first + rest.join('').toLowerCase()
}

/** A sigma that ends a word has a form of its own. */
function lowerInWord(characters: readonly string[], index: number): string {
  const character = characters[index] ?? ''
  if (character !== 'Σ') return character.toLowerCase()
  return hasLetterBeside(characters, index, -1) && !hasLetterBeside(characters, index, 1) ? 'ς' : 'σ'
}

function hasLetterBeside(characters: readonly string[], start: number, direction: 1 | -1): boolean {
  for (let index = start + direction; ; index += direction) {
    const character = characters[index]
    if (character === undefined) return false
    if (!isCaseIgnorable(character)) return isCased(character)
  }
}

function foldCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x80) return character.toLowerCase()
  if (code >= 0x13a0 && code <= 0x13f5) return character
  if ((code >= 0x13f8 && code <= 0x13fd) || (code >= 0xab70 && code <= 0xabbf)) return character.toUpperCase()
  if (character === 'ı') return character
  if (character === 'ẞ') return 'ss'
  // A sigma by itself has no word around it, so this gives the form of the middle.
  return character.toUpperCase().toLowerCase()
}

function hasOnly(text: string, isWanted: (character: string) => boolean): boolean {
  let found = false
  for (const character of text) {
    if (!isCased(character)) continue
    if (!isWanted(character)) return false
    found = true
  }
  return found
}

function pairs(from: string, to: string): [string, string][] {
  const targets = Array.from(to)
  return Array.from(from, (character, index) => [character, targets[index] ?? character])
}
