import { LOWER_F, LOWER_N, LOWER_T, OPEN_BRACE } from './ascii.ts'
import { limitError, syntaxError } from './errors.ts'
import {
  ACTIONS,
  AFTER_ITEM,
  AFTER_KEY,
  AFTER_MEMBER,
  CLOSE,
  EXPECTED,
  FIRST_ITEM,
  FIRST_KEY,
  IN_NUMBER,
  IN_STRING,
  KEY,
  NOTHING,
  OPEN_ARRAY,
  OPEN_OBJECT,
  PASS_COLON,
  PASS_ITEM_COMMA,
  PASS_MEMBER_COMMA,
  READ_KEY,
  READ_LITERAL,
  READ_NUMBER,
  READ_STRING,
  REFUSE,
  SKIP,
  VALUE,
} from './grammar.ts'
import { MAX_JSON_BYTES, type ResolvedLimits } from './guard.ts'
import { isNumber, skipNumberBytes } from './number.ts'
import { StringScanner } from './scan-string.ts'
import { Tape } from './tape.ts'

const LITERALS: Readonly<Record<number, Uint8Array>> = {
  [LOWER_T]: new TextEncoder().encode('true'),
  [LOWER_F]: new TextEncoder().encode('false'),
  [LOWER_N]: new TextEncoder().encode('null'),
}

/** Parent of the outermost value. */
const NO_PARENT = -1

/**
 * Turns bytes into a {@link Tape}, without recursion. It can stop at any offset and go on later; only the digits
 * of a number are checked in one go.
 */
export class Tokenizer {
  readonly bytes: Uint8Array
  readonly tape: Tape
  /** Objects, arrays and keys so far. */
  nodeCount = 0
  readonly #limits: ResolvedLimits
  readonly #strings: StringScanner
  #position = 0
  #expected = VALUE
  /** Expected tokens after a value of the innermost open container. */
  #afterValue = NOTHING
  #tokenStart = 0
  /** Expected tokens after the current string. */
  #afterString = NOTHING
  /** The entry of the innermost open container; while open, its second word holds the one around it. */
  #open = NO_PARENT
  /** Values so far in the innermost container, and in the containers around it. */
  #count = 0
  readonly #outerCounts: number[] = []

  /** @throws SvcError `json_limit` when there are more than {@link MAX_JSON_BYTES} */
  constructor(bytes: Uint8Array, limits: ResolvedLimits) {
    if (bytes.length > MAX_JSON_BYTES) {
      throw limitError('MAX_JSON_BYTES', `more than ${MAX_JSON_BYTES} bytes`, MAX_JSON_BYTES)
    }
    this.bytes = bytes
    this.tape = new Tape(bytes.length)
    this.#limits = limits
    this.#strings = new StringScanner(bytes)
  }

  /** Offset of the next byte to read. */
  get position(): number {
    return this.#position
  }

