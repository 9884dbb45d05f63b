/** The word of a prompt that is replaced by standard input. */
export const STANDARD_INPUT = '-'

/**
 * Makes one prompt of the words of a command line. The text from standard input is a paragraph of its own in the place
 * of its word.
 */
export function joinPrompt(words: readonly string[], piped: string): string {
  const paragraphs: string[][] = [[]]
  for (const word of words) {
    if (word === STANDARD_INPUT) paragraphs.push([piped], [])
    else paragraphs.at(-1)?.push(word)
  }
  return paragraphs
    .map((paragraph) => paragraph.join(' ').trim())
    .filter((text) => text !== '')
    .join('\n\n')
}
