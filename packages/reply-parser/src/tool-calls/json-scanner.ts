import { advanceNumber, beginNumber, NUMBER_ENDS, type NumberState } from './json-number.ts'
import { MAX_JSON_DEPTH } from './limits.ts'

/** Expected token. */
type State =
  | 'value'
  | 'first-item'
  | 'first-key'
  | 'key'
  | 'colon'
  | 'next'
  | 'string'
  | 'escape'
  | 'hex'
  | 'word'
  | NumberState

/** `failed` at the first unit that cannot belong to the value; `done` right after its last one. */
export type JsonStatus = 'open' | 'done' | 'failed'

/**
 * The allowed kinds of value: any, or the shapes of calls. Then an array fails at its first item that is not an object.
 */
export type JsonRoot = 'value' | 'calls'

/**
 * Follows one JSON value through a text that comes in pieces. Strict, except for line breaks inside values, which
 * models write raw. Never recurses; nesting past {@link MAX_JSON_DEPTH} fails.
 */
export class JsonScanner {
  status: JsonStatus = 'open'
  /** A string holds a line break that JSON would have escaped. */
  hasRawLineBreak = false
  #state: State = 'value'
  /** For each open container, whether it is an object. */
  readonly #containers: boolean[] = []
  #isKey = false
  /** The missing rest of a word or an escape. */
  #rest = ''
  #hexDigits = 0
  readonly #root: JsonRoot

  constructor(root: JsonRoot = 'value') {
    this.#root = root
  }

  /** Reads on from an offset and returns the offset after the last unit of the value so far. */
  scan(text: string, from: number, end: number): number {
    let at = from
    while (at < end && this.status === 'open') {
      if (this.#state === 'string') at = this.#skipPlain(text, at, end)
      if (at < end && this.#take(text.charCodeAt(at))) at++
    }
    return at
  }

  /** Ends the text: a number can only end this way. */
  finish(): void {
    if (this.status !== 'open') return
    this.status = NUMBER_ENDS.has(this.#state) && this.#containers.length === 0 ? 'done' : 'failed'
  }

  /** Offset of the first unit of a string that needs a check. */
  #skipPlain(text: string, from: number, end: number): number {
    let at = from
    for (; at < end; at++) {
      const unit = text.charCodeAt(at)
      if (unit === QUOTE || unit === BACKSLASH || unit < 0x20) break
    }
    return at
  }

  /** Takes one unit; false when it does not belong to the value, or has only ended a number. */
  #take(unit: number): boolean {
    switch (this.#state) {
      case 'value':
        return isBlank(unit) || this.#beginValue(unit)
      case 'first-item':
        return isBlank(unit) || (unit === CLOSE_BRACKET ? this.#close(false) : this.#beginValue(unit))
      case 'first-key':
        return isBlank(unit) || (unit === CLOSE_BRACE ? this.#close(true) : this.#beginKey(unit))
      case 'key':
        return isBlank(unit) || this.#beginKey(unit)
      case 'colon':
        return isBlank(unit) || this.#expect(unit === COLON, 'value')
      case 'next':
        return isBlank(unit) || this.#takeSeparator(unit)
      case 'string':
        return this.#takeInString(unit)
      case 'escape':
        if (unit === LOWER_U) this.#hexDigits = 4
        return this.#expect(ESCAPES.has(unit), unit === LOWER_U ? 'hex' : 'string')
      case 'hex':
        this.#hexDigits--
        return this.#expect(isHexDigit(unit), this.#hexDigits > 0 ? 'hex' : 'string')
      case 'word':
        return this.#takeInWord(unit)
      case 'minus':
      case 'zero':
      case 'integer':
      case 'point':
      case 'fraction':
      case 'exponent':
      case 'exponent-sign':
      case 'exponent-digits':
        return this.#takeInNumber(this.#state, unit)
    }
  }

  #beginValue(unit: number): boolean {
    if (unit === OPEN_BRACE) return this.#open(true, 'first-key')
    const isItemOfRoot = this.#containers.length === 1 && this.#containers[0] === false
    if (isItemOfRoot && this.#root === 'calls') return this.#fail()
    if (unit === QUOTE) return this.#beginString(false)
    if (unit === OPEN_BRACKET) return this.#open(false, 'first-item')
    const number = beginNumber(unit)
    if (number !== undefined) return this.#expect(true, number)
    this.#rest = WORDS.get(unit) ?? ''
    return this.#expect(this.#rest !== '', 'word')
  }

  #beginKey(unit: number): boolean {
    return unit === QUOTE ? this.#beginString(true) : this.#fail()
  }

  #beginString(isKey: boolean): boolean {
    this.#isKey = isKey
    return this.#expect(true, 'string')
  }

  #open(isObject: boolean, state: State): boolean {
    if (this.#containers.length === MAX_JSON_DEPTH) return this.#fail()
    this.#containers.push(isObject)
    return this.#expect(true, state)
  }

  #close(isObject: boolean): boolean {
    if (this.#containers.pop() !== isObject) return this.#fail()
    return this.#endValue()
  }

  #endValue(): boolean {
    if (this.#containers.length === 0) this.status = 'done'
    return this.#expect(true, 'next')
  }

  #takeSeparator(unit: number): boolean {
    const isObject = this.#containers.at(-1) === true
    if (unit === COMMA) return this.#expect(true, isObject ? 'key' : 'value')
    return unit === (isObject ? CLOSE_BRACE : CLOSE_BRACKET) ? this.#close(isObject) : this.#fail()
  }

  #takeInString(unit: number): boolean {
    if (unit === BACKSLASH) return this.#expect(true, 'escape')
    if (unit === QUOTE) return this.#isKey ? this.#expect(true, 'colon') : this.#endValue()
    // A raw line break in a key is not an oversight of the model, but prose with a quote in it.
    if (this.#isKey || (unit !== LINE_FEED && unit !== CARRIAGE_RETURN)) return this.#fail()
    this.hasRawLineBreak = true
    return true
  }

  #takeInWord(unit: number): boolean {
    if (unit !== this.#rest.charCodeAt(0)) return this.#fail()
    this.#rest = this.#rest.slice(1)
    return this.#rest !== '' || this.#endValue()
  }

  #takeInNumber(state: NumberState, unit: number): boolean {
    const next = advanceNumber(state, unit)
    if (next !== undefined) return this.#expect(true, next)
    if (!NUMBER_ENDS.has(state)) return this.#fail()
    this.#endValue()
    return false
  }

  #expect(holds: boolean, state: State): boolean {
    if (!holds) return this.#fail()
    this.#state = state
    return true
  }

  #fail(): false {
    this.status = 'failed'
    return false
  }
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const LOWER_U = 0x75
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

const ESCAPES: ReadonlySet<number> = new Set([...'"\\/bfnrtu'].map((letter) => letter.charCodeAt(0)))
/** First unit of each word and the rest of the word. */
const WORDS: ReadonlyMap<number, string> = new Map(
  ['true', 'false', 'null'].map((word) => [word.charCodeAt(0), word.slice(1)]),
)

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === LINE_FEED || unit === CARRIAGE_RETURN || unit === 0x09
}

function isHexDigit(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x46) || (unit >= 0x61 && unit <= 0x66)
}