  /**
   * Reads on to `until` (a byte offset) or slightly past it. Returns whether the document is complete, which it
   * only can be when `until` is at or past its end.
   *
   * @throws SvcError `json_syntax` or `json_limit`; the tokenizer is of no use afterwards
   */
  advance(until: number): boolean {
    const { length } = this.bytes
    const limit = Math.min(until, length)
    if (this.#expected === IN_STRING) this.#position = this.#continueString(this.#position, limit)
    else if (this.#expected === IN_NUMBER) this.#position = this.#continueNumber(this.#position, limit)
    this.#readTokens(limit)
    if (this.#position < length) return false
    if (this.#expected !== NOTHING) throw this.#unexpected(this.#expected, this.#position)
    return true
  }

  /** The hot loop: position and state live in local variables, the methods it calls hand them back. */
  #readTokens(limit: number): void {
    const { bytes } = this
    let position = this.#position
    let expected = this.#expected
    while (position < limit) {
      const byte = bytes[position] ?? 0
      switch (ACTIONS[(expected << 8) | byte] ?? REFUSE) {
        case SKIP:
          position++
          break
        case PASS_COLON:
        case PASS_ITEM_COMMA:
          expected = VALUE
          position++
          break
        case PASS_MEMBER_COMMA:
          expected = KEY
          position++
          break
        case READ_KEY:
          this.#countNode(position)
          position = this.#readString(position, AFTER_KEY, limit)
          expected = this.#expected
          break
        case READ_STRING:
          this.#count++
          position = this.#readString(position, this.#afterValue, limit)
          expected = this.#expected
          break
        case READ_NUMBER:
          this.#count++
          this.#tokenStart = position
          position = this.#continueNumber(position, limit)
          expected = this.#expected
          break
        case READ_LITERAL:
          this.#count++
          position = this.#readLiteral(byte, position, expected)
          expected = this.#afterValue
          break
        case OPEN_OBJECT:
          this.#openContainer(position, AFTER_MEMBER)
          expected = FIRST_KEY
          position++
          break
        case OPEN_ARRAY:
          this.#openContainer(position, AFTER_ITEM)
          expected = FIRST_ITEM
          position++
          break
        case CLOSE:
          position++
          this.#closeContainer(position)
          expected = this.#afterValue
          break
        default:
          throw this.#unexpected(expected, position)
      }
    }
    this.#position = position
    this.#expected = expected
  }

  #readString(start: number, after: number, limit: number): number {
    this.#tokenStart = start
    this.#afterString = after
    this.#strings.begin()
    return this.#continueString(start + 1, limit)
  }

  #continueString(from: number, limit: number): number {
    const position = this.#strings.scan(from, limit)
    if (this.#strings.closed) {
      this.tape.push(this.#tokenStart, position | this.#strings.flags)
      this.#expected = this.#afterString
    } else this.#expected = IN_STRING
    return position
  }

  #continueNumber(from: number, limit: number): number {
    const position = skipNumberBytes(this.bytes, from, limit)
    if (position < limit || position === this.bytes.length) {
      if (!isNumber(this.bytes, this.#tokenStart, position)) throw syntaxError('invalid number', this.#tokenStart)
      this.tape.push(this.#tokenStart, position)
      this.#expected = this.#afterValue
    } else this.#expected = IN_NUMBER
    return position
  }

  #readLiteral(byte: number, start: number, expected: number): number {
    const literal = LITERALS[byte]
    if (literal === undefined) throw this.#unexpected(expected, start)
    for (let index = 1; index < literal.length; index++) {
      if (this.bytes[start + index] !== literal[index]) throw this.#unexpected(expected, start)
    }
    this.tape.push(start, start + literal.length)
    return start + literal.length
  }

  #openContainer(start: number, afterValue: number): void {
    const { maxDepth } = this.#limits
    if (this.#outerCounts.length >= maxDepth) {
      throw limitError('maxDepth', `nesting deeper than ${maxDepth} levels`, start)
    }
    this.#countNode(start)
    this.#outerCounts.push(this.#count + 1)
    this.#count = 0
    this.#open = this.tape.push(start, this.#open)
    this.#afterValue = afterValue
  }

  #closeContainer(end: number): void {
    const { bytes, tape } = this
    const outer = tape.second(this.#open)
    tape.setSecond(this.#open, tape.push(end, this.#count))
    this.#open = outer
    this.#count = this.#outerCounts.pop() ?? 0
    if (outer === NO_PARENT) this.#afterValue = NOTHING
    else this.#afterValue = bytes[tape.first(outer)] === OPEN_BRACE ? AFTER_MEMBER : AFTER_ITEM
  }

  #countNode(at: number): void {
    this.nodeCount++
    const { maxNodes } = this.#limits
    if (this.nodeCount > maxNodes) {
      throw limitError('maxNodes', `more than ${maxNodes} objects, arrays and keys`, at)
    }
  }

  #unexpected(expected: number, at: number): Error {
    return syntaxError(EXPECTED[expected] ?? 'unexpected byte', at)
  }
}
