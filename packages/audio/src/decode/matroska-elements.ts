import { AudioError } from '../errors.ts'
import type { ByteReader } from '../streams/byte-reader.ts'

const MAX_ID_BYTES = 4
const MAX_SIZE_BYTES = 8
/** Track, two bytes of time, flags. */
const BLOCK_FIELDS_BYTES = 3
/** Children of an element in memory: a description of a track has some dozens. */
const MAX_CHILDREN = 10_000
const LACING = 0x06
const XIPH = 0x02
const FIXED = 0x04

/** The head of an element. */
export interface ElementHead {
  readonly id: number
  /** Undefined for an element that ends where another one begins. */
  readonly size: number | undefined
}

/** An element in memory. */
export interface Element {
  readonly id: number
  readonly content: Uint8Array
}

/** Reads the head of the next element (RFC 8794). Undefined at the end of the file. */
export async function readElementHead(reader: ByteReader): Promise<ElementHead | undefined> {
  const id = await readNumber(reader, MAX_ID_BYTES)
  const size = id === undefined ? undefined : await readNumber(reader, MAX_SIZE_BYTES)
  if (id === undefined || size === undefined) return undefined
  return { id: id.withMarker, size: size.isUnknown ? undefined : size.value }
}

async function readNumber(reader: ByteReader, maxBytes: number): Promise<VariableNumber | undefined> {
  const [first] = await reader.read(1)
  if (first === undefined) return undefined
  const length = countBytes(first, maxBytes)
  const rest = await reader.read(length - 1)
  return rest.length < length - 1 ? undefined : toNumber(first, rest)
}

/** A number that says its own length. */
interface VariableNumber {
  readonly value: number
  /** The number with the bit of its length, as ids are written. */
  readonly withMarker: number
  /** Whether all its bits are set. */
  readonly isUnknown: boolean
  readonly bytes: number
}

function countBytes(first: number, maxBytes: number): number {
  const length = Math.clz32(first) - 23
  if (length > maxBytes) throw new AudioError('bad_audio', 'an element of the file is damaged')
  return length
}

function toNumber(first: number, rest: Uint8Array): VariableNumber {
  const bytes = rest.length + 1
  const mask = 2 ** (8 - bytes) - 1
  const read = (start: number): number => rest.reduce((value, byte) => value * 256 + byte, start)
  const isUnknown = (first & mask) === mask && rest.every((byte) => byte === 255)
  return { value: read(first & mask), withMarker: read(first), isUnknown, bytes }
}

function numberAt(content: Uint8Array, at: number): VariableNumber {
  const first = content[at]
  if (first === undefined) throw damaged()
  const bytes = countBytes(first, MAX_SIZE_BYTES)
  if (at + bytes > content.length) throw damaged()
  return toNumber(first, content.subarray(at + 1, at + bytes))
}

/** Divides the content of an element into its children. @throws AudioError `bad_audio` */
export function splitElements(content: Uint8Array): readonly Element[] {
  const children: Element[] = []
  for (let at = 0; at < content.length; ) {
    if (children.length === MAX_CHILDREN) throw damaged()
    const id = numberAt(content, at)
    const size = numberAt(content, at + id.bytes)
    const from = at + id.bytes + size.bytes
    if (size.isUnknown || from + size.value > content.length) throw damaged()
    children.push({ id: id.withMarker, content: content.subarray(from, from + size.value) })
    at = from + size.value
  }
  return children
}

/** Reads a text, without the zeros that may fill it up. */
export function decodeText(content: Uint8Array = new Uint8Array(0)): string {
  return new TextDecoder('latin1').decode(content).replace(/\0.*$/s, '')
}

/** Reads a whole number of up to eight bytes. */
export function decodeUnsigned(content: Uint8Array = new Uint8Array(0)): number {
  return content.subarray(0, 8).reduce((value, byte) => value * 256 + byte, 0)
}

/** Divides a block into the packets that are laced in it (RFC 9559, section 10). @throws AudioError `bad_audio` */
export function splitLaces(block: Uint8Array): { readonly track: number; readonly packets: readonly Uint8Array[] } {
  const track = numberAt(block, 0)
  const lacing = (block[track.bytes + 2] ?? 0) & LACING
  const content = block.subarray(track.bytes + BLOCK_FIELDS_BYTES)
  if (lacing === 0) return { track: track.value, packets: [content] }
  const count = (content[0] ?? 0) + 1
  const laces = content.subarray(1)
  if (lacing === FIXED) return { track: track.value, packets: cut(laces, Array(count).fill(laces.length / count)) }
  const { sizes, bytes } = lacing === XIPH ? readXiphSizes(laces, count) : readRelativeSizes(laces, count)
  const packets = laces.subarray(bytes)
  const last = packets.length - sizes.reduce((sum, size) => sum + size, 0)
  return { track: track.value, packets: cut(packets, [...sizes, last]) }
}

interface LaceSizes {
  /** Sizes of all packets but the last. */
  readonly sizes: readonly number[]
  /** Bytes that the sizes take. */
  readonly bytes: number
}

function readXiphSizes(laces: Uint8Array, count: number): LaceSizes {
  const sizes: number[] = []
  let at = 0
  while (sizes.length < count - 1) {
    let size = 0
    while (laces[at] === 255) {
      size += 255
      at++
    }
    size += laces[at++] ?? 0
    sizes.push(size)
  }
  return { sizes, bytes: at }
}

/** The first size, then the differences: numbers around a zero in the middle of their range. */
function readRelativeSizes(laces: Uint8Array, count: number): LaceSizes {
  const sizes: number[] = []
  let at = 0
  while (sizes.length < count - 1) {
    const { value, bytes } = numberAt(laces, at)
    at += bytes
    const before = sizes.at(-1)
    sizes.push(before === undefined ? value : before + value - (2 ** (7 * bytes - 1) - 1))
  }
  return { sizes, bytes: at }
}

function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const packets: Uint8Array[] = []
  let at = 0
  for (const size of sizes) {
    if (!Number.isInteger(size) || size < 0 || at + size > bytes.length) throw damaged()
    packets.push(bytes.subarray(at, at + size))
    at += size
  }
  return packets
}

function damaged(): AudioError {
  return new AudioError('bad_audio', 'an element of the file is damaged')
}
