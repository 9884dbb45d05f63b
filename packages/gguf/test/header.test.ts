import { GgufError, type GgufHeader, readGgufHeader } from '@svc/gguf'
import { chatGguf, type GgufEntry, ggufBytes } from '@svc/test-kit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

function read(bytes: Uint8Array, maxHeaderBytes?: number): GgufHeader {
  const source = {
    sizeBytes: bytes.length,
    read: (position: number, length: number) => bytes.subarray(position, position + length),
  }
  return readGgufHeader(source, { maxHeaderBytes })
}

const LLAMA = { 'general.architecture': ['text', 'llama'] } as const

describe('a sound file', () => {
  it('gives its keys, lengths and the place of the data', () => {
    const bytes = ggufBytes({
      values: {
        'general.architecture': ['text', 'qwen3'],
        'general.type': ['text', 'model'],
        'general.name': ['text', 'Größe'],
        'general.file_type': ['u32', 7],
        'qwen3.context_length': ['u64', 40960],
        'qwen3.pooling_type': ['u32', 3],
        'qwen3.rope.freq_base': ['f32', 1e6],
        'tokenizer.ggml.add_bos_token': ['bool', false],
        'tokenizer.ggml.token_type': ['numbers', [1, 2, 3]],
        'tokenizer.ggml.tokens': ['texts', ['a', '', 'ccc']],
        'tokenizer.chat_template': ['text', 'x'.repeat(100_000)],
      },
    })
    const { keys, arrayLengths, ...rest } = read(bytes)
    expect(Object.fromEntries(keys)).toEqual({
      'general.architecture': 'qwen3',
      'general.type': 'model',
      'general.name': 'Größe',
      'general.file_type': 7,
      'qwen3.context_length': 40960,
      'qwen3.pooling_type': 3,
      'qwen3.rope.freq_base': 1e6,
      'tokenizer.ggml.add_bos_token': false,
      'tokenizer.chat_template': 'x'.repeat(100_000),
    })
    expect(Object.fromEntries(arrayLengths)).toEqual({ 'tokenizer.ggml.token_type': 3, 'tokenizer.ggml.tokens': 3 })
    expect(rest).toEqual({ version: 3, tensorCount: 1, dataOffset: bytes.length - 32 })
  })

  it('may be of version 2, without context length, name or template', () => {
    expect(read(ggufBytes({ version: 2 })).keys).toEqual(new Map([['general.architecture', 'llama']]))
  })

  it('may have tokens that fill several chunks', () => {
    const tokens = Array.from({ length: 200_000 }, (_, index) => `token ${index}`)
    const bytes = ggufBytes({ values: { ...LLAMA, t: ['texts', tokens], 'llama.context_length': ['u32', 77] } })
    expect(read(bytes).keys.get('llama.context_length')).toBe(77)
  })

  it('may align its weights otherwise and have types that are not known', () => {
    const tensors = [
      { name: 'a', shape: [32, 2], type: 8, offset: 0 },
      { name: 'b', shape: [7], type: 900, offset: 128 },
    ]
    const bytes = ggufBytes({ values: { ...LLAMA, 'general.alignment': ['u32', 64] }, tensors, data: 200 })
    expect(read(bytes).tensorCount).toBe(2)
  })
})

