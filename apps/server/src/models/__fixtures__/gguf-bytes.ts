/** One value of a GGUF header, by the name of its type. */
export type GgufValue =
  | readonly ['u32', number]
  | readonly ['u64', number]
  | readonly ['f32', number]
  | readonly ['bool', boolean]
  | readonly ['text', string]
  | readonly ['texts', readonly string[]]
  | readonly ['numbers', readonly number[]]

/** A tensor as the header announces it. */
export interface GgufTensor {
  readonly name: string
  readonly shape: readonly number[]
  /** Number of the type; 0 = 32-bit floats. */
  readonly type: number
  readonly offset: number
}

/** A GGUF file of one small tensor, or what the parts say instead. */
export function ggufBytes(
  parts: {
    readonly version?: number
    readonly values?: Readonly<Record<string, GgufValue>>
    readonly tensors?: readonly GgufTensor[]
    readonly tensorCount?: number
    readonly valueCount?: number
    readonly data?: number
  } = {},
): Buffer {
  const values = Object.entries(parts.values ?? { 'general.architecture': ['text', 'llama'] as const })
  const tensors = parts.tensors ?? [{ name: 'token_embd.weight', shape: [4, 2], type: 0, offset: 0 }]
  const header = Buffer.concat([
    Buffer.from('GGUF'),
    u32(parts.version ?? 3),
    u64(parts.tensorCount ?? tensors.length),
    u64(parts.valueCount ?? values.length),
    ...values.flatMap(([key, value]) => [text(key), encode(value)]),
    ...tensors.map(encodeTensor),
  ])
  const padding = (32 - (header.length % 32)) % 32
  return Buffer.concat([header, Buffer.alloc(padding), Buffer.alloc(parts.data ?? 32)])
}

function encode(value: GgufValue): Buffer {
  switch (value[0]) {
    case 'u32':
      return Buffer.concat([u32(4), u32(value[1])])
    case 'u64':
      return Buffer.concat([u32(10), u64(value[1])])
    case 'f32': {
      const bytes = Buffer.alloc(4)
      bytes.writeFloatLE(value[1])
      return Buffer.concat([u32(6), bytes])
    }
    case 'bool':
      return Buffer.concat([u32(7), Buffer.from([value[1] ? 1 : 0])])
    case 'text':
      return Buffer.concat([u32(8), text(value[1])])
    case 'texts':
      return Buffer.concat([u32(9), u32(8), u64(value[1].length), ...value[1].map(text)])
    case 'numbers':
      return Buffer.concat([u32(9), u32(4), u64(value[1].length), ...value[1].map(u32)])
  }
}

function encodeTensor({ name, shape, type, offset }: GgufTensor): Buffer {
  return Buffer.concat([text(name), u32(shape.length), ...shape.map(u64), u32(type), u64(offset)])
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([u64(bytes.length), bytes])
}

/** A language model with a chat template, trained for 2048 tokens. */
export function chatGguf(name = 'tiny'): Buffer {
  return ggufBytes({
    values: {
      'general.architecture': ['text', 'llama'],
      'general.name': ['text', name],
      'llama.context_length': ['u32', 2048],
      'tokenizer.ggml.tokens': ['texts', ['a', 'b', 'c']],
      'tokenizer.chat_template': ['text', '{{ messages }}'],
    },
  })
}

/** A model whose answers are vectors. */
export function embeddingGguf(): Buffer {
  return ggufBytes({
    values: {
      'general.architecture': ['text', 'bert'],
      'bert.context_length': ['u32', 512],
      'bert.pooling_type': ['u32', 1],
    },
  })
}
