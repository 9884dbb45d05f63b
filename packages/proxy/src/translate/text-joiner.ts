import type { Fields } from '../fields.ts'

const BLANK_END = /\s$/
const BLANK_START = /^\s/

/**
 * Joins the text blocks of one reply: with a blank line, because each is a text of its own. Blocks with citations are
 * one text that was cut at its citations; they are joined as they are.
 */
export class TextJoiner {
  /** Whether there is text before the open block. */
  #hasText = false
  #endsBlank = false
  /** Whether the last block has citations. */
  #isCited = false
  #needsBreak = false

  /** Begins a block. @returns its first text */
  open({ text, citations }: Fields): string {
    const isCited = Array.isArray(citations)
    this.#needsBreak = this.#hasText && !this.#isCited && !isCited
    this.#isCited = isCited
    return this.add(text)
  }

  /** Notes a citation in the open block. */
  cite(): void {
    this.#isCited = true
  }

  /** Adds to the open block. @returns the text with a break before it where it needs one */
  add(text: unknown): string {
    if (typeof text !== 'string' || text === '') return ''
    const separator = this.#needsBreak && !this.#endsBlank && !BLANK_START.test(text) ? '\n\n' : ''
    this.#needsBreak = false
    this.#hasText = true
    this.#endsBlank = BLANK_END.test(text)
    return separator + text
  }
}
