import { crc32 } from 'node:zlib'
import type { Vector, VectorEntry } from '@svc/router/vector'
import type { StoreName } from './store-name.ts'

/** A change of a store as its journal has it. The first record of a file names the store. */
export type JournalRecord =
  | { readonly kind: 'name'; readonly store: StoreName }
  | { readonly kind: 'set'; readonly entries: readonly VectorEntry[] }
  | { readonly kind: 'delete'; readonly keys: readonly Vector[] }

/** First bytes of every journal. */
export const MAGIC = Buffer.from('svc-vectors-1\n')
/** Bytes before the content of a record: its length and its checksum. */
export const FRAME_BYTES = 8
const KINDS = ['name', 'set', 'delete'] as const
const FLOAT_BYTES = 4
/** Kind, length of the keys and number of the keys. */
const HEAD_BYTES = 9

/** Writes a record with its frame. All keys of a record have one length. */
export function writeRecord(record: JournalRecord): Uint8Array {
  const content = record.kind === 'name' ? writeName(record.store) : writeVectors(record)
  const framed = Buffer.allocUnsafe(FRAME_BYTES + content.length)
  framed.writeUInt32LE(content.length, 0)
  framed.writeUInt32LE(crc32(content), 4)
  framed.set(content, FRAME_BYTES)
  return framed
}

/** Reads the frame of a record. */
export function readFrame(frame: Buffer): { readonly length: number; readonly checksum: number } {
  return { length: frame.readUInt32LE(0), checksum: frame.readUInt32LE(4) }
}

/** Reads the content of a record; undefined when it does not fit its checksum or is not a record. */
export function readRecord(content: Buffer, checksum: number): JournalRecord | undefined {
  if (crc32(content) !== checksum || content.length === 0) return undefined
  const kind = KINDS[content.readUInt8(0)]
  if (kind === undefined) return undefined
  try {
    return kind === 'name' ? readName(content) : readVectors(kind, content)
  } catch {
    // A number beyond the end: the record is of another version.
    return undefined
  }
}

function writeName({ owner, name }: StoreName): Buffer {
  return Buffer.concat([Buffer.of(KINDS.indexOf('name')), Buffer.from(JSON.stringify({ owner, name }))])
}

function readName(content: Buffer): JournalRecord | undefined {
  const { owner, name } = JSON.parse(content.toString('utf8', 1)) as Record<string, unknown>
  if ((owner !== 'callers' && owner !== 'model') || typeof name !== 'string') return undefined
  return { kind: 'name', store: { owner, name } }
}

function writeVectors(record: Exclude<JournalRecord, { kind: 'name' }>): Buffer {
  const keys = record.kind === 'set' ? record.entries.map(({ key }) => key) : record.keys
  const values = record.kind === 'set' ? record.entries.map(({ value }) => value) : []
  const dimension = keys[0]?.length ?? 0
  const valueBytes = values.reduce((sum, { length }) => sum + FLOAT_BYTES + length, 0)
  const content = Buffer.allocUnsafe(HEAD_BYTES + keys.length * dimension * FLOAT_BYTES + valueBytes)
  content.writeUInt8(KINDS.indexOf(record.kind), 0)
  content.writeUInt32LE(dimension, 1)
  content.writeUInt32LE(keys.length, 5)
  let at = HEAD_BYTES
  for (const key of keys) for (let index = 0; index < dimension; index++) at = content.writeFloatLE(key[index] ?? 0, at)
  for (const value of values) {
    at = content.writeUInt32LE(value.length, at)
    content.set(value, at)
    at += value.length
  }
  return content
}

function readVectors(kind: 'set' | 'delete', content: Buffer): JournalRecord | undefined {
  const dimension = content.readUInt32LE(1)
  const count = content.readUInt32LE(5)
  if (HEAD_BYTES + count * dimension * FLOAT_BYTES > content.length) return undefined
  let at = HEAD_BYTES
  const keys = Array.from({ length: count }, () => {
    const key = new Float32Array(dimension)
    for (let index = 0; index < dimension; index++, at += FLOAT_BYTES) key[index] = content.readFloatLE(at)
    return key
  })
  if (kind === 'delete') return { kind, keys }
  const entries = keys.map((key) => {
    const length = content.readUInt32LE(at)
    at += FLOAT_BYTES + length
    return { key, value: new Uint8Array(content.subarray(at - length, at)) }
  })
  return at === content.length ? { kind, entries } : undefined
}

/**
 * Measures the content of a record by its own numbers.
 *
 * @param read gives bytes of the content; undefined beyond the end of the file
 * @returns its length; undefined where the file ends before that is known; NaN for content that is not a record
 */
export async function measureRecord(
  read: (from: number, length: number) => Promise<Buffer | undefined>,
): Promise<number | undefined> {
  const head = await read(0, HEAD_BYTES)
  if (head === undefined) return undefined
  const kind = KINDS[head.readUInt8(0)]
  if (kind !== 'set' && kind !== 'delete') return Number.NaN
  const count = head.readUInt32LE(5)
  let length = HEAD_BYTES + count * head.readUInt32LE(1) * FLOAT_BYTES
  for (let value = 0; kind === 'set' && value < count; value++) {
    const size = await read(length, FLOAT_BYTES)
    if (size === undefined) return undefined
    length += FLOAT_BYTES + size.readUInt32LE(0)
  }
  return length
}
