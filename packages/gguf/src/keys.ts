import type { GgufCursor } from './cursor.ts'
import { GgufError } from './errors.ts'
import { VALUE_BYTES, VALUE_TYPE } from './types.ts'

/** A single value of the header; null in place of a text of more than 4 MiB. */
export type GgufValue = string | number | boolean | null

/** The key-value part of a header. */
export interface GgufKeys {
  readonly values: ReadonlyMap<string, GgufValue>
  readonly arrayLengths: ReadonlyMap<string, number>
}

const MAX_KEY_BYTES = 65_535
const MAX_TEXT_BYTES = 4 * 1024 * 1024
const TOKENS_KEY = 'tokenizer.ggml.tokens'
/** llama.cpp indexes these arrays by token without checking their length. */
const PER_TOKEN_KEYS = ['tokenizer.ggml.scores', 'tokenizer.ggml.token_type']

/** Keys that are being read. */
export interface OpenKeys {
  readonly values: Map<string, GgufValue>
  readonly arrayLengths: Map<string, number>
}

/** No keys yet. */
export function createKeys(): OpenKeys {
  return { values: new Map(), arrayLengths: new Map() }
}

/** Reads `count` keys. Checks arrays and drops them; only their lengths stay. */
export function readKeys(cursor: GgufCursor, count: number, strict: boolean): GgufKeys {
  const keys = createKeys()
  for (let index = 0; index < count; index += 1) readKey(cursor, keys, strict)
  if (strict) checkVocabulary(keys.arrayLengths)
  return keys
}

/** Reads the next key. */
export function readKey(cursor: GgufCursor, { values, arrayLengths }: OpenKeys, strict: boolean): void {
  const key = cursor.text(MAX_KEY_BYTES)
  if (key === undefined) throw new GgufError('holds a name that is too long')
  if (values.has(key) || arrayLengths.has(key)) throw new GgufError('holds a key twice')
  const type = cursor.uint32()
  if (type === VALUE_TYPE.array) arrayLengths.set(key, readArray(cursor, strict && key === TOKENS_KEY))
  else values.set(key, readValue(cursor, type))
}

function readArray(cursor: GgufCursor, isVocabulary: boolean): number {
  const type = cursor.uint32()
  const length = cursor.uint64()
  const bytes = VALUE_BYTES.get(type)
  if (bytes === undefined || type === VALUE_TYPE.array) throw new GgufError(`holds a list of the unknown type ${type}`)
  if (type !== VALUE_TYPE.string) {
    cursor.skip(length * bytes)
    return length
  }
  cursor.require(length * 8)
  if (isVocabulary) checkTokens(cursor, length)
  else for (let index = 0; index < length; index += 1) cursor.skip(cursor.uint64())
  return length
}

/** Duplicate tokens end the process of llama.cpp. */
function checkTokens(cursor: GgufCursor, length: number): void {
  const seen = new Set<string>()
  for (let index = 0; index < length; index += 1) seen.add(cursor.byteText(MAX_KEY_BYTES))
  if (seen.size !== length) throw new GgufError('has a token in its vocabulary twice')
}

function checkVocabulary(arrayLengths: ReadonlyMap<string, number>): void {
  const tokens = arrayLengths.get(TOKENS_KEY)
  for (const key of PER_TOKEN_KEYS) {
    const length = arrayLengths.get(key)
    if (length !== undefined && length !== tokens) throw new GgufError('has vocabulary lists of different lengths')
  }
}

function readValue(cursor: GgufCursor, type: number): GgufValue {
  if (type === VALUE_TYPE.string) return cursor.text(MAX_TEXT_BYTES) ?? null
  const bytes = VALUE_BYTES.get(type)
  if (bytes === undefined) throw new GgufError(`holds a value of the unknown type ${type}`)
  const view = cursor.view(bytes)
  switch (type) {
    case VALUE_TYPE.uint8:
      return view.getUint8(0)
    case VALUE_TYPE.int8:
      return view.getInt8(0)
    case VALUE_TYPE.uint16:
      return view.getUint16(0, true)
    case VALUE_TYPE.int16:
      return view.getInt16(0, true)
    case VALUE_TYPE.uint32:
      return view.getUint32(0, true)
    case VALUE_TYPE.int32:
      return view.getInt32(0, true)
    case VALUE_TYPE.float32:
      return view.getFloat32(0, true)
    case VALUE_TYPE.bool:
      return view.getUint8(0) !== 0
    case VALUE_TYPE.uint64:
      return Number(view.getBigUint64(0, true))
    case VALUE_TYPE.int64:
      return Number(view.getBigInt64(0, true))
    default:
      return view.getFloat64(0, true)
  }
}
