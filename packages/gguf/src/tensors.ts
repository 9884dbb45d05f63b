import type { GgufCursor } from './cursor.ts'
import { GgufError } from './errors.ts'
import { TENSOR_TYPES } from './types.ts'

const MAX_DIMENSIONS = 4
const MAX_NAME_BYTES = 1024
/** Longer names overflow a buffer of ggml. */
const MAX_STRICT_NAME_BYTES = 63

/** Options of {@link readTensors}. */
export interface TensorOptions {
  readonly count: number
  /** Bytes; a power of two. */
  readonly alignment: number
  readonly strict: boolean
}

/** Checks the list of tensors. @returns the end of the last one in bytes from the start of the data section */
export function readTensors(cursor: GgufCursor, { count, alignment, strict }: TensorOptions): number {
  const names = new Set<string>()
  let dataEnd = 0
  for (let index = 0; index < count; index += 1) {
    const name = cursor.byteText(strict ? MAX_STRICT_NAME_BYTES : MAX_NAME_BYTES)
    names.add(name)
    const sizeBytes = readTensorSize(cursor, name, strict)
    const offset = cursor.uint64()
    if (offset % alignment !== 0) throw impossible(name)
    dataEnd = Math.max(dataEnd, offset + sizeBytes)
  }
  if (strict && names.size !== count) throw new GgufError('holds a tensor twice')
  return dataEnd
}

/** Bytes of a tensor; 0 for a type that is not known, whose size cannot be checked. */
function readTensorSize(cursor: GgufCursor, name: string, strict: boolean): number {
  const dimensions = cursor.uint32()
  if (dimensions > MAX_DIMENSIONS) throw new GgufError('has a tensor with too many dimensions')
  if (strict && dimensions === 0) throw new GgufError('has a tensor without dimensions')
  let values = 1
  let rowLength = 0
  for (let index = 0; index < dimensions; index += 1) {
    const length = cursor.uint64()
    if (index === 0) rowLength = length
    values *= length
    if (!Number.isSafeInteger(values) || (strict && length === 0)) throw impossible(name)
  }
  const type = TENSOR_TYPES.get(cursor.uint32())
  if (type === undefined) {
    if (strict) throw new GgufError('has a tensor of an unknown type')
    return 0
  }
  if (rowLength % type.values !== 0) throw impossible(name)
  return (values / type.values) * type.bytes
}

function impossible(name: string): GgufError {
  return new GgufError(`has a tensor that cannot be: ${JSON.stringify(name.slice(0, 80))}`)
}
