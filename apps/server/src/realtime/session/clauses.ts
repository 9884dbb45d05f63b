/** Shortest first clause, in UTF-16 code units: its sound is there early. */
const FIRST_LENGTH = 24
/** A clause without a mark ends at a space after this length. */
const MAX_LENGTH = 300
/** The end of a sentence with what follows it: a mark before a space or a new line, or a mark of scripts without spaces. */
const SENTENCE_END = /[.!?…]["'”’)\]]*\s|\n|[。！？]/gu
const CLAUSE_END = /[,;:]["'”’)\]]*\s|[，；：、]/gu
/** A dot that ends no sentence: a title, a single letter, a number of a list. */
const ABBREVIATION = /(?:^|[\s("'])(?:[A-Za-z]|\d{1,3}|Mr|Mrs|Ms|Dr|St|Prof|Sr|Jr|vs|No|e\.g|i\.e|etc|z\.B|bzw)\.$/u

/** Cuts text that arrives in pieces into clauses to speak. Joined, they are the text. */
export interface Clauses {
  /** Adds text. @returns the clauses that are whole now */
  push(text: string): string[]
  /** Ends the text. @returns the last clause; none where only white space is left */
  end(): string[]
}

/** Creates a cutter. */
export function createClauses(): Clauses {
  let rest = ''
  let isFirst = true

  function take(end: number): string {
    const clause = rest.slice(0, end)
    rest = rest.slice(end)
    isFirst = false
    return clause
  }
  return {
    push(text) {
      rest += text
      const clauses: string[] = []
      for (let end = findEnd(rest, isFirst); end > 0; end = findEnd(rest, isFirst)) clauses.push(take(end))
      return clauses.filter((clause) => clause.trim() !== '')
    },
    end: () => (rest.trim() === '' ? [] : [take(rest.length)]),
  }
}

/** Gives the length of the first whole clause; 0 where there is none yet. */
function findEnd(whole: string, isFirst: boolean): number {
  // no clause is longer: a long text is not searched to its end for each
  const text = whole.slice(0, MAX_LENGTH + 1)
  for (const { 0: mark, index } of text.matchAll(SENTENCE_END)) {
    const end = index + mark.length
    if (!ABBREVIATION.test(text.slice(Math.max(0, end - 16), end).trimEnd())) return Math.min(end, cutLong(text, end))
  }
  if (isFirst) {
    for (const { 0: mark, index } of text.matchAll(CLAUSE_END)) if (index >= FIRST_LENGTH) return index + mark.length
  }
  return text.length > MAX_LENGTH ? cutLong(text, text.length) : 0
}

function cutLong(text: string, end: number): number {
  if (end <= MAX_LENGTH) return end
  const space = text.lastIndexOf(' ', MAX_LENGTH)
  const cut = space > 0 ? space + 1 : MAX_LENGTH
  const isHighSurrogate = (text.charCodeAt(cut - 1) & 0xfc00) === 0xd800
  return isHighSurrogate ? cut - 1 : cut
}
