const VERY_COMMON = new Set([...' etaoinsrhl'])
const COMMON = new Set([...'dcumfpgwybv.,-_/"\'()=:;\n0123456789'])

/**
 * How seldom a text turns up in prose, code and logs: a rough number, higher for rarer and longer texts. It only decides
 * what is looked for first, never what is found.
 */
export function rarity(text: string): number {
  let sum = 0
  for (let at = 0; at < text.length; at++) sum += rarityOf(text.charAt(at)) / (at < 4 ? 1 : at < 8 ? 2 : 8)
  return sum
}

/** The same of one character. */
export function rarityOf(char: string): number {
  if (VERY_COMMON.has(char)) return 1
  return COMMON.has(char) ? 2 : 4
}
