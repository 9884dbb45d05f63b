/** More than any request uses. Sums of such counts stay exact, and no database runs out of digits. */
const MAX_TOKENS = 1_000_000_000

/** The tokens of one request as they are counted: a whole number within bounds, for any claim of an upstream. */
export function cleanTokens(tokens: number): number {
  return Number.isNaN(tokens) ? 0 : Math.min(Math.max(0, Math.ceil(tokens)), MAX_TOKENS)
}
