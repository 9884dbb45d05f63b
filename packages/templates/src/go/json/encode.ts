import { runeAt } from '../bytes.ts'
import { fail } from '../errors.ts'
import { type Budget, ByteSink } from '../limits.ts'
import { GoMap, GoObject, GoPointer, GoSlice, GoStruct, type GoValue, isTrue, toTypeName } from '../values.ts'

/** Options of writing JSON. */
export interface JsonOptions {
  /** Writes `<`, `>` and `&` as escapes, as `encoding/json` does by default. */
  readonly escapeHtml: boolean
  /** The text of one level of indentation; undefined for everything on one line. */
  readonly indent: string | undefined
}

/**
 * Encodes as `encoding/json`: map keys in byte order, struct fields in declaration order.
 *
 * @throws GoCallError for values without JSON: NaN, infinities, complex numbers
 */
export function encodeJson(budget: Budget, value: GoValue, options: JsonOptions): string {
  const encoder = new Encoder(budget, options)
  encoder.value(value, 0)
  return encoder.sink.finish()
}

class Encoder {
  readonly sink: ByteSink
  readonly #budget: Budget
  readonly #options: JsonOptions

  constructor(budget: Budget, options: JsonOptions) {
    this.#budget = budget
    this.#options = options
    this.sink = new ByteSink(budget)
  }

  value(value: GoValue, depth: number): void {
    this.#budget.spend(1)
    this.#budget.checkDepth(depth)
    if (value === undefined || value === null) this.sink.write('null')
    else if (typeof value === 'string') this.#string(value)
    else if (typeof value === 'boolean') this.sink.write(String(value))
    else if (typeof value === 'number') this.sink.write(jsonNumber(value))
    else this.#composite(value, depth)
  }

  #composite(value: Exclude<GoValue, undefined | null | string | boolean | number>, depth: number): void {
    if (value instanceof GoSlice) {
      this.#slice(value, depth)
    } else if (value instanceof GoMap) {
      this.#map(value, depth)
    } else if (value instanceof GoStruct) {
      this.#struct(value, depth)
    } else if (value instanceof GoPointer) {
      this.value(value.target, depth + 1)
    } else if (value instanceof GoObject) {
      this.#string(value.json())
    } else if (value.kind === 'integer') {
      this.sink.write(value.value.toString())
    } else {
      fail(`json: unsupported type: ${toTypeName(value)}`)
    }
  }

  #slice(value: GoSlice, depth: number): void {
    if (value.isNil) {
      this.sink.write('null')
      return
    }
    this.sink.write('[')
    for (const [at, item] of value.items.entries()) {
      this.#separate(at, depth + 1)
      this.value(item, depth + 1)
    }
    this.#close(value.items.length, ']', depth)
  }

  #map(value: GoMap, depth: number): void {
    if (value.isNil) {
      this.sink.write('null')
      return
    }
    this.sink.write('{')
    for (const [at, key] of value.sortedKeys().entries()) this.#member(at, key, value.entries.get(key), depth)
    this.#close(value.entries.size, '}', depth)
  }

  #struct(value: GoStruct, depth: number): void {
    this.sink.write('{')
    let written = 0
    for (const [at, field] of value.type.fields.entries()) {
      const item = value.values[at]
      if (field.omitEmpty && !(item instanceof GoStruct) && !isTrue(item)) continue
      this.#member(written, field.json, item, depth)
      written++
    }
    this.#close(written, '}', depth)
  }

  #member(at: number, key: string, value: GoValue, depth: number): void {
    this.#separate(at, depth + 1)
    this.#string(key)
    this.sink.write(this.#options.indent === undefined ? ':' : ': ')
    this.value(value, depth + 1)
  }

  #separate(at: number, depth: number): void {
    if (at > 0) this.sink.write(',')
    this.#newline(depth)
  }

  #close(count: number, bracket: string, depth: number): void {
    if (count > 0) this.#newline(depth)
    this.sink.write(bracket)
  }

  #newline(depth: number): void {
    if (this.#options.indent !== undefined) this.sink.write(`\n${this.#options.indent.repeat(depth)}`)
  }

  #string(bytes: string): void {
    this.#budget.spendBytes(bytes.length)
    this.sink.write('"')
    this.sink.write(escapeJson(bytes, this.#options.escapeHtml))
    this.sink.write('"')
  }
}

const PLAIN = /^[ !#-%'-;=?-[\]-~]*$/
const SHORT: ReadonlyMap<number, string> = new Map([
  [0x08, '\\b'],
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0c, '\\f'],
  [0x0d, '\\r'],
  [0x22, '\\"'],
  [0x5c, '\\\\'],
])

function escapeJson(bytes: string, escapeHtml: boolean): string {
  if (PLAIN.test(bytes)) return bytes
  const parts: string[] = []
  let plain = 0
  for (let at = 0; at < bytes.length; ) {
    const { value, size } = runeAt(bytes, at)
    const escaped = escapeRune(value, size, escapeHtml)
    if (escaped !== undefined) {
      parts.push(bytes.slice(plain, at), escaped)
      plain = at + size
    }
    at += size
  }
  parts.push(bytes.slice(plain))
  return parts.join('')
}

function escapeRune(rune: number, size: number, escapeHtml: boolean): string | undefined {
  if (rune >= 0x80) {
    if (rune === 0xfffd && size === 1) return '\\ufffd'
    return rune === 0x2028 || rune === 0x2029 ? `\\u${rune.toString(16)}` : undefined
  }
  const short = SHORT.get(rune)
  if (short !== undefined) return short
  const isHtml = rune === 0x3c || rune === 0x3e || rune === 0x26
  return rune < 0x20 || (isHtml && escapeHtml) ? `\\u${rune.toString(16).padStart(4, '0')}` : undefined
}

/** Exponents from 1e21 up and below 1e-6: where JavaScript has them too. */
function jsonNumber(value: number): string {
  if (!Number.isFinite(value)) return fail('json: unsupported value')
  return Object.is(value, -0) ? '-0' : String(value)
}
