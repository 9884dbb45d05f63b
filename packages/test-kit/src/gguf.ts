/** A value under a key, with its type in the file. */
export type GgufValue =
  | { readonly type: 'u32' | 'i32' | 'f32' | 'u64'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'texts'; readonly value: readonly string[] }
  | { readonly type: 'i32s' | 'f32s'; readonly value: readonly number[] }

/** A tensor of 32-bit floats; the first dimension varies fastest. */
export interface GgufTensor {
  readonly name: string
  readonly dimensions: readonly number[]
  readonly data: Float32Array
}

/** Content of a GGUF file. */
export interface GgufContent {
  readonly keys: ReadonlyMap<string, GgufValue>
  readonly tensors: readonly GgufTensor[]
}

const ALIGNMENT = 32
const TYPE = { u32: 4, i32: 5, f32: 6, bool: 7, text: 8, u64: 10 } as const
const ARRAY = 9

/** A GGUF file of version 3, as bytes. */
export function writeGguf({ keys, tensors }: GgufContent): Buffer {
  const parts = [Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(keys.size)]
  for (const [key, value] of keys) parts.push(text(key), ...encodeValue(value))
  let offset = 0
  for (const { name, dimensions, data } of tensors) {
    parts.push(text(name), u32(dimensions.length), ...dimensions.map(u64), u32(0), u64(offset))
    offset += pad(data.byteLength)
  }
  const header = Buffer.concat(parts)
  const body = tensors.map(({ data }) => padded(Buffer.from(data.buffer, data.byteOffset, data.byteLength)))
  return Buffer.concat([padded(header), ...body])
}

/** Encodes a value as it is written after its key, including its type. */
export function encodeValue(value: GgufValue): Buffer[] {
  switch (value.type) {
    case 'u32':
      return [u32(TYPE.u32), u32(value.value)]
    case 'i32':
      return [u32(TYPE.i32), i32(value.value)]
    case 'f32':
      return [u32(TYPE.f32), f32(value.value)]
    case 'u64':
      return [u32(TYPE.u64), u64(value.value)]
    case 'bool':
      return [u32(TYPE.bool), Buffer.from([value.value ? 1 : 0])]
    case 'text':
      return [u32(TYPE.text), text(value.value)]
    case 'texts':
      return [u32(ARRAY), u32(TYPE.text), u64(value.value.length), ...value.value.map(text)]
    case 'i32s':
      return [u32(ARRAY), u32(TYPE.i32), u64(value.value.length), ...value.value.map(i32)]
    case 'f32s':
      return [u32(ARRAY), u32(TYPE.f32), u64(value.value.length), ...value.value.map(f32)]
  }
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function i32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(value)
  return bytes
}

function f32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return bytes
}

export function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

export function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([u64(bytes.length), bytes])
}

function pad(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(pad(bytes.length) - bytes.length)])
}
