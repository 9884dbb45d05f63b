import { open } from 'node:fs/promises'
import { GgufError } from '../errors.ts'
import { GgufCursor, type GgufSource } from './gguf-cursor.ts'
import { TENSOR_TYPES, VALUE_BYTES, VALUE_TYPE } from './gguf-types.ts'

/** A value under a key of the header; arrays are checked and not kept. */
type GgufScalar = string | number | boolean

/** What the header of a model file says. */
export interface GgufHeader {
  readonly version: number
  /** Keys with a single value. Text longer than 4 MiB is left out. */
  readonly keys: ReadonlyMap<string, GgufScalar>
  /** Lengths of the arrays among the keys. */
  readonly arrayLengths: ReadonlyMap<string, number>
  readonly tensorCount: number
  /** Offset of the first tensor's data in the file. */
  readonly dataOffset: number
}

const MAGIC = 0x46554747
const MAX_KEYS = 65_536
const MAX_TENSORS = 131_072
const MAX_KEY_BYTES = 65_535
const MAX_TENSOR_NAME_BYTES = 63
const MAX_DIMENSIONS = 4
const MAX_TEXT_BYTES = 4 * 1024 * 1024
const MAX_ALIGNMENT = 1 << 20
const DEFAULT_ALIGNMENT = 32
/** Smallest bytes an entry takes: key length, type and one byte; name length, dimensions, type and offset. */
const MIN_KEY_BYTES = 13
const MIN_TENSOR_BYTES = 24
const TOKENS_KEY = 'tokenizer.ggml.tokens'
/** The engine indexes these by token without looking at their length. */
const PER_TOKEN_KEYS = ['tokenizer.ggml.scores', 'tokenizer.ggml.token_type']

interface Keys {
  readonly scalars: Map<string, GgufScalar>
  readonly arrayLengths: Map<string, number>
}

/**
 * Reads the header of a GGUF file and checks every count, length and offset in it against the length of the file
 * (threats WGT-1): the engine trusts them, and some lies end the process.
 *
 * @throws GgufError for anything but a sound header of version 2 or 3
 */
export async function readGgufHeader(source: GgufSource): Promise<GgufHeader> {
  const cursor = new GgufCursor(source)
  if (cursor.remaining < 24 || (await cursor.uint32('the magic')) !== MAGIC) throw new GgufError('not a GGUF file')
  const version = await cursor.uint32('the version')
  if (version < 2 || version > 3) throw new GgufError('unsupported GGUF version')
  const tensorCount = await cursor.uint64('the tensor count')
  const keyCount = await cursor.uint64('the key count')
  if (keyCount > MAX_KEYS) throw new GgufError('too many keys')
  if (tensorCount > MAX_TENSORS) throw new GgufError('too many tensors')
  cursor.require(keyCount * MIN_KEY_BYTES + tensorCount * MIN_TENSOR_BYTES, 'the header')

  const keys = await readKeys(cursor, keyCount)
  checkVocabulary(keys)
  const alignment = readAlignment(keys)
  const dataEnd = await readTensors(cursor, tensorCount, alignment)
  const dataOffset = Math.ceil(cursor.position / alignment) * alignment
  if (dataEnd > 0 && dataOffset + dataEnd > source.sizeBytes) throw new GgufError('tensor data reaches past the end')
  return { version, keys: keys.scalars, arrayLengths: keys.arrayLengths, tensorCount, dataOffset }
}

/** {@link readGgufHeader} of a file on disk. */
export async function readGgufFile(path: string): Promise<GgufHeader> {
  await using file = await open(path, 'r')
  const { size } = await file.stat()
  return await readGgufHeader({
    sizeBytes: size,
    read: async (position, length) => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
      return buffer.subarray(0, bytesRead)
    },
  })
}

async function readKeys(cursor: GgufCursor, count: number): Promise<Keys> {
  const keys: Keys = { scalars: new Map(), arrayLengths: new Map() }
  for (let index = 0; index < count; index++) {
    const key = await cursor.byteText(MAX_KEY_BYTES, 'a key')
    if (keys.scalars.has(key) || keys.arrayLengths.has(key)) throw new GgufError('a key is there twice')
    const type = await cursor.uint32('a value type')
    if (type === VALUE_TYPE.array) keys.arrayLengths.set(key, await readArray(cursor, key))
    else {
      const value = await readScalar(cursor, type)
      if (value !== undefined) keys.scalars.set(key, value)
    }
  }
  return keys
}

