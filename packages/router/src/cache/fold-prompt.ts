/** White space of Unicode. */
const BLANK = /\p{White_Space}/u

/**
 * A prompt as the key of a cache: trimmed, and in lower case letter by letter, so that the letters beside one make no
 * difference.
 */
export function foldPrompt(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && BLANK.test(text.charAt(start))) start++
  while (end > start && BLANK.test(text.charAt(end - 1))) end--
  // JavaScript writes a dotted capital I as two characters, and a capital sigma by its neighbours.
  return text.slice(start, end).replaceAll('\u0130', 'i').replaceAll('\u03a3', '\u03c3').toLowerCase()
}
