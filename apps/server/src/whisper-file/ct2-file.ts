import { readSync } from 'node:fs'
import { SvcError } from '@svc/errors'

/** Types of numbers in the file, with their bytes. */
const TYPES: Readonly<Record<number, { readonly name: string; readonly bytes: number }>> = {
  0: { name: 'float32', bytes: 4 },
  1: { name: 'int8', bytes: 1 },
  2: { name: 'int16', bytes: 2 },
  3: { name: 'int32', bytes: 4 },
  4: { name: 'float16', bytes: 2 },
  5: { name: 'bfloat16', bytes: 2 },
}
const VERSION = 6
const MAX_VARIABLES = 100_000
const MAX_DIMENSIONS = 8
const CHUNK_BYTES = 64 * 1024

/** A variable of a CTranslate2 model, and where its numbers lie in the file. */
export interface Ct2Variable {
  readonly type: string
  /** The slowest dimension first. */
  readonly shape: readonly number[]
  readonly offset: number
  readonly bytes: number
}

/** The variables of a model file by their names. */
export type Ct2Variables = ReadonlyMap<string, Ct2Variable>

/**
 * Lists the variables of an open CTranslate2 file (`model.bin`, version 6). Their numbers are not read.
 *
 * @throws {SvcError} `unprocessable`, code `bad_model_file`, for other and damaged files
 */
export function readCt2Variables(fd: number, size: number): Ct2Variables {
  const reader = createReader(fd, size)
  const version = reader.u32()
  if (version !== VERSION) throw badFile(`model.bin has version ${version} of the CTranslate2 format, not ${VERSION}`)
  const spec = reader.text()
  if (spec !== 'WhisperSpec') throw badFile(`model.bin is a ${JSON.stringify(spec)}, not a WhisperSpec`)
  reader.u32()
  const count = reader.u32()
  if (count > MAX_VARIABLES) throw badFile('model.bin has too many variables')
  const variables = new Map<string, Ct2Variable>()
  for (let index = 0; index < count; index += 1) {
    const name = reader.text()
    const dimensions = reader.u8()
    if (dimensions > MAX_DIMENSIONS) throw badFile(`model.bin: ${JSON.stringify(name)} has ${dimensions} dimensions`)
    const shape = Array.from({ length: dimensions }, () => reader.u32())
    const type = TYPES[reader.u8()]
    const bytes = reader.u32()
    const elements = shape.reduce((product, length) => product * length, 1)
    if (type === undefined || elements * type.bytes !== bytes) {
      throw badFile(`model.bin: ${JSON.stringify(name)} contradicts its size`)
    }
    variables.set(name, { type: type.name, shape, offset: reader.position(), bytes })
    reader.skip(bytes)
  }
  return variables
}

/** The error of a folder that cannot be converted. */
export function badFile(message: string): SvcError {
  return new SvcError('unprocessable', message, { code: 'bad_model_file' })
}

/** Reads small fields, a chunk at a time. */
function createReader(fd: number, size: number) {
  const chunk = Buffer.alloc(CHUNK_BYTES)
  let start = 0
  let length = 0
  let position = 0
  const take = (bytes: number): Buffer => {
    if (position + bytes > size) throw badFile('model.bin is cut off')
    if (position < start || position + bytes > start + length) {
      start = position
      length = readSync(fd, chunk, 0, CHUNK_BYTES, start)
      if (length < bytes) throw badFile('model.bin is cut off')
    }
    const at = position - start
    position += bytes
    return chunk.subarray(at, at + bytes)
  }
  const u16 = (): number => take(2).readUInt16LE()
  return {
    u8: (): number => take(1).readUInt8(),
    u32: (): number => take(4).readUInt32LE(),
    /** A text with its length before it and a zero behind it. */
    text: (): string => {
      const bytes = u16()
      if (bytes === 0 || bytes > CHUNK_BYTES) throw badFile('model.bin has a name without a length')
      return take(bytes).toString('utf8', 0, bytes - 1)
    },
    position: (): number => position,
    skip: (bytes: number): void => {
      position += bytes
      if (position > size) throw badFile('model.bin is cut off')
    },
  }
}
