import { LOWER_F, LOWER_N, LOWER_T, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './ascii.ts'
import { kindError } from './errors.ts'
import { parseNumberValue } from './number.ts'
import { runInSlices, type SliceOptions } from './slices.ts'
import { FLAG_LONE_SURROGATE, findEndOffset, findNextSibling, readFirstByte, type Tape, type Tokens } from './tape.ts'
import { decodeKeyText, decodeRange, decodeStringText, isStringText } from './text.ts'
import { type JsonValue, ValueBuilder } from './to-value.ts'

/** The kind of a token. */
export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null'

/** One member of an object. Its nodes are made when asked for. */
export class JsonMember {
  readonly #document: JsonDocument
  readonly #index: number

  /** @internal members come from {@link JsonNode.entries} */
  constructor(document: JsonDocument, index: number) {
    this.#document = document
    this.#index = index
  }

  /** The key, a string of its own. */
  get key(): JsonNode {
    return new JsonNode(this.#document, this.#index)
  }

  /** The text of the key, escapes resolved. */
  get name(): string {
    return decodeKeyText(this.#document, this.#index)
  }

  get value(): JsonNode {
    return new JsonNode(this.#document, this.#index + 1)
  }
}

/**
 * A parsed document. Its nodes point into `bytes`, which must not change while they are in use. The tokens take
 * 8 bytes each (objects and arrays 16) and go with the document and its nodes.
 */
export class JsonDocument implements Tokens {
  readonly bytes: Uint8Array
  /** Objects, arrays and keys in the document, as `maxNodes` counts them. */
  readonly nodeCount: number
  /** @internal the tokens as nodes read them */
  readonly tape: Tape

  /** @internal documents come from `parseJson` and `parseJsonCooperatively` */
  constructor(tokens: Tokens, nodeCount: number) {
    this.bytes = tokens.bytes
    this.tape = tokens.tape
    this.nodeCount = nodeCount
  }

  /** The outermost value. */
  get root(): JsonNode {
    return new JsonNode(this, 0)
  }
}

/**
 * One token of a document with its content. Nodes are made when asked for: to compare two tokens, compare `index`, not
 * the objects. Lookups walk the members in order and take linear time.
 */
export class JsonNode {
  readonly document: JsonDocument
  /** Identity of the token in its document; grows in source order. */
  readonly index: number

  /** @internal nodes come from the document and from other nodes */
  constructor(document: JsonDocument, index: number) {
    this.document = document
    this.index = index
  }

  get kind(): JsonKind {
    switch (readFirstByte(this.document, this.index)) {
      case OPEN_BRACE:
        return 'object'
      case OPEN_BRACKET:
        return 'array'
      case QUOTE:
        return 'string'
      case LOWER_T:
      case LOWER_F:
        return 'boolean'
      case LOWER_N:
        return 'null'
      default:
        return 'number'
    }
  }

  /** Byte offset of the token's first byte; a string's opening quote. */
  get start(): number {
    return this.document.tape.first(this.index)
  }

  /** Byte offset after the token's last byte; after a string's closing quote. */
  get end(): number {
    return findEndOffset(this.document, this.index)
  }

  /** Members of an object, duplicates included, or items of an array; 0 for anything else. */
  get length(): number {
    const { kind, document } = this
    if (kind !== 'object' && kind !== 'array') return 0
    return document.tape.second(document.tape.second(this.index))
  }

  /** Whether this is a string with an escape that is half of a surrogate pair, such as `"\ud800"`. */
  get hasLoneSurrogate(): boolean {
    return (this.document.tape.second(this.index) & FLAG_LONE_SURROGATE) !== 0 && this.kind === 'string'
  }

  /** The value under a key, as decoded text. The last of duplicates wins; undefined on anything but an object. */
  get(key: string): JsonNode | undefined {
    let found = 0
    const { document } = this
    const close = this.#closeOfObject()
    for (let index = this.index + 1; index < close; index = findNextSibling(document, index + 1)) {
      if (isStringText(document, index, key)) found = index + 1
    }
    return found === 0 ? undefined : new JsonNode(document, found)
  }

  /** Every value under a key, in source order; empty for anything but an object. */
  getAll(key: string): JsonNode[] {
    let found: JsonNode[] | undefined
    const { document } = this
    const close = this.#closeOfObject()
    for (let index = this.index + 1; index < close; index = findNextSibling(document, index + 1)) {
      if (!isStringText(document, index, key)) continue
      const value = new JsonNode(document, index + 1)
      // Nearly every key has one value, and a growing list takes many times the memory.
      if (found === undefined) found = [value]
      else found.push(value)
    }
    return found ?? []
  }

  /** The members of an object in source order, duplicates included; empty for anything else. */
  entries(): IterableIterator<JsonMember, undefined> {
    return new Members(this.document, this.index + 1, this.#closeOfObject())
  }

  /** The items of an array in order; empty for anything else. */
  items(): IterableIterator<JsonNode, undefined> {
    const close = this.kind === 'array' ? this.document.tape.second(this.index) : 0
    return new Items(this.document, this.index + 1, close)
  }

  /**
   * The text of a string, escapes resolved. Half of a surrogate pair stays one (see {@link hasLoneSurrogate}).
   *
   * @throws SvcError `json_kind` on anything but a string
   */
  text(): string {
    if (readFirstByte(this.document, this.index) !== QUOTE) throw kindError('string', this.kind)
    return decodeStringText(this.document, this.index)
  }

  /**
   * The value of a number as `JSON.parse` gives it: `1e400` is Infinity, `-0` is -0.
   *
   * @throws SvcError `json_kind` on anything but a number
   */
  number(): number {
    if (this.kind !== 'number') throw kindError('number', this.kind)
    return parseNumberValue(this.document.bytes, this.start, this.end)
  }

  /** The bytes of the token as they came, quotes and escapes included: a view, not a copy. */
  raw(): Uint8Array {
    return this.document.bytes.subarray(this.start, this.end)
  }

  /** {@link raw} as text. */
  rawText(): string {
    return decodeRange(this.document.bytes, this.start, this.end)
  }

  /**
   * The plain value, equal to what `JSON.parse` gives for the same text, but for the keys `__proto__`,
   * `constructor` and `prototype`, which are left out.
   */
  toValue(): JsonValue {
    const builder = new ValueBuilder(this.document, this.index)
    builder.advance(Number.POSITIVE_INFINITY)
    return builder.result
  }

  /**
   * The entry of an object's closing bracket; 0 for anything else, because no entry comes before 0. Keys lie between,
   * each before its value.
   */
  #closeOfObject(): number {
    return this.kind === 'object' ? this.document.tape.second(this.index) : 0
  }
}

/** Tokens turned into values between two looks at the clock. */
const TOKENS_PER_STEP = 1024

/**
 * `node.toValue()` in slices. One string is decoded in one go however long it is.
 *
 * @throws the signal's reason once it is aborted
 */
export async function toValueCooperatively(node: JsonNode, options?: SliceOptions): Promise<JsonValue> {
  const builder = new ValueBuilder(node.document, node.index)
  await runInSlices(() => builder.advance(TOKENS_PER_STEP), options)
  return builder.result
}

/** Iterates over the content of a container. For a small body a generator would cost more than the rest of the work. */
abstract class Children<T> implements IterableIterator<T, undefined> {
  readonly #document: JsonDocument
  readonly #close: number
  #index: number

  constructor(document: JsonDocument, first: number, close: number) {
    this.#document = document
    this.#index = first
    this.#close = close
  }

  [Symbol.iterator](): this {
    return this
  }

  next(): IteratorResult<T, undefined> {
    const index = this.#index
    if (index >= this.#close) return { done: true, value: undefined }
    this.#index = this.after(this.#document, index)
    return { done: false, value: this.make(this.#document, index) }
  }

  protected abstract make(document: JsonDocument, index: number): T
  protected abstract after(document: JsonDocument, index: number): number
}

class Members extends Children<JsonMember> {
  protected make(document: JsonDocument, index: number): JsonMember {
    return new JsonMember(document, index)
  }

  protected after(document: JsonDocument, index: number): number {
    return findNextSibling(document, index + 1)
  }
}

class Items extends Children<JsonNode> {
  protected make(document: JsonDocument, index: number): JsonNode {
    return new JsonNode(document, index)
  }

  protected after(document: JsonDocument, index: number): number {
    return findNextSibling(document, index)
  }
}
