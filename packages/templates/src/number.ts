import { SvcError } from '@svc/errors'

/** The most levels of arrays and objects {@link parseJsonKeepingNumbers} takes. */
const MAX_DEPTH = 128
/** The most digits of an integer: turning decimal text into a big integer takes quadratic time. */
const MAX_INTEGER_DIGITS = 4300

/**
 * A number that was written as a float. JSON `1.0` is one, `1` is a plain number: templates print the first as `1.0`
 * and the second as `1`.
 */
export class TemplateFloat {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }
}

/**
 * A JSON value whose numbers know how they were written: integers are numbers, or bigints from 2^53 up; everything
 * with a fraction or an exponent is a {@link TemplateFloat}. Objects are maps, so every key is data (`__proto__` too)
 * and keeps its place, also where it looks like an integer.
 */
export type NumberedJson =
  | null
  | boolean
  | string
  | number
  | bigint
  | TemplateFloat
  | NumberedJson[]
  | Map<string, NumberedJson>

/**
 * Parses JSON and keeps the difference between `1` and `1.0`, integers of any size, and the order of keys. Of equal
 * keys the last value wins, at the place of the first. Takes no recursion.
 *
 * @throws SvcError `json_syntax` for invalid JSON, `json_limit` past 128 levels or 4,300 digits of an integer; both
 *   `invalid_request` with `details.offset` in UTF-16 code units
 * @example
 * parseJsonKeepingNumbers('{"a": 1.0, "b": 1}') // Map { 'a' => TemplateFloat { value: 1 }, 'b' => 1 }
 */
export function parseJsonKeepingNumbers(text: string): NumberedJson {
  return new Reader(text).read()
}

/** An array or object that is not closed yet; `key` is the one whose value comes next. */
type Open = { readonly items: NumberedJson[] } | { readonly entries: Map<string, NumberedJson>; key: string }

class Reader {
  readonly #text: string
  #position = 0
  readonly #open: Open[] = []

  constructor(text: string) {
    this.#text = text
  }

  read(): NumberedJson {
    for (;;) {
      let value = this.#readStart()
      // A value may close any number of arrays and objects after it.
      while (value !== undefined) {
        const parent = this.#open.at(-1)
        if (parent === undefined) return this.#finish(value)
        value = this.#add(parent, value)
      }
    }
  }

  #finish(value: NumberedJson): NumberedJson {
    this.#skipBlanks()
    if (this.#position < this.#text.length) this.#fail()
    return value
  }

  /** Reads a whole scalar or empty container, or opens a container and gives undefined. */
  #readStart(): NumberedJson | undefined {
    this.#skipBlanks()
    switch (this.#text[this.#position]) {
      case '{':
        return this.#openObject()
      case '[':
        return this.#openArray()
      case '"':
        return this.#readString()
      case 't':
        return this.#readWord('true', true)
      case 'f':
        return this.#readWord('false', false)
      case 'n':
        return this.#readWord('null', null)
      default:
        return this.#readNumber()
    }
  }

  #openArray(): NumberedJson | undefined {
    this.#enter()
    if (this.#skipIf(']')) return []
    this.#open.push({ items: [] })
    return undefined
  }

  #openObject(): NumberedJson | undefined {
    this.#enter()
    if (this.#skipIf('}')) return new Map()
    this.#open.push({ entries: new Map(), key: this.#readKey() })
    return undefined
  }

  #enter(): void {
    if (this.#open.length === MAX_DEPTH) throw this.#limit(`JSON is nested deeper than ${MAX_DEPTH} levels`)
    this.#position++
  }

  /** Puts a value into its parent; gives the parent when that is closed now. */
  #add(parent: Open, value: NumberedJson): NumberedJson | undefined {
    if ('items' in parent) {
      parent.items.push(value)
      if (this.#skipIf(',')) return undefined
      this.#expect(']')
      this.#open.pop()
      return parent.items
    }
    parent.entries.set(parent.key, value)
    if (this.#skipIf(',')) {
      parent.key = this.#readKey()
      return undefined
    }
    this.#expect('}')
    this.#open.pop()
    return parent.entries
  }

  #readKey(): string {
    this.#skipBlanks()
    if (this.#text[this.#position] !== '"') this.#fail()
    const key = this.#readString()
    this.#expect(':')
    return key
  }

  #readString(): string {
    const start = this.#position
    let escaped = false
    for (let at = start + 1; at < this.#text.length; at++) {
      const code = this.#text.charCodeAt(at)
      if (code === 0x22) {
        this.#position = at + 1
        return escaped ? this.#unescape(start) : this.#text.slice(start + 1, at)
      }
      if (code < 0x20) this.#fail(at)
      if (code === 0x5c) {
        escaped = true
        at++
      }
    }
    return this.#fail(this.#text.length)
  }

  #unescape(start: number): string {
    try {
      const text: unknown = JSON.parse(this.#text.slice(start, this.#position))
      return String(text)
    } catch {
      return this.#fail(start)
    }
  }

  #readWord<Value extends boolean | null>(word: string, value: Value): Value {
    if (!this.#text.startsWith(word, this.#position)) this.#fail()
    this.#position += word.length
    return value
  }

  #readNumber(): number | bigint | TemplateFloat {
    const start = this.#position
    if (this.#text[this.#position] === '-') this.#position++
    const firstDigit = this.#position
    const digits = this.#skipDigits()
    if (digits === 0 || (digits > 1 && this.#text[firstDigit] === '0')) this.#fail(start)
    const isFloat = this.#skipFraction() || this.#skipExponent()
    const spelling = this.#text.slice(start, this.#position)
    if (isFloat) return new TemplateFloat(Number(spelling))
    if (digits > MAX_INTEGER_DIGITS) throw this.#limit(`an integer has more than ${MAX_INTEGER_DIGITS} digits`)
    const value = Number(spelling)
    if (!Number.isSafeInteger(value)) return BigInt(spelling)
    return value === 0 ? 0 : value
  }

  #skipFraction(): boolean {
    if (this.#text[this.#position] !== '.') return false
    this.#position++
    if (this.#skipDigits() === 0) this.#fail()
    this.#skipExponent()
    return true
  }

  #skipExponent(): boolean {
    const letter = this.#text[this.#position]
    if (letter !== 'e' && letter !== 'E') return false
    this.#position++
    const sign = this.#text[this.#position]
    if (sign === '+' || sign === '-') this.#position++
    if (this.#skipDigits() === 0) this.#fail()
    return true
  }

  #skipDigits(): number {
    const start = this.#position
    for (;;) {
      const code = this.#text.charCodeAt(this.#position)
      if (!(code >= 0x30 && code <= 0x39)) return this.#position - start
      this.#position++
    }
  }

  #skipBlanks(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#position)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.#position++
    }
  }

  #skipIf(character: string): boolean {
    this.#skipBlanks()
    if (this.#text[this.#position] !== character) return false
    this.#position++
    return true
  }

  #expect(character: string): void {
    if (!this.#skipIf(character)) this.#fail()
  }

  #limit(message: string): SvcError {
    return new SvcError('invalid_request', message, { code: 'json_limit', details: { offset: this.#position } })
  }

  #fail(offset = this.#position): never {
    throw new SvcError('invalid_request', `text is not JSON at offset ${offset}`, {
      code: 'json_syntax',
      details: { offset },
    })
  }
}
