/** Bounds of a count in a query. */
export interface CountRange {
  /** The count of a query that names none. */
  readonly usual: number
  /** @default 1 */
  readonly least?: number | undefined
  readonly most: number
}

/**
 * Reads a count of a query, such as `limit`. All lists have one rule: a text other than a whole number, or a number below
 * the least, counts as absent, and a number above the most as the most.
 */
export function readCount(text: string | undefined, { usual, least = 1, most }: CountRange): number {
  if (text === undefined || !/^\d+$/.test(text)) return usual
  const count = Number(text)
  return count < least ? usual : Math.min(count, most)
}
