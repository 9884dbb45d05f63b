import { encodeValue, type GgufValue, text, u32, u64 } from './gguf.ts'

/** One value of a GGUF header, by the name of its type. */
export type GgufEntry =
  | readonly ['u32', number]
  | readonly ['u64', number]
  | readonly ['f32', number]
  | readonly ['bool', boolean]
  | readonly ['text', string]
  | readonly ['texts', readonly string[]]
  | readonly ['numbers', readonly number[]]

/** A tensor as the header announces it. */
export interface AnnouncedTensor {
  readonly name: string
  readonly shape: readonly number[]
  /** Number of the type; 0 = 32-bit floats. */
  readonly type: number
  readonly offset: number
}

/** Writes a GGUF file of one small tensor, or with the given parts. */
export function ggufBytes(
  parts: {
    readonly version?: number
    readonly values?: Readonly<Record<string, GgufEntry>>
    readonly tensors?: readonly AnnouncedTensor[]
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

function encode([type, value]: GgufEntry): Buffer {
  const written = (type === 'numbers' ? { type: 'i32s', value } : { type, value }) as GgufValue
  return Buffer.concat(encodeValue(written))
}

function encodeTensor({ name, shape, type, offset }: AnnouncedTensor): Buffer {
  return Buffer.concat([text(name), u32(shape.length), ...shape.map(u64), u32(type), u64(offset)])
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

/** A model with vectors as output. */
export function embeddingGguf(): Buffer {
  return ggufBytes({
    values: {
      'general.architecture': ['text', 'bert'],
      'bert.context_length': ['u32', 512],
      'bert.pooling_type': ['u32', 1],
    },
  })
}
