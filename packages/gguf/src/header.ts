import { GgufCursor, type GgufSource } from './cursor.ts'
import { GgufError } from './errors.ts'
import { type GgufValue, readKeys } from './keys.ts'
import { readTensors } from './tensors.ts'

/** Contents of the header of a model file. */
export interface GgufHeader {
  /** 2 or 3. */
  readonly version: number
  /** Keys with a single value; null in place of a text of more than 4 MiB. */
  readonly keys: ReadonlyMap<string, GgufValue>
  /** Lengths of the arrays among the keys. */
  readonly arrayLengths: ReadonlyMap<string, number>
  readonly tensorCount: number
  /** Offset of the first tensor's data in the file. */
  readonly dataOffset: number
}

/** Options of {@link readGgufHeader}. */
export interface ReadGgufOptions {
  /**
   * Also refuses headers that end the process of llama.cpp: a duplicate token or tensor, vocabulary lists of different
   * lengths, a tensor of an unknown type. Leave it off to inspect files that another engine may serve. @default false
   */
  readonly strict?: boolean | undefined
  /** Most bytes that a header may take. @default 67108864 */
  readonly maxHeaderBytes?: number | undefined
}

const MAX_HEADER_BYTES = 64 * 1024 * 1024
const MAGIC = 0x46554747
const MAGIC_BIG_ENDIAN = 0x47475546
const MAX_KEYS = 65_536
const MAX_TENSORS = 131_072
const MAX_STRICT_ALIGNMENT = 1 << 20
const DEFAULT_ALIGNMENT = 32
const MIN_HEADER_BYTES = 24
/** Smallest bytes of an entry: key length, type and one byte; name length, dimensions, type and offset. */
const MIN_KEY_BYTES = 13
const MIN_TENSOR_BYTES = 24

/**
 * Reads the header of a GGUF file and checks every count, length and offset in it against the length of the file.
 * Weights are never read. Blocks while it reads.
 *
 * @throws {GgufError} for anything but a sound header of version 2 or 3
 */
export function readGgufHeader(source: GgufSource, options: ReadGgufOptions = {}): GgufHeader {
  const { strict = false, maxHeaderBytes = MAX_HEADER_BYTES } = options
  const cursor = new GgufCursor(source, maxHeaderBytes)
  const version = readVersion(cursor)
  const tensorCount = cursor.uint64()
  const keyCount = cursor.uint64()
  if (tensorCount > MAX_TENSORS || tensorCount * MIN_TENSOR_BYTES > cursor.remaining)
    throw new GgufError('announces more tensors than it holds')
  if (keyCount > MAX_KEYS || keyCount * MIN_KEY_BYTES > cursor.remaining)
    throw new GgufError('announces more values than it holds')
  const { values, arrayLengths } = readKeys(cursor, keyCount, strict)
  const alignment = toAlignment(values.get('general.alignment'), strict)
  const dataEnd = readTensors(cursor, { count: tensorCount, alignment, strict })
  const dataOffset = Math.ceil(cursor.position / alignment) * alignment
  if (tensorCount > 0 && dataOffset + dataEnd > source.sizeBytes)
    throw new GgufError('is cut off: its weights end before they should')
  return { version, keys: values, arrayLengths, tensorCount, dataOffset }
}

/** The version after the magic number. @throws {GgufError} */
export function readVersion(cursor: GgufCursor): number {
  const isShort = cursor.remaining < MIN_HEADER_BYTES
  const magic = cursor.remaining < 4 ? MAGIC : cursor.uint32()
  if (magic === MAGIC_BIG_ENDIAN) throw new GgufError('is a big-endian GGUF file')
  if (magic !== MAGIC) throw new GgufError('is not a GGUF file')
  if (isShort) throw new GgufError('is too short for a GGUF file')
  const version = cursor.uint32()
  if (version !== 2 && version !== 3) throw new GgufError(`is of the GGUF version ${version}, known are 2 and 3`)
  return version
}

function toAlignment(value: GgufValue | undefined, strict: boolean): number {
  const alignment = value ?? DEFAULT_ALIGNMENT
  const isPower = typeof alignment === 'number' && alignment >= 1 && Number.isInteger(Math.log2(alignment))
  if (!isPower || (strict && alignment > MAX_STRICT_ALIGNMENT))
    throw new GgufError('has an alignment that is not a power of two')
  return alignment
}
