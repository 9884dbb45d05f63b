import {
  type CodePointRange,
  type CodePointSet,
  complement,
  DIGITS,
  includes,
  toCharacterSet,
  toSet,
  union,
} from './code-points.ts'

/** A regular expression that can become part of a grammar. */
export type PatternNode =
  | { readonly kind: 'set'; readonly set: CodePointSet }
  | { readonly kind: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly item: PatternNode; readonly min: number; readonly max: number }
  | { readonly kind: 'start' }
  | { readonly kind: 'end' }

const WORD = toSet([
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
])
const BLANK = toCharacterSet('\t\n\f\r ')
const NOT_DOT = toCharacterSet('\n\r\u2028\u2029')
const CLASSES: Readonly<Record<string, CodePointSet>> = {
  d: DIGITS,
  D: complement(DIGITS),
  w: WORD,
  W: complement(WORD),
  s: BLANK,
  S: complement(BLANK),
}
const CONTROLS: Readonly<Record<string, number>> = { n: 0x0a, r: 0x0d, t: 0x09, f: 0x0c, v: 0x0b }
/** Special characters, which are not literals. */
const SPECIAL = new Set('\\^$.*+?()[]{}|')
const MAX_DEPTH = 64

class Unreadable extends Error {}

/**
 * Parses a regular expression: literals, escapes, classes, groups, alternatives, quantifiers and the anchors. Undefined
 * for everything else (look-around, back references, word boundaries, Unicode properties, flags) and for invalid
 * expressions.
 */
export function parsePattern(source: string): PatternNode | undefined {
  try {
    const reader = new PatternReader([...source])
    return reader.readAll()
  } catch (error) {
    if (error instanceof Unreadable) return undefined
    throw error
  }
}

class PatternReader {
  readonly #characters: readonly string[]
  #at = 0
  #depth = 0

  constructor(characters: readonly string[]) {
    this.#characters = characters
  }

  readAll(): PatternNode {
    const node = this.#readChoice()
    if (this.#at < this.#characters.length) throw new Unreadable()
    return node
  }

  #peek(offset = 0): string {
    return this.#characters[this.#at + offset] ?? ''
  }

  #take(expected: string): boolean {
    const found = [...expected].every((character, offset) => this.#peek(offset) === character)
    if (found) this.#at += expected.length
    return found
  }

  #next(): string {
    const character = this.#peek()
    if (character === '') throw new Unreadable()
    this.#at += 1
    return character
  }

  #readChoice(): PatternNode {
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) throw new Unreadable()
    const options = [this.#readSequence()]
    while (this.#take('|')) options.push(this.#readSequence())
    this.#depth -= 1
    return options.length === 1 && options[0] !== undefined ? options[0] : { kind: 'choice', options }
  }

  #readSequence(): PatternNode {
    const items: PatternNode[] = []
    while (!['', '|', ')'].includes(this.#peek())) items.push(this.#readQuantified())
    return { kind: 'sequence', items }
  }

  #readQuantified(): PatternNode {
    const item = this.#readItem()
    const bounds = this.#readQuantifier()
    if (bounds === undefined) return item
    this.#take('?')
    const isAnchor = item.kind === 'start' || item.kind === 'end'
    if (isAnchor || this.#readQuantifier() !== undefined) throw new Unreadable()
    return { kind: 'repeat', item, min: bounds[0], max: bounds[1] }
  }

  #readQuantifier(): readonly [number, number] | undefined {
    if (this.#take('*')) return [0, Infinity]
    if (this.#take('+')) return [1, Infinity]
    if (this.#take('?')) return [0, 1]
    if (this.#peek() !== '{') return undefined
    const end = this.#characters.indexOf('}', this.#at)
    const match = /^\{(\d{1,4})(?:(,)(\d{1,4})?)?\}$/.exec(this.#characters.slice(this.#at, end + 1).join(''))
    if (match === null) throw new Unreadable()
    this.#at = end + 1
    const min = Number(match[1])
    const max = match[2] === undefined ? min : match[3] === undefined ? Infinity : Number(match[3])
    if (max < min) throw new Unreadable()
    return [min, max]
  }

  #readItem(): PatternNode {
    const character = this.#next()
    if (character === '(') return this.#readGroup()
    if (character === '[') return { kind: 'set', set: this.#readClass() }
    if (character === '^') return { kind: 'start' }
    if (character === '$') return { kind: 'end' }
    if (character === '.') return { kind: 'set', set: complement(NOT_DOT) }
    if (character === '\\') return { kind: 'set', set: this.#readEscape() }
    if (SPECIAL.has(character)) throw new Unreadable()
    return { kind: 'set', set: toCharacterSet(character) }
  }

  #readGroup(): PatternNode {
    if (this.#take('?')) {
      if (this.#take('<') || this.#take('P<')) this.#readGroupName()
      else if (!this.#take(':')) throw new Unreadable()
    }
    const node = this.#readChoice()
    if (!this.#take(')')) throw new Unreadable()
    return node
  }

  #readGroupName(): void {
    const start = this.#at
    while (/^\w$/.test(this.#peek())) this.#at += 1
    if (start === this.#at || !this.#take('>')) throw new Unreadable()
  }

  #readEscape(): CodePointSet {
    const character = this.#next()
    const known = Object.hasOwn(CLASSES, character) ? CLASSES[character] : undefined
    if (known !== undefined) return known
    const codePoint = Object.hasOwn(CONTROLS, character) ? CONTROLS[character] : this.#readCode(character)
    if (codePoint !== undefined) return toSet([[codePoint, codePoint]])
    // Other escaped letters and digits have meanings that this parser does not know.
    if (/^[\x21-\x2f\x3a-\x40[-`{-~ ]$/.test(character)) return toCharacterSet(character)
    throw new Unreadable()
  }

  #readCode(letter: string): number | undefined {
    if (letter !== 'x' && letter !== 'u') return undefined
    const size = letter === 'x' ? 2 : 4
    const digits = this.#characters.slice(this.#at, this.#at + size).join('')
    if (!/^[0-9a-fA-F]+$/.test(digits) || digits.length !== size) throw new Unreadable()
    this.#at += size
    const codePoint = Number.parseInt(digits, 16)
    if (codePoint >= 0xd8_00 && codePoint <= 0xdf_ff) throw new Unreadable()
    return codePoint
  }

  #readClass(): CodePointSet {
    const isNegated = this.#take('^')
    const sets: CodePointSet[] = []
    // Dialects differ on an empty class and on a bracket at the beginning.
    if (this.#peek() === ']') throw new Unreadable()
    while (!this.#take(']')) {
      const first = this.#readMember()
      const isRange = this.#peek() === '-' && this.#peek(1) !== ']'
      sets.push(isRange ? this.#readRange(first) : first)
    }
    const set = union(...sets)
    return isNegated ? complement(set) : set
  }

  #readRange(first: CodePointSet): CodePointSet {
    this.#take('-')
    const last = this.#readMember()
    const range: CodePointRange = [takeOnly(first), takeOnly(last)]
    if (range[1] < range[0]) throw new Unreadable()
    return [range]
  }

  #readMember(): CodePointSet {
    const character = this.#next()
    if (character === '[' && this.#peek() === ':') throw new Unreadable()
    return character === '\\' ? this.#readEscape() : toCharacterSet(character)
  }
}

function takeOnly(set: CodePointSet): number {
  const [range] = set
  if (set.length !== 1 || range === undefined || range[0] !== range[1] || !includes(set, range[0])) {
    throw new Unreadable()
  }
  return range[0]
}
