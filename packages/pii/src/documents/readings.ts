/** What stands between two readings of the same thing. */
const SEPARATOR = '\n\n'

/** Readings of the same thing as one text. */
export function joinReadings(texts: readonly string[]): string {
  return texts.join(SEPARATOR)
}

/**
 * The only reading that changed, or the first where none did; undefined where several did: each may show what is hidden
 * in the others, so none of them can go on.
 *
 * @param text what became of `texts` joined
 */
export function changedReading(text: string, texts: readonly string[]): { index: number; text: string } | undefined {
  for (const index of texts.keys()) {
    const before = texts.slice(0, index).map((one) => one + SEPARATOR)
    const after = texts.slice(index + 1).map((one) => SEPARATOR + one)
    const [start, end] = [before.join(''), after.join('')]
    if (text.length < start.length + end.length || !text.startsWith(start) || !text.endsWith(end)) continue
    return { index, text: text.slice(start.length, text.length - end.length) }
  }
  return undefined
}

/** What goes on in the place of readings of which several changed. */
export const NOTHING_LEFT = '[REDACTED]'
