import { closeSync, openSync, writeFileSync } from 'node:fs'
import { tempDir } from '@svc/test-kit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatGguf, type GgufValue, ggufBytes } from '../__fixtures__/gguf-bytes.ts'
import { type GgufResult, readGgufHeader } from './gguf-header.ts'

async function read(bytes: Uint8Array, maxHeaderBytes?: number): Promise<GgufResult> {
  await using dir = await tempDir()
  writeFileSync(dir.join('m.gguf'), bytes)
  const descriptor = openSync(dir.join('m.gguf'), 'r')
  try {
    return readGgufHeader(descriptor, bytes.length, { maxHeaderBytes })
  } finally {
    closeSync(descriptor)
  }
}

async function reason(bytes: Uint8Array, maxHeaderBytes?: number): Promise<string> {
  const result = await read(bytes, maxHeaderBytes)
  if (result.ok) throw new Error('was accepted')
  return result.reason
}

const LLAMA = { 'general.architecture': ['text', 'llama'] } as const

describe('a sound file', () => {
  it('tells what it holds', async () => {
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
    expect(await read(bytes)).toEqual({
      ok: true,
      summary: {
        architecture: 'qwen3',
        type: 'model',
        name: 'Größe',
        contextLength: 40960,
        fileType: 7,
        poolingType: 3,
        hasChatTemplate: true,
        tensorCount: 1,
        sizeBytes: bytes.length,
      },
    })
  })

  it('may be of version 2, without context length, name or template', async () => {
    expect(await read(ggufBytes({ version: 2 }))).toMatchObject({
      ok: true,
      summary: { architecture: 'llama', hasChatTemplate: false },
    })
  })

  it('may have tokens that fill several chunks', async () => {
    const tokens = Array.from({ length: 200_000 }, (_, index) => `token ${index}`)
    const bytes = ggufBytes({ values: { ...LLAMA, t: ['texts', tokens], 'llama.context_length': ['u32', 77] } })
    expect(await read(bytes)).toMatchObject({ ok: true, summary: { contextLength: 77 } })
  })

  it('may align its weights otherwise and have types that are not known', async () => {
    const tensors = [
      { name: 'a', shape: [32, 2], type: 8, offset: 0 },
      { name: 'b', shape: [7], type: 900, offset: 128 },
    ]
    const bytes = ggufBytes({ values: { ...LLAMA, 'general.alignment': ['u32', 64] }, tensors, data: 200 })
    expect(await read(bytes)).toMatchObject({ ok: true, summary: { tensorCount: 2 } })
  })
})

describe('a file that is refused', () => {
  it.each<[string, () => Uint8Array, RegExp]>([
    ['empty', () => new Uint8Array(), /too short/],
    ['short', () => Buffer.from('GGUF'), /too short/],
    ['something else', () => Buffer.alloc(100, 'x'), /is no GGUF file/],
    ['big-endian', () => Buffer.concat([Buffer.from('FUGG'), Buffer.alloc(50)]), /big-endian/],
    ['of version 1', () => ggufBytes({ version: 1 }), /version 1/],
    ['of a later version', () => ggufBytes({ version: 4 }), /version 4/],
    ['boasting of tensors', () => ggufBytes({ tensorCount: 1000 }), /more tensors/],
    ['boasting of values', () => ggufBytes({ valueCount: 1000 }), /more values/],
    ['boasting beyond 2^53', () => ggufBytes({ tensorCount: Number.MAX_SAFE_INTEGER }), /more tensors/],
    ['with one value more than it has', () => ggufBytes({ valueCount: 2, data: 0 }), /cut off|unknown type|cannot be/],
    ['without an architecture', () => ggufBytes({ values: { x: ['u32', 1] } }), /architecture/],
    [
      'with an empty architecture',
      () => ggufBytes({ values: { 'general.architecture': ['text', ''] } }),
      /architecture/,
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
      'with a row that is no whole block',
      () => ggufBytes({ tensors: [{ name: 'a', shape: [33], type: 8, offset: 0 }], data: 1000 }),
      /tensor that cannot be/,
    ],
    [
      'with a tensor of 9 dimensions',
      () => ggufBytes({ tensors: [{ name: 'a', shape: [1, 1, 1, 1, 1, 1, 1, 1, 1], type: 0, offset: 0 }] }),
      /too many dimensions/,
    ],
  ])('%s', async (_name, bytes, expected) => {
    expect(await reason(bytes())).toMatch(expected)
  })

  it('because its header is larger than a header may be', async () => {
    const bytes = ggufBytes({ values: { ...LLAMA, t: ['texts', Array.from({ length: 1000 }, () => 'x'.repeat(100))] } })
    expect(await reason(bytes, 50_000)).toBe('has a header of more than 50000 bytes')
    expect(await reason(ggufBytes({ values: { ...LLAMA, t: ['text', 'x'.repeat(60_000)] } }), 50_000)).toMatch(
      /more than 50000/,
    )
  })

  it('in front of and behind every byte of a sound one', async () => {
    await using dir = await tempDir()
    const whole = chatGguf()
    for (let length = 0; length < whole.length; length += 1) {
      writeFileSync(dir.join('m.gguf'), whole.subarray(0, length))
      const descriptor = openSync(dir.join('m.gguf'), 'r')
      expect(readGgufHeader(descriptor, length).ok).toBe(false)
      closeSync(descriptor)
    }
  })
})

describe('whatever a header says', () => {
  const text = fc.string({ maxLength: 8 })
  const value: fc.Arbitrary<GgufValue> = fc.oneof(
    fc.nat().map((each): GgufValue => ['u32', each]),
    text.map((each): GgufValue => ['text', each]),
    fc.array(text, { maxLength: 5 }).map((each): GgufValue => ['texts', each]),
  )

  it('reading it ends with an answer', async () => {
    await using dir = await tempDir()
    const changes = fc.array(fc.record({ at: fc.nat(400), byte: fc.nat(255) }), { maxLength: 8 })
    fc.assert(
      fc.property(fc.dictionary(text, value, { maxKeys: 5 }), changes, (values, edits) => {
        const bytes = ggufBytes({ values: { ...LLAMA, ...values } })
        for (const { at, byte } of edits) if (at < bytes.length) bytes[at] = byte
        writeFileSync(dir.join('m.gguf'), bytes)
        const descriptor = openSync(dir.join('m.gguf'), 'r')
        const result = readGgufHeader(descriptor, bytes.length)
        closeSync(descriptor)
        if (edits.length === 0) expect(result.ok || result.reason).toBe(true)
        else if (!result.ok) expect(result.reason).not.toBe('')
      }),
      { numRuns: 1000 },
    )
  })
})
