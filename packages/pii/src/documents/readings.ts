/** Separator of two readings of the same data. */
const SEPARATOR = '\n\n'

/** Joins readings of the same data to one text. */
export function joinReadings(texts: readonly string[]): string {
  return texts.join(SEPARATOR)
}

/**
 * The only changed reading, or the first when none changed. Undefined when several changed: each may show the hidden
 * text of the others, so none may be forwarded.
 *
 * @param text the new text of `texts` joined
 */
export function findChangedReading(
  text: string,
  texts: readonly string[],
): { index: number; text: string } | undefined {
  for (const index of texts.keys()) {
    const before = texts.slice(0, index).map((one) => one + SEPARATOR)
    const after = texts.slice(index + 1).map((one) => SEPARATOR + one)
    const [start, end] = [before.join(''), after.join('')]
    if (text.length < start.length + end.length || !text.startsWith(start) || !text.endsWith(end)) continue
    return { index, text: text.slice(start.length, text.length - end.length) }
  }
  return undefined
}

/** Replaces readings of which several changed. */
export const NOTHING_LEFT = '[REDACTED]'
