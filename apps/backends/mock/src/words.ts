/**
 * Splits text into pieces of one word with the space before it; joined they are the text again, except for space at its
 * end.
 */
export function splitWords(text: string): string[] {
  return text.match(/\s*\S+/g) ?? []
}

/** Splits a text into words in lower case, without punctuation. */
export function toWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** A number for a text, the same in every process (FNV-1a, 32 bits). */
export function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return hash
}

/** Share of the distinct words of one text that another text also has, in 0..1. */
export function measureOverlap(of: string, within: string): number {
  const words = new Set(toWords(of))
  const others = new Set(toWords(within))
  const shared = [...words].filter((word) => others.has(word)).length
  return words.size === 0 ? 0 : shared / words.size
}
