/** Lengths of clauses, in UTF-16 code units. */
export interface ClauseLengths {
  /** A clause ends at the first comma, colon or semicolon after this length, for an early start. */
  readonly first: number
  /** Later clauses are whole sentences up to this length; a longer sentence is cut. */
  readonly max: number
}

const USUAL: ClauseLengths = { first: 24, max: 300 }
/**
 * The end of a sentence: its marks, closing quotes, then space; a new line; or the marks of scripts without spaces. A match
 * begins at the first of several marks, so that a long run of them takes linear time.
 */
const SENTENCE_END = /(?:(?<![.!?…])[.!?…]+["'”’)\]]*\s+|\n+|[。！？]+)/gu
const CLAUSE_END = /(?:[,;:]["'”’)\]]*\s+|[，；：、])/gu
/** A dot that ends no sentence: a title, or a single letter. */
const ABBREVIATION = /(?:^|[\s("'])(?:[A-Za-z]|Mr|Mrs|Ms|Dr|St|Prof|Sr|Jr|Gen|Col|Rep|Sen|vs|No|e\.g|i\.e|etc)\.$/u

/**
 * Splits a text into clauses that can be spoken one after the other. The first is short, so that its sound is there
 * early; the others are as whole as possible, because a voice falls at the end of each. Joined, they are the text
 * without the white space at their ends.
 */
export function splitClauses(text: string, { first, max }: ClauseLengths = USUAL): string[] {
  const clauses: string[] = []
  for (const sentence of splitAt(text, SENTENCE_END, (part) => !ABBREVIATION.test(part.trimEnd()))) {
    for (const piece of cutLong(sentence, max)) {
      const opening = clauses.length === 0 ? cutOpening(piece, first) : [piece]
      clauses.push(...opening.map((clause) => clause.trim()).filter((clause) => clause !== ''))
    }
  }
  return clauses
}

/** Splits behind every match that `isEnd` accepts; it gets the text from the last end up to the match. */
function splitAt(text: string, ends: RegExp, isEnd: (part: string) => boolean): string[] {
  const parts: string[] = []
  let start = 0
  for (const { 0: mark, index } of text.matchAll(ends)) {
    const part = text.slice(start, index + mark.length)
    // an abbreviation is at most a few letters long, so its test needs only the end of the part
    if (!isEnd(part.slice(-16))) continue
    parts.push(part)
    start = index + mark.length
  }
  return start < text.length ? [...parts, text.slice(start)] : parts
}

/** Cuts a sentence that is too long at its last comma in reach, else at a space, else between two characters. */
function cutLong(sentence: string, max: number): string[] {
  const pieces: string[] = []
  let rest = sentence
  while (rest.length > max) {
    const head = rest.slice(0, max)
    const comma = [...head.matchAll(CLAUSE_END)].at(-1)
    const space = head.lastIndexOf(' ')
    let end = comma === undefined ? -1 : comma.index + comma[0].length
    if (end < max / 4) end = space < max / 4 ? max : space + 1
    if (isHighSurrogate(rest.charCodeAt(end - 1))) end -= 1
    pieces.push(rest.slice(0, end))
    rest = rest.slice(end)
  }
  return [...pieces, rest]
}

function cutOpening(piece: string, first: number): string[] {
  const comma = [...piece.matchAll(CLAUSE_END)].find(({ index }) => index >= first)
  if (comma === undefined) return [piece]
  const end = comma.index + comma[0].length
  return [piece.slice(0, end), piece.slice(end)]
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd8_00 && unit <= 0xdb_ff
}
