const VERY_COMMON = new Set([...' etaoinsrhl'])
const COMMON = new Set([...'dcumfpgwybv.,-_/"\'()=:;\n0123456789'])

/**
 * Rarity of a text in prose, code and logs: a rough number, higher for rarer and longer texts. It only decides the
 * order of the search, never its result.
 */
export function rateText(text: string): number {
  let sum = 0
  for (let at = 0; at < text.length; at++) sum += rateCharacter(text.charAt(at)) / (at < 4 ? 1 : at < 8 ? 2 : 8)
  return sum
}

/** The rarity of one character. */
export function rateCharacter(char: string): number {
  if (VERY_COMMON.has(char)) return 1
  return COMMON.has(char) ? 2 : 4
}
