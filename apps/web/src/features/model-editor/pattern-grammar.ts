/** The reason why a pattern of a detector is refused; `undefined` if it is not. The words are keys of translations. */
export type PatternFault = 'anyCharacter' | 'group' | 'bound' | 'literal' | 'syntax'

const MAX_BOUND = 4096
const MIN_LITERAL = 3

/**
 * Checks a pattern against the grammar of pattern detectors: literals, classes, `\w \d \s`, alternation, anchors and
 * quantifiers; no `.`, no capturing group, no bound above 4096, and in every alternative a run of at least three fixed
 * characters.
 */
export function checkPattern(pattern: string): PatternFault | undefined {
  try {
    new RegExp(pattern, 'u')
  } catch {
    try {
      new RegExp(pattern)
    } catch {
      return 'syntax'
    }
  }
  const parser = new Parser(pattern)
  const literal = parser.alternatives()
  return parser.fault ?? (literal >= MIN_LITERAL ? undefined : 'literal')
}

/** Walks over a pattern and finds the longest run of fixed characters that every match has. */
class Parser {
  readonly #text: string
  #at = 0
  fault: PatternFault | undefined

  constructor(text: string) {
    this.#text = text
  }

  /** The run that all alternatives have at least. */
  alternatives(): number {
    let least = this.#sequence()
    while (this.#text[this.#at] === '|') {
      this.#at += 1
      least = Math.min(least, this.#sequence())
    }
    return least
  }

  /** The longest run of one alternative. */
  #sequence(): number {
    let best = 0
    let run = 0
    while (this.#at < this.#text.length && !'|)'.includes(this.#text[this.#at] ?? '')) {
      const { isFixed, inner } = this.#atom()
      const least = this.#quantifier()
      if (isFixed && least.isOne) run += 1
      else if (isFixed && least.count > 0) {
        run += least.count
        best = Math.max(best, run)
        run = 0
      } else {
        best = Math.max(best, run, least.count > 0 ? inner : 0)
        // an anchor is between characters and breaks no run
        if (!least.isOne || inner !== ANCHOR) run = 0
      }
    }
    return Math.max(best, run)
  }

  #atom(): { readonly isFixed: boolean; readonly inner: number } {
    const character = this.#text[this.#at] ?? ''
    this.#at += 1
    if (character === '.') this.fault ??= 'anyCharacter'
    if (character === '^' || character === '$') return { isFixed: false, inner: ANCHOR }
    if (character === '[') return this.#set()
    if (character === '(') return this.#group()
    if (character === '\\') return this.#escape()
    return { isFixed: character !== '.', inner: 0 }
  }

  #escape(): { readonly isFixed: boolean; readonly inner: number } {
    const letter = this.#text[this.#at] ?? ''
    this.#at += 1
    if (letter === 'b') return { isFixed: false, inner: ANCHOR }
    return { isFixed: !/[A-Za-z0-9]/.test(letter), inner: 0 }
  }

  #set(): { readonly isFixed: boolean; readonly inner: number } {
    const start = this.#at
    if (this.#text[this.#at] === '^') this.#at += 1
    if (this.#text[this.#at] === ']') this.#at += 1
    while (this.#at < this.#text.length && this.#text[this.#at] !== ']')
      this.#at += this.#text[this.#at] === '\\' ? 2 : 1
    const length = this.#at - start
    this.#at += 1
    return { isFixed: length === 1, inner: 0 }
  }

  #group(): { readonly isFixed: boolean; readonly inner: number } {
    if (this.#text.startsWith('?:', this.#at)) this.#at += 2
    else this.fault ??= 'group'
    const inner = this.alternatives()
    if (this.#text[this.#at] === ')') this.#at += 1
    return { isFixed: false, inner }
  }

  /** The least count of the last atom. Without a quantifier `isOne` is true. */
  #quantifier(): { readonly count: number; readonly isOne: boolean } {
    const rest = this.#text.slice(this.#at)
    const found = /^(?:[?*+]|\{(\d+)(?:,(\d*))?\})/.exec(rest)
    if (found === null) return { count: 1, isOne: true }
    this.#at += found[0].length
    const [whole, low, high] = found
    if (whole === '+') return { count: 1, isOne: false }
    if (low === undefined) return { count: 0, isOne: false }
    if (Math.max(Number(low), Number(high ?? 0)) > MAX_BOUND) this.fault ??= 'bound'
    return { count: Number(low), isOne: false }
  }
}

const ANCHOR = -1
