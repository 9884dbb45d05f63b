import { type ByteSource, GgufFault } from './byte-source.ts'

/** Bytes of each fixed-size value type, by its number in the file. */
const FIXED_BYTES: ReadonlyMap<number, number> = new Map([
  [0, 1],
  [1, 1],
  [2, 2],
  [3, 2],
  [4, 4],
  [5, 4],
  [6, 4],
  [7, 1],
  [10, 8],
  [11, 8],
  [12, 8],
])
const STRING = 8
const ARRAY = 9

const MAX_KEY_BYTES = 1024
const MAX_TEXT_BYTES = 4096

/** Single values of the header by key; arrays and long texts only say that they are there (null). */
export type GgufMetadata = ReadonlyMap<string, number | boolean | string | null>

/** Reads the key-value part of a header, passing over what is large. */
export function readMetadata(source: ByteSource, count: number): GgufMetadata {
  const values = new Map<string, number | boolean | string | null>()
  for (let index = 0; index < count; index += 1) {
    const key = source.text(MAX_KEY_BYTES)
    const type = source.uint32()
    values.set(key, type === ARRAY ? skipArray(source) : readValue(source, type))
  }
  return values
}

function readValue(source: ByteSource, type: number): number | boolean | string | null {
  if (type === STRING) return readText(source)
  const size = FIXED_BYTES.get(type)
  if (size === undefined) throw new GgufFault(`holds a value of the unknown type ${type}`)
  const bytes = source.bytes(size)
  switch (type) {
    case 0:
      return bytes.readUInt8(0)
    case 1:
      return bytes.readInt8(0)
    case 2:
      return bytes.readUInt16LE(0)
    case 3:
      return bytes.readInt16LE(0)
    case 4:
      return bytes.readUInt32LE(0)
    case 5:
      return bytes.readInt32LE(0)
    case 6:
      return bytes.readFloatLE(0)
    case 7:
      return bytes.readUInt8(0) !== 0
    case 10:
      return Number(bytes.readBigUInt64LE(0))
    case 11:
      return Number(bytes.readBigInt64LE(0))
    default:
      return bytes.readDoubleLE(0)
  }
}

function readText(source: ByteSource): string | null {
  const before = source.position
  const value = source.text(MAX_TEXT_BYTES)
  return value === '' && source.position - before > 8 ? null : value
}

function skipArray(source: ByteSource): null {
  const type = source.uint32()
  const count = source.uint64()
  const size = FIXED_BYTES.get(type)
  if (size !== undefined) {
    if (count > source.left) throw new GgufFault('is cut off')
    source.skip(count * size)
    return null
  }
  if (type !== STRING) throw new GgufFault(`holds a list of the unknown type ${type}`)
  if (count * 8 > source.left) throw new GgufFault('is cut off')
  for (let index = 0; index < count; index += 1) source.skip(source.uint64())
  return null
}
