/** A token in a text, and its value. */
export interface TokenMatch {
  readonly start: number
  readonly end: number
  readonly value: string
}

/** Tokens of a text. */
export interface TokenScan {
  /** From left to right, apart; of several tokens with one start the longest. */
  readonly matches: readonly TokenMatch[]
  /** The start of an ending that may begin a token; the length of the text without one. */
  readonly holdFrom: number
}

/** Finds the tokens of a request in replies. */
export class TokenMatcher {
  readonly #prefix: string
  readonly #values: ReadonlyMap<string, string>
  /** In order of code units, so that tokens with a common beginning are adjacent. */
  readonly #sorted: readonly string[]
  /** Longest first. */
  readonly #lengths: readonly number[]
  readonly #hasQuotes: boolean
  /** The beginnings of invented values, which do not begin with the prefix; undefined without any. */
  readonly #heads: Heads | undefined

  constructor(prefix: string, values: ReadonlyMap<string, string>) {
    this.#prefix = prefix
    this.#values = new Map(values)
    this.#sorted = [...values.keys()].sort()
    this.#lengths = [...new Set(this.#sorted.map(({ length }) => length))].sort((one, other) => other - one)
    this.#hasQuotes = this.#sorted.some((token) => token.includes('"'))
    this.#heads = createHeads(this.#sorted.filter((token) => !token.startsWith(prefix)))
  }

  /** Whether tokens hold characters that JSON escapes, so that they never appear unescaped in JSON text. */
  get hasQuotes(): boolean {
    return this.#hasQuotes
  }

  /** Whether there are no tokens. */
  get isEmpty(): boolean {
    return this.#values.size === 0
  }

  /** The common prefix of all tokens. */
  get prefix(): string {
    return this.#prefix
  }

  /** Whether there are invented values, which begin with any character. */
  get hasFakes(): boolean {
    return this.#heads !== undefined
  }

  /** Whether a text may hold a token, or the beginning of one at its end. */
  mayHold(text: string): boolean {
    return !this.isEmpty && (this.hasFakes || text.includes(this.#prefix.charAt(0)))
  }

  /** Finds tokens from left to right. At the end of a lane nothing is held back. */
  scan(text: string, isEnd: boolean): TokenScan {
    const matches: TokenMatch[] = []
    const longest = this.#lengths[0] ?? 0
    for (let at = this.#next(text, 0, isEnd); at !== -1; ) {
      if (!isEnd && text.length - at < longest && this.#isBeginning(text.slice(at))) return { matches, holdFrom: at }
      const match = this.#matchAt(text, at)
      if (match !== undefined) matches.push(match)
      at = this.#next(text, match?.end ?? at + 1, isEnd)
    }
    return { matches, holdFrom: text.length }
  }

  /** The next position where a token may begin, or be cut at the end of the text; -1 without one. */
  #next(text: string, from: number, isEnd: boolean): number {
    const at = this.#nextPrefix(text, from, isEnd)
    if (this.#heads === undefined) return at
    const before = at === -1 ? text.length : at
    const whole = Math.min(before, text.length - this.#heads.length + 1)
    const fake = this.#heads.find(text, from, whole)
    if (fake !== -1) return fake
    for (let tail = Math.max(from, whole); tail < before && !isEnd; tail++) {
      if (this.#isBeginning(text.slice(tail))) return tail
    }
    return at
  }

  /** The next position of the prefix, or of its beginning at the end of the text; -1 without one. */
  #nextPrefix(text: string, from: number, isEnd: boolean): number {
    if (from >= text.length || this.isEmpty) return -1
    const at = text.indexOf(this.#prefix, from)
    if (at !== -1 || isEnd) return at
    for (let tail = Math.max(from, text.length - this.#prefix.length + 1); tail < text.length; tail++) {
      if (this.#prefix.startsWith(text.slice(tail))) return tail
    }
    return -1
  }

  /** Whether a text is the beginning of a longer token. */
  #isBeginning(text: string): boolean {
    let low = 0
    let high = this.#sorted.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#sorted[middle] ?? '') <= text) low = middle + 1
      else high = middle
    }
    return this.#sorted[low]?.startsWith(text) ?? false
  }

  #matchAt(text: string, start: number): TokenMatch | undefined {
    for (const length of this.#lengths) {
      const value = this.#values.get(text.slice(start, start + length))
      if (value !== undefined && start + length <= text.length) return { start, end: start + length, value }
    }
    return undefined
  }
}

/** Longest beginning that is looked up. */
const MAX_HEAD = 6
const TABLE_BITS = 7
const TABLE_MASK = (1 << TABLE_BITS) - 1

/** The beginnings of texts, all of one length. */
interface Heads {
  readonly length: number
  /** The first position where one of them stands; -1 without one. */
  find(text: string, from: number, before: number): number
}

function createHeads(tokens: readonly string[]): Heads | undefined {
  if (tokens.length === 0) return undefined
  const length = Math.min(MAX_HEAD, ...new Set(tokens.map((token) => token.length)))
  const heads = new Set(tokens.map((token) => token.slice(0, length)))
  // Pairs of characters by their last bits: most positions of a text begin none of them.
  const pairs = new Uint8Array(1 << (2 * TABLE_BITS))
  const toPair = (text: string, at: number): number =>
    ((text.charCodeAt(at) & TABLE_MASK) << TABLE_BITS) | (length === 1 ? 0 : text.charCodeAt(at + 1) & TABLE_MASK)
  for (const head of heads) pairs[toPair(head, 0)] = 1
  return {
    length,
    find(text, from, before) {
      for (let at = from; at < before; at++) {
        if (pairs[toPair(text, at)] === 1 && heads.has(text.slice(at, at + length))) return at
      }
      return -1
    },
  }
}
