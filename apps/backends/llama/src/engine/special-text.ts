/** A token that steers the model, with its text. */
export interface SpecialToken {
  readonly text: string
  readonly id: number
  /** Whether white space before or after it belongs to the token. */
  readonly stripsLeft: boolean
  readonly stripsRight: boolean
}

/** Position of a special token in a text. Offsets are UTF-16 code units, half-open. */
interface SpecialMatch {
  readonly start: number
  readonly end: number
  readonly token: SpecialToken
}

interface Branch {
  readonly next: Map<number, Branch>
  token?: SpecialToken
}

/** Finds special tokens in texts, in time that does not grow with the number of tokens. */
export interface SpecialText {
  /** Whether a text contains any. */
  isIn(text: string): boolean
  /** Finds all of them from left to right, the longest at each position. */
  findAll(text: string): SpecialMatch[]
}

/** Creates a finder for the given tokens. */
export function createSpecialText(tokens: readonly SpecialToken[]): SpecialText {
  const root: Branch = { next: new Map() }
  for (const token of tokens) if (token.text !== '') insert(root, token)

  const findFrom = (text: string, from: number): SpecialMatch | undefined => {
    for (let start = from; start < text.length; start++) {
      const match = longestAt(root, text, start)
      if (match !== undefined) return match
    }
    return undefined
  }

  return {
    isIn: (text) => findFrom(text, 0) !== undefined,
    findAll: (text) => {
      const matches: SpecialMatch[] = []
      for (let match = findFrom(text, 0); match !== undefined; match = findFrom(text, match.end)) matches.push(match)
      return matches
    },
  }
}

function insert(root: Branch, token: SpecialToken): void {
  let branch = root
  for (let index = 0; index < token.text.length; index++) {
    const unit = token.text.charCodeAt(index)
    const next: Branch = branch.next.get(unit) ?? { next: new Map() }
    branch.next.set(unit, next)
    branch = next
  }
  branch.token ??= token
}

function longestAt(root: Branch, text: string, start: number): SpecialMatch | undefined {
  let branch = root.next.get(text.charCodeAt(start))
  let match: SpecialMatch | undefined
  for (let end = start + 1; branch !== undefined; end++) {
    if (branch.token !== undefined) match = { start, end, token: branch.token }
    if (end >= text.length) break
    branch = branch.next.get(text.charCodeAt(end))
  }
  return match
}
