import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { demoModels } from './index.ts'

const LARGEST_BYTES = 5 * 1024 * 1024
const LARGEST_RECOGNISER_BYTES = 8_000_000
const ARRAY = 9
const STRING = 8
/** Bytes of the other value types, by their number in the file format. */
const SIZES: Record<number, number> = { 0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8 }

interface Header {
  readonly magic: string
  readonly version: number
  readonly tensors: Map<string, { dims: number[]; type: number }>
  readonly keys: Map<string, unknown>
}

/** Reads keys and tensor list of a GGUF file; u32, i32, f32, bool and string values are enough here. */
function readHeader(bytes: Buffer): Header {
  let at = 0
  const take = (size: number) => {
    at += size
    return at - size
  }
  const u32 = () => bytes.readUInt32LE(take(4))
  const u64 = () => Number(bytes.readBigUInt64LE(take(8)))
  const text = () => {
    const length = u64()
    return bytes.toString('utf8', take(length), at)
  }
  const value = (type: number): unknown => {
    if (type === STRING) return text()
    if (type === ARRAY) {
      const element = u32()
      return Array.from({ length: u64() }, () => value(element))
    }
    const place = take(SIZES[type] ?? Number.NaN)
    if (type === 6) return bytes.readFloatLE(place)
    if (type === 7) return bytes.readUInt8(place) === 1
    return type === 5 ? bytes.readInt32LE(place) : bytes.readUInt32LE(place)
  }

  const magic = bytes.toString('latin1', take(4), at)
  const version = u32()
  const tensorCount = u64()
  const keyCount = u64()
  const keys = new Map<string, unknown>()
  for (let i = 0; i < keyCount; i++) {
    const key = text()
    keys.set(key, value(u32()))
  }
  const tensors: Header['tensors'] = new Map()
  for (let i = 0; i < tensorCount; i++) {
    const name = text()
    const dims = Array.from({ length: u32() }, u64)
    tensors.set(name, { dims, type: u32() })
    u64()
  }
  return { magic, version, keys, tensors }
}

function demo(wanted = 'demo') {
  const model = demoModels.find(({ name }) => name === wanted)
  if (model === undefined) throw new Error(`no model named ${wanted}`)
  return { model, bytes: readFileSync(model.file) }
}

test('the GGUF files together are below 5 MB', () => {
  const bytes = demoModels.filter(({ file }) => file.endsWith('.gguf')).map(({ file }) => statSync(file).size)
  expect(bytes).toHaveLength(2)
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(LARGEST_BYTES)
})

describe('the chat model', () => {
  test('is offered for chat, completion and score with its context size', () => {
    const { model } = demo()
    expect(isAbsolute(model.file)).toBe(true)
    expect(model.usecases).toEqual(['chat', 'completion', 'score'])
    expect(readHeader(demo().bytes).keys.get('llama.context_length')).toBe(model.contextSize)
  })

  test('is a GGUF file of version 3', () => {
    const { magic, version } = readHeader(demo().bytes)
    expect(magic).toBe('GGUF')
    expect(version).toBe(3)
  })

  test('names its architecture as llama.cpp expects it', () => {
    const { keys, tensors } = readHeader(demo().bytes)
    expect(Object.fromEntries([...keys].filter(([key]) => key.startsWith('llama.')))).toMatchObject({
      'llama.embedding_length': 128,
      'llama.block_count': 6,
      'llama.feed_forward_length': 384,
      'llama.attention.head_count': 4,
      'llama.attention.head_count_kv': 2,
      'llama.rope.dimension_count': 32,
      'llama.rope.freq_base': 10_000,
      'llama.vocab_size': 2048,
      // embeddings are means over the text, not the state of the last token
      'llama.pooling_type': 1,
    })
    expect(keys.get('llama.attention.layer_norm_rms_epsilon')).toBeCloseTo(1e-5, 10)
    expect(keys.get('general.architecture')).toBe('llama')
    expect(keys.get('general.file_type')).toBe(7)
    expect(keys.get('general.quantization_version')).toBe(2)
    expect(tensors.get('token_embd.weight')).toEqual({ dims: [128, 2048], type: 8 })
    expect(tensors.get('blk.5.ffn_down.weight')).toEqual({ dims: [384, 128], type: 8 })
    // tied: the output matrix is the embedding matrix
    expect(tensors.has('output.weight')).toBe(false)
    expect(tensors.size).toBe(6 * 9 + 2)
  })

  test('carries a tokenizer whose control tokens end a turn and whose tool marks stay visible', () => {
    const { keys } = readHeader(demo().bytes)
    const tokens = keys.get('tokenizer.ggml.tokens') as string[]
    const types = keys.get('tokenizer.ggml.token_type') as number[]
    expect(keys.get('tokenizer.ggml.model')).toBe('gpt2')
    expect(keys.get('tokenizer.ggml.pre')).toBe('qwen2')
    expect(tokens.slice(0, 5)).toEqual(['<|endoftext|>', '<|im_start|>', '<|im_end|>', '<tool_call>', '</tool_call>'])
    expect(types.slice(0, 6)).toEqual([3, 3, 3, 4, 4, 1])
    expect(new Set(tokens).size).toBe(2048)
    expect(keys.get('tokenizer.ggml.merges')).toHaveLength(2048 - 5 - 256)
    expect(keys.get('tokenizer.ggml.bos_token_id')).toBe(0)
    expect(keys.get('tokenizer.ggml.eos_token_id')).toBe(2)
    expect(keys.get('tokenizer.ggml.eot_token_id')).toBe(2)
    expect(keys.get('tokenizer.ggml.padding_token_id')).toBe(0)
    expect(keys.get('tokenizer.ggml.add_bos_token')).toBe(false)
    expect(keys.get('tokenizer.ggml.add_eos_token')).toBe(false)
  })

  test('carries the chat template that training used', () => {
    const { keys } = readHeader(demo().bytes)
    const template = readFileSync(new URL('../training/chat-template.jinja', import.meta.url), 'utf8')
    expect(keys.get('tokenizer.chat_template')).toBe(template.trim())
  })
})

