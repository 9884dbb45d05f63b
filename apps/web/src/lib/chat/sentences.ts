/** The end of a sentence or of a line, with its closing marks. */
const END = /[.!?…。！？]["'”’)\]*_`]*(?=\s|$)|\n+|[。！？]/g

/**
 * Cuts the finished sentences off a growing text.
 *
 * @param from where the last cut was
 * @returns the finished part after `from`, and where it ends
 */
export function takeSentences(text: string, from: number, isFinished: boolean): { text: string; end: number } {
  const rest = text.slice(from)
  if (isFinished) return { text: rest.trim(), end: text.length }
  let end = 0
  for (const match of rest.matchAll(END)) {
    // a mark at the very end may still grow, as in "3." before "14"
    if (match.index + match[0].length < rest.length) end = match.index + match[0].length
  }
  return { text: rest.slice(0, end).trim(), end: from + end }
}
