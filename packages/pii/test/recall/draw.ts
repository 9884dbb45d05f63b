/** A source of random choices, the same for the same seed. */
export interface Draw {
  /** A whole number from `low` to `high`. */
  between(low: number, high: number): number
  pick<T>(choices: readonly [T, ...T[]]): T
  /** Random characters of an alphabet. */
  chars(count: number, alphabet: string): string
  digits(count: number): string
}

/** Creates a source of choices (a 32-bit xorshift). */
export function createDraw(seed: number): Draw {
  let state = (seed ^ 0x5deece66) | 1
  const next = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  for (let warm = 0; warm < 8; warm++) next()
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1))
  const chars = (count: number, alphabet: string): string =>
    Array.from({ length: count }, () => alphabet.charAt(between(0, alphabet.length - 1))).join('')
  return {
    between,
    pick: (choices) => choices[between(0, choices.length - 1)] ?? choices[0],
    chars,
    digits: (count) => chars(count, '0123456789'),
  }
}

/** Puts separators into a text: groups of these sizes. */
export function group(text: string, sizes: readonly number[], separator: string): string {
  const parts: string[] = []
  let at = 0
  for (const size of sizes) {
    if (at >= text.length) break
    parts.push(text.slice(at, at + size))
    at += size
  }
  if (at < text.length) parts.push(text.slice(at))
  return parts.join(separator)
}