describe('the embedding model', () => {
  test('is offered for embeddings and rerank, by cosine as it has no rank head', () => {
    const { model, bytes } = demo('demo-embed')
    expect(isAbsolute(model.file)).toBe(true)
    expect(model.usecases).toEqual(['embeddings', 'rerank'])
    expect(model.options).toEqual(['rerank:cosine'])
    expect(readHeader(bytes).keys.get('llama.context_length')).toBe(model.contextSize)
  })

  test('is a table of 8192 vectors behind a block without effect', () => {
    const { magic, version, keys, tensors } = readHeader(demo('demo-embed').bytes)
    expect([magic, version]).toEqual(['GGUF', 3])
    expect(Object.fromEntries([...keys].filter(([key]) => key.startsWith('llama.')))).toMatchObject({
      'llama.embedding_length': 256,
      'llama.block_count': 1,
      'llama.vocab_size': 8192,
      'llama.pooling_type': 1,
    })
    expect(keys.get('general.architecture')).toBe('llama')
    expect(keys.has('tokenizer.chat_template')).toBe(false)
    expect(keys.get('tokenizer.ggml.pre')).toBe('qwen2')
    expect(new Set(keys.get('tokenizer.ggml.tokens') as string[]).size).toBe(8192)
    expect(tensors.get('token_embd.weight')).toEqual({ dims: [256, 8192], type: 8 })
    expect(tensors.size).toBe(9 + 2)
  })
})

describe('the recogniser', () => {
  const { model } = demo('demo-ner')
  const folder = dirname(dirname(model.file))
  const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'))

  test('is a folder of at most 8 MB with weights of 8 bits', () => {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const names = files.map(({ name }) => name).sort()
    expect(names).toEqual(['config.json', 'model_int8.onnx', 'tokenizer.json', 'tokenizer_config.json'])
    const bytes = files.map(({ parentPath, name }) => statSync(join(parentPath, name)).size)
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(LARGEST_RECOGNISER_BYTES)
    expect(readFileSync(model.file).includes('DynamicQuantizeLinear')).toBe(true)
  })

  test('is offered as a classifier of tokens on the backend for encoders', () => {
    expect(model).toMatchObject({ backend: 'onnx', usecases: ['token_classify'], minScore: 0.4 })
    expect(read('config.json')).toMatchObject({
      max_position_embeddings: model.contextSize,
      id2label: { 0: 'O', 1: 'B-PER', 3: 'B-LOC', 5: 'B-ORG', 7: 'B-STREET_ADDRESS', 9: 'B-DATE' },
    })
  })
})