async function readArray(cursor: GgufCursor, key: string): Promise<number> {
  const type = await cursor.uint32('an array type')
  const length = await cursor.uint64('an array length')
  const bytes = VALUE_BYTES.get(type)
  if (bytes === undefined || type === VALUE_TYPE.array) throw new GgufError('an array has an unknown type')
  if (type !== VALUE_TYPE.string) cursor.skip(length * bytes, 'an array')
  else if (key === TOKENS_KEY) await readTokens(cursor, length)
  else {
    cursor.require(length * 8, 'an array')
    await cursor.byteTexts(length, { maxBytes: MAX_TEXT_BYTES, what: 'an array' })
  }
  return length
}

/** Two tokens with one text end the engine's process. */
async function readTokens(cursor: GgufCursor, length: number): Promise<void> {
  cursor.require(length * 8, 'the vocabulary')
  const seen = new Set<string>()
  await cursor.byteTexts(length, { maxBytes: MAX_KEY_BYTES, what: 'a token', take: (token) => void seen.add(token) })
  if (seen.size !== length) throw new GgufError('a token is in the vocabulary twice')
}

async function readScalar(cursor: GgufCursor, type: number): Promise<GgufScalar | undefined> {
  if (type === VALUE_TYPE.string) return await readText(cursor)
  const bytes = VALUE_BYTES.get(type)
  if (bytes === undefined || bytes === 0) throw new GgufError('a value has an unknown type')
  const view = await cursor.view(bytes, 'a value')
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

async function readText(cursor: GgufCursor): Promise<string | undefined> {
  const length = await cursor.uint64('a length')
  if (length > MAX_TEXT_BYTES) {
    cursor.skip(length, 'a value')
    return undefined
  }
  const view = await cursor.view(length, 'a value')
  return Buffer.from(view.buffer, view.byteOffset, length).toString('utf8')
}

function checkVocabulary(keys: Keys): void {
  const tokens = keys.arrayLengths.get(TOKENS_KEY)
  for (const key of PER_TOKEN_KEYS) {
    const length = keys.arrayLengths.get(key)
    if (length !== undefined && length !== tokens) throw new GgufError('the vocabulary has lists of different lengths')
  }
}

function readAlignment(keys: Keys): number {
  const alignment = keys.scalars.get('general.alignment') ?? DEFAULT_ALIGNMENT
  const sound = typeof alignment === 'number' && alignment > 0 && alignment <= MAX_ALIGNMENT
  if (!sound || !Number.isInteger(Math.log2(alignment))) throw new GgufError('the alignment is no power of two')
  return alignment
}

/** The end of the last tensor, from the start of the data section. */
async function readTensors(cursor: GgufCursor, count: number, alignment: number): Promise<number> {
  const names = new Set<string>()
  let dataEnd = 0
  for (let index = 0; index < count; index++) {
    names.add(await cursor.byteText(MAX_TENSOR_NAME_BYTES, 'a tensor name'))
    const sizeBytes = await readTensorSize(cursor)
    const offset = await cursor.uint64('a tensor offset')
    if (offset % alignment !== 0) throw new GgufError('a tensor is not aligned')
    dataEnd = Math.max(dataEnd, offset + sizeBytes)
  }
  if (names.size !== count) throw new GgufError('a tensor is there twice')
  return dataEnd
}

async function readTensorSize(cursor: GgufCursor): Promise<number> {
  const dimensions = await cursor.uint32('a dimension count')
  if (dimensions < 1 || dimensions > MAX_DIMENSIONS) throw new GgufError('a tensor has too few or too many dimensions')
  let values = 1
  let rowLength = 0
  for (let index = 0; index < dimensions; index++) {
    const length = await cursor.uint64('a dimension')
    if (index === 0) rowLength = length
    values *= length
    if (length === 0 || values > Number.MAX_SAFE_INTEGER) throw new GgufError('a tensor has an impossible size')
  }
  const type = TENSOR_TYPES.get(await cursor.uint32('a tensor type'))
  if (type === undefined) throw new GgufError('a tensor has an unknown type')
  if (rowLength % type.values !== 0) throw new GgufError('a tensor row is no whole number of blocks')
  return (values / type.values) * type.bytes
}