describe('a file that is refused', () => {
  it.each<[string, () => Uint8Array, RegExp]>([
    ['empty', () => new Uint8Array(), /too short/],
    ['short', () => Buffer.from('GGUF'), /too short/],
    ['something else', () => Buffer.alloc(100, 'x'), /is not a GGUF file/],
    ['big-endian', () => Buffer.concat([Buffer.from('FUGG'), Buffer.alloc(50)]), /big-endian/],
    ['of version 1', () => ggufBytes({ version: 1 }), /version 1/],
    ['of a later version', () => ggufBytes({ version: 4 }), /version 4/],
    ['boasting of tensors', () => ggufBytes({ tensorCount: 1000 }), /more tensors/],
    ['boasting of values', () => ggufBytes({ valueCount: 1000 }), /more values/],
    ['boasting beyond 2^53', () => ggufBytes({ tensorCount: Number.MAX_SAFE_INTEGER }), /more tensors/],
    [
      'with one value more than it has',
      () => ggufBytes({ valueCount: 2, data: 0 }),
      /cut off|unknown type|cannot be|too long/,
    ],
    ['aligned to 3', () => ggufBytes({ values: { ...LLAMA, 'general.alignment': ['u32', 3] } }), /alignment/],
    ['aligned to 0', () => ggufBytes({ values: { ...LLAMA, 'general.alignment': ['u32', 0] } }), /alignment/],
    ['cut off in its weights', () => chatGguf().subarray(0, -1), /cut off: its weights/],
    ['cut off in its header', () => chatGguf().subarray(0, 120), /cut off/],
    [
      'with a tensor past its end',
      () => ggufBytes({ tensors: [{ name: 'a', shape: [4], type: 0, offset: 1 << 20 }] }),
      /cut off: its weights/,
    ],
    [
      'with a tensor larger than anything',
      () => ggufBytes({ tensors: [{ name: 'a', shape: [2 ** 40, 2 ** 40], type: 0, offset: 0 }] }),
      /tensor that cannot be: "a"/,
    ],
    [
      'with a tensor between places',
      () => ggufBytes({ tensors: [{ name: 'a', shape: [4], type: 0, offset: 5 }] }),
      /tensor that cannot be/,
    ],
    [
      'with a row that is not a whole block',
      () => ggufBytes({ tensors: [{ name: 'a', shape: [33], type: 8, offset: 0 }], data: 1000 }),
      /tensor that cannot be/,
    ],
    [
      'with a tensor of 9 dimensions',
      () => ggufBytes({ tensors: [{ name: 'a', shape: [1, 1, 1, 1, 1, 1, 1, 1, 1], type: 0, offset: 0 }] }),
      /too many dimensions/,
    ],
  ])('%s', (_name, bytes, expected) => {
    expect(() => read(bytes())).toThrow(expected)
    expect(() => read(bytes())).toThrow(GgufError)
  })

  it('because its header is larger than a header may be', () => {
    const bytes = ggufBytes({ values: { ...LLAMA, t: ['texts', Array.from({ length: 1000 }, () => 'x'.repeat(100))] } })
    expect(() => read(bytes, 50_000)).toThrow('has a header of more than 50000 bytes')
    const text = ggufBytes({ values: { ...LLAMA, t: ['text', 'x'.repeat(60_000)] } })
    expect(() => read(text, 50_000)).toThrow(/more than 50000/)
  })

  it('wherever it is cut', () => {
    const whole = chatGguf()
    for (let length = 0; length < whole.length; length += 1) {
      expect(() => read(whole.subarray(0, length))).toThrow(GgufError)
    }
  })
})

describe('for any bytes of a header', () => {
  const text = fc.string({ maxLength: 8 })
  const value: fc.Arbitrary<GgufEntry> = fc.oneof(
    fc.nat().map((each): GgufEntry => ['u32', each]),
    text.map((each): GgufEntry => ['text', each]),
    fc.array(text, { maxLength: 5 }).map((each): GgufEntry => ['texts', each]),
  )

  it('reading it ends with a header or a GgufError', () => {
    const changes = fc.array(fc.record({ at: fc.nat(400), byte: fc.nat(255) }), { maxLength: 8 })
    fc.assert(
      fc.property(fc.dictionary(text, value, { maxKeys: 5 }), changes, (values, edits) => {
        const bytes = ggufBytes({ values: { ...LLAMA, ...values } })
        for (const { at, byte } of edits) if (at < bytes.length) bytes[at] = byte
        try {
          expect(read(bytes).tensorCount).toBeGreaterThanOrEqual(0)
        } catch (error) {
          if (edits.length === 0 || !(error instanceof GgufError)) throw error
          expect(error.message).not.toBe('')
        }
      }),
      { numRuns: 1000 },
    )
  })
})
