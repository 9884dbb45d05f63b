import { closeSync, openSync, writeSync } from 'node:fs'

/** A key of a model file. Whole numbers are written as u32, lists of numbers in the named type. */
export type GgufValue =
  | string
  | number
  | boolean
  | { readonly f32: number }
  | { readonly f32s: readonly number[] }
  | { readonly i32s: readonly number[] }
  | readonly string[]

/** A matrix or vector of 32-bit floats; the first dimension varies fastest. */
export interface Tensor {
  readonly name: string
  readonly dimensions: readonly number[]
  readonly data: Float32Array
}

const ALIGNMENT = 32
const U32 = 4
const I32 = 5
const F32 = 6
const BOOL = 7
const TEXT = 8
const LIST = 9
const TENSOR_F32 = 0

/** Writes a GGUF file of version 3. The data of tensors is written in the order of this machine, which is little-endian. */
export function writeGguf(file: string, keys: Readonly<Record<string, GgufValue>>, tensors: readonly Tensor[]): void {
  const header = [Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(Object.keys(keys).length)]
  for (const [key, value] of Object.entries(keys)) header.push(text(key), ...encode(value))
  let offset = 0
  for (const { name, dimensions, data } of tensors) {
    header.push(text(name), u32(dimensions.length), ...dimensions.map(u64), u32(TENSOR_F32), u64(offset))
    offset += aligned(data.byteLength)
  }
  const target = openSync(file, 'w')
  try {
    writePadded(target, Buffer.concat(header))
    for (const { data } of tensors) writePadded(target, Buffer.from(data.buffer, data.byteOffset, data.byteLength))
  } finally {
    closeSync(target)
  }
}

function encode(value: GgufValue): Buffer[] {
  if (typeof value === 'string') return [u32(TEXT), text(value)]
  if (typeof value === 'number') return [u32(U32), u32(value)]
  if (typeof value === 'boolean') return [u32(BOOL), Buffer.of(Number(value))]
  if ('f32' in value) return [u32(F32), f32(value.f32)]
  if ('f32s' in value) return list(F32, value.f32s, f32)
  if ('i32s' in value) return list(I32, value.i32s, u32)
  return list(TEXT, value, text)
}

function list<Item>(type: number, items: readonly Item[], encodeItem: (item: Item) => Buffer): Buffer[] {
  return [u32(LIST), u32(type), u64(items.length), ...items.map(encodeItem)]
}

function u32(value: number): Buffer {
  return Buffer.from(Uint32Array.of(value).buffer)
}

function u64(value: number): Buffer {
  return Buffer.from(BigUint64Array.of(BigInt(value)).buffer)
}

function f32(value: number): Buffer {
  return Buffer.from(Float32Array.of(value).buffer)
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([u64(bytes.length), bytes])
}

function aligned(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT
}

function writePadded(target: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(target, bytes, written)
  writeSync(target, Buffer.alloc(aligned(bytes.length) - bytes.length))
}
