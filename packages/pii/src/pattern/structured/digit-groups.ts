import type { Span } from '../../span.ts'
import { isAlphanumeric, isDigit, isSeparator } from './characters.ts'

/** Separators in a row between two groups of one number. */
const MAX_SEPARATORS = 2

/** Digits that may be written in groups, with their range. */
export interface DigitGroups extends Span {
  readonly digits: string
}

/**
 * The numbers that begin with the digit at an offset: its group alone, with the next one, and so on up to `most`
 * digits; the longest first. A group with an adjacent letter ends the number before it.
 */
export function listNumbers(text: string, at: number, most: number): DigitGroups[] {
  const numbers: DigitGroups[] = []
  let digits = ''
  let position = at
  while (digits.length <= most) {
    const start = position
    while (isDigit(text.charCodeAt(position)) && digits.length <= most) digits += text.charAt(position++)
    if (position === start || digits.length > most || isAlphanumeric(text.charCodeAt(position))) break
    numbers.unshift({ start: at, end: position, digits })
    let separators = 0
    while (separators < MAX_SEPARATORS && isSeparator(text.charCodeAt(position))) {
      position++
      separators++
    }
    if (separators === 0) break
  }
  return numbers
}

/** Whether a code unit begins a group of digits: the character before is no letter and no digit. */
export function beginsDigits(unit: number, before: number): boolean {
  return isDigit(unit) && !isAlphanumeric(before) && before !== 0x5f
}

/** Whether one of some lower-case words stands shortly before an offset. */
export function hasWordBefore(text: string, at: number, words: readonly string[]): boolean {
  const context = text.slice(Math.max(0, at - CONTEXT_UNITS), at).toLowerCase()
  return words.some((word) => containsWord(context, word))
}

const CONTEXT_UNITS = 48

function containsWord(context: string, word: string): boolean {
  for (let at = context.indexOf(word); at >= 0; at = context.indexOf(word, at + 1)) {
    const before = at === 0 ? -1 : context.charCodeAt(at - 1)
    if (!isAlphanumeric(before) && !isAlphanumeric(context.charCodeAt(at + word.length))) return true
  }
  return false
}
