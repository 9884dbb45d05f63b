import { TemplateFloat } from '../../number.ts'
import { raise } from '../errors.ts'
import type { Rendering } from '../rendering.ts'
import { typeName } from './type-name.ts'
import { Bytes, isList, isText, Markup, TemplateObject, Tuple, toPlainText, Undefined, type Value } from './value.ts'

/** Levels of tuples in a key. */
const MAX_KEY_DEPTH = 32
/** Prefix of keys that no text can equal. */
const MARK = '\0'
const UNDEFINED_KEY = Symbol('undefined')

/** A mapping in order of insertion. Filled while it is made; later only a lenient template changes it. */
export class Dict extends TemplateObject {
  readonly typeName = 'dict'
  /** By {@link toHashKey}. */
  readonly #values = new Map<unknown, Value>()
  /** The keys that are not their own hash key. */
  readonly #keys = new Map<unknown, Value>()

  get size(): number {
    return this.#values.size
  }

  override isHashable(): boolean {
    return false
  }

  override itemCount(): number {
    return this.#values.size
  }

  override iterate(): Iterator<Value> {
    return this.keys()
  }

  /** The value of a key; undefined for an unknown key. */
  get(key: Value): Value | undefined {
    return this.#values.get(toHashKey(key))
  }

  has(key: Value): boolean {
    return this.#values.has(toHashKey(key))
  }

  /** Sets a value; an equal key keeps its place and its spelling. */
  set(key: Value, value: Value): void {
    const hash = toHashKey(key)
    if (hash !== key && !this.#values.has(hash)) this.#keys.set(hash, key)
    this.#values.set(hash, value)
  }

  delete(key: Value): void {
    const hash = toHashKey(key)
    this.#values.delete(hash)
    this.#keys.delete(hash)
  }

  clear(): void {
    this.#values.clear()
    this.#keys.clear()
  }

  *keys(): IterableIterator<Value> {
    for (const hash of this.#values.keys()) yield this.#toKey(hash)
  }

  values(): IterableIterator<Value> {
    return this.#values.values()
  }

  *entries(): IterableIterator<[Value, Value]> {
    for (const [hash, value] of this.#values) yield [this.#toKey(hash), value]
  }

  copy(): Dict {
    const copy = new Dict()
    for (const [key, value] of this.entries()) copy.set(key, value)
    return copy
  }

  #toKey(hash: unknown): Value {
    const key = this.#keys.get(hash)
    // A key that is not in the map of other keys is a text or a number, and its own hash key.
    return key === undefined ? (hash as Value) : key
  }
}

/** The common hash of equal keys: a primitive, or the object itself. @throws TypeError for lists and dicts */
export function toHashKey(key: Value, depth = 0): unknown {
  switch (typeof key) {
    case 'string':
      return key.startsWith(MARK) ? `${MARK}s${key}` : key
    case 'boolean':
      return key ? 1 : 0
    case 'number':
    case 'bigint':
      return key
    default:
  }
  if (key === null) return `${MARK}n`
  if (key instanceof TemplateFloat) return hashNumber(key.value)
  if (key instanceof Markup) return toHashKey(key.text)
  if (key instanceof Tuple) return hashTuple(key.items, depth)
  if (key instanceof Undefined) return UNDEFINED_KEY
  if (key instanceof Bytes) return `${MARK}b${key.bytes.join(',')}`
  if (isList(key) || !key.isHashable()) raise('TypeError', `unhashable type: '${typeName(key)}'`)
  return key
}

/** Pays for looking up a key, which takes time where it is a long text or tuple. */
export function payForKey(run: Rendering, key: Value): void {
  if (isText(key)) run.search(toPlainText(key))
  else if (key instanceof Bytes) run.walk(key.bytes.length * 4)
  else if (!(key instanceof Tuple)) run.spend()
  else {
    run.spend(key.items.length)
    run.enter()
    for (const item of key.items) payForKey(run, item)
    run.leave()
  }
}

/** A float that is an integer is the same key as that integer. */
function hashNumber(value: number): number | bigint {
  if (!Number.isInteger(value)) return value
  return Number.isSafeInteger(value) ? value + 0 : BigInt(value)
}

function hashTuple(items: readonly Value[], depth: number): string {
  if (depth === MAX_KEY_DEPTH) raise('ValueError', 'a key is nested too deeply')
  const parts = items.map((item) => {
    const part = toHashKey(item, depth + 1)
    if (typeof part === 'object' || typeof part === 'function')
      raise('TypeError', `unhashable type: '${typeName(item)}'`)
    const text = String(part)
    return `${typeof part}${text.length}:${text}`
  })
  return `${MARK}t${parts.join('')}`
}
