/** Quarters of a token for each kind of character: ASCII, letters of alphabets, all others. */
const [ASCII, ALPHABETS, OTHERS] = [1, 2, 4]
const ASCII_END = 0x80
const ALPHABETS_END = 0x2000

/**
 * Estimates the tokens of a text: a quarter for each ASCII character, a half for each letter of another alphabet, and
 * one for any other character, such as an ideograph. A longer text never has fewer.
 */
export function estimateTokens(text: string): number {
  let quarters = 0
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    quarters += unit < ASCII_END ? ASCII : unit < ALPHABETS_END ? ALPHABETS : OTHERS
  }
  return Math.ceil(quarters / 4)
}
