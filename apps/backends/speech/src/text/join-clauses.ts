/** Lengths of pieces, in characters. */
export interface PieceLengths {
  /** A piece that is shorter takes the next clause too. */
  readonly least: number
  /** No piece gets longer by a clause that it takes. */
  readonly max: number
}

const PAUSE = /[.!?,;:]["')\]]*$/

/**
 * Joins short clauses that follow each other, for engines whose start costs more than a few words. The first clause stays
 * alone, so that its sound is there early. A clause without a mark at its end gets a dot, because the voice would go on
 * without a pause.
 */
export function joinClauses(clauses: readonly string[], { least, max }: PieceLengths): string[] {
  const pieces: string[] = []
  for (const clause of clauses) {
    const last = pieces.length > 1 ? pieces.at(-1) : undefined
    const joined = last === undefined ? '' : `${last}${PAUSE.test(last) ? '' : '.'} ${clause}`
    if (last === undefined || last.length >= least || joined.length > max) pieces.push(clause)
    else pieces[pieces.length - 1] = joined
  }
  return pieces
}
