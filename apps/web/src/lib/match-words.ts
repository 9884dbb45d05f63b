/** Whether a text has every word of a search. The case of letters does not matter. */
export function createMatcher(search: string): (text: string) => boolean {
  const words = search.toLowerCase().split(/\s+/)
  return (text) => {
    const all = text.toLowerCase()
    return words.every((word) => all.includes(word))
  }
}
