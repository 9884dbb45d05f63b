/** Most names in a sentence. */
export const MOST_SUGGESTIONS = 5
const ALIKE_LETTERS = 3

/** The first known names that begin as a name does, in any case. */
export function listAlike(name: string, known: readonly string[]): readonly string[] {
  const start = name.slice(0, ALIKE_LETTERS).toLowerCase()
  return known.filter((other) => other.toLowerCase().startsWith(start)).slice(0, MOST_SUGGESTIONS)
}
