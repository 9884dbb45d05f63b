import { GgufError, type GgufHeader, readGgufHeader } from '@svc/gguf'
import { type GgufTensor, type GgufValue, writeGguf } from '@svc/test-kit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const KEYS: readonly [string, GgufValue][] = [
  ['general.architecture', { type: 'text', value: 'llama' }],
  ['llama.context_length', { type: 'u32', value: 2048 }],
  ['tokenizer.ggml.tokens', { type: 'texts', value: ['a', 'b', 'ü'] }],
  ['tokenizer.ggml.token_type', { type: 'i32s', value: [1, 1, 1] }],
  ['tokenizer.ggml.add_bos_token', { type: 'bool', value: true }],
]
const TENSORS: readonly GgufTensor[] = [
  { name: 'a.weight', dimensions: [4, 2], data: new Float32Array(8) },
  { name: 'b.weight', dimensions: [3], data: new Float32Array(3) },
]

function write(change: Partial<{ keys: readonly [string, GgufValue][]; tensors: readonly GgufTensor[] }> = {}): Buffer {
  const { keys = KEYS, tensors = TENSORS } = change
  return writeGguf({ keys: new Map(keys), tensors })
}

function read(bytes: Buffer): GgufHeader {
  const source = {
    sizeBytes: bytes.length,
    read: (position: number, length: number) => bytes.subarray(position, position + length),
  }
  return readGgufHeader(source, { strict: true })
}

/** Copies a file and replaces its n-th 8-byte number of that value. */
function patch(bytes: Buffer, from: number, to: bigint): Buffer {
  const patched = Buffer.from(bytes)
  const needle = Buffer.alloc(8)
  needle.writeBigUInt64LE(BigInt(from))
  const place = patched.indexOf(needle, 8)
  if (place < 0) throw new Error(`no ${from} in the file`)
  patched.writeBigUInt64LE(to, place)
  return patched
}

describe('a sound header', () => {
  it('gives its keys, lengths and the place of the data', () => {
    const header = read(write())
    expect(header).toMatchObject({ version: 3, tensorCount: 2 })
    expect(Object.fromEntries(header.keys)).toEqual({
      'general.architecture': 'llama',
      'llama.context_length': 2048,
      'tokenizer.ggml.add_bos_token': true,
    })
    expect(Object.fromEntries(header.arrayLengths)).toEqual({
      'tokenizer.ggml.tokens': 3,
      'tokenizer.ggml.token_type': 3,
    })
    expect(header.dataOffset % 32).toBe(0)
  })

  it('may have no tensors and no data', () => {
    expect(read(write({ tensors: [] })).tensorCount).toBe(0)
  })
})

describe('a header is refused', () => {
  const tensor = (change: Partial<GgufTensor>): Buffer =>
    write({ tensors: [{ name: 'a', dimensions: [8], data: new Float32Array(8), ...change }] })
  const key = (name: string, value: GgufValue): Buffer => write({ keys: [...KEYS, [name, value]] })
  const good = write()

  it.each<[string, Buffer, RegExp]>([
    ['of no bytes', Buffer.alloc(0), /too short/],
    ['of something else', Buffer.alloc(64, 'x'), /is not a GGUF file/],
    ['of version 1', Buffer.from(good).fill(1, 4, 5), /version 16843009|version 1/],
    ['of version 4', Buffer.from(good).fill(4, 4, 5), /GGUF version/],
    ['with too many tensors', patch(good, 2, 1n << 40n), /more tensors/],
    ['with more tensors than bytes', patch(good, 2, 100_000n), /more tensors/],
    ['with too many keys', patch(good, 5, 1n << 40n), /more values/],
    ['with more keys than bytes', patch(good, 5, 60_000n), /more values/],
    ['with a number beyond all files', patch(good, 5, 1n << 63n), /cannot be/],
    ['with a key twice', patchText(good, 'general.architecture', 'llama.context_length'), /a key twice/],
    ['with a text longer than the file', patch(good, 20, 1_000_000n), /too long|cut off/],
    ['with more tokens than bytes', patch(good, 3, 1n << 30n), /cut off/],
    ['with a token twice', key('x', { type: 'bool', value: true }).fill('a', ...findPlace(good, 'b')), /twice/],
    ['with scores for other tokens', key('tokenizer.ggml.scores', { type: 'f32s', value: [1] }), /different lengths/],
    ['with an alignment of 0', key('general.alignment', { type: 'u32', value: 0 }), /not a power of two/],
    ['with an alignment of 48', key('general.alignment', { type: 'u32', value: 48 }), /not a power of two/],
    ['with an alignment that is text', key('general.alignment', { type: 'text', value: '32' }), /not a power of two/],
    ['with a tensor of five dimensions', tensor({ dimensions: [2, 2, 2, 1, 1] }), /dimensions/],
    ['with a tensor without dimensions', tensor({ dimensions: [] }), /dimensions/],
    ['with a tensor without values', tensor({ dimensions: [0] }), /tensor that cannot be/],
    ['with a tensor of endless size', tensor({ dimensions: [2 ** 40, 2 ** 40] }), /tensor that cannot be/],
    ['with a tensor past the end', tensor({ dimensions: [1024] }), /cut off: its weights/],
    ['with a tensor name that is too long', tensor({ name: 'n'.repeat(64) }), /too long/],
    ['with a tensor twice', write({ tensors: [...TENSORS, ...TENSORS] }), /a tensor twice/],
    ['cut after the tensors', good.subarray(0, good.length - 64), /cut off/],
  ])('%s', (_, bytes, message) => {
    expect(() => read(bytes)).toThrow(message)
    expect(() => read(bytes)).toThrow(GgufError)
  })

  it('wherever it is cut', () => {
    const { dataOffset } = read(good)
    for (let length = 0; length < dataOffset; length++) {
      expect(() => read(good.subarray(0, length))).toThrow(GgufError)
    }
  })

  it('with a GgufError for any damage', () => {
    const { dataOffset } = read(good)
    const edit = fc.record({
      at: fc.nat(dataOffset - 1),
      byte: fc.oneof(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), fc.nat(255)),
    })
    let refused = 0
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
        const mutated = Buffer.from(good)
        for (const { at, byte } of edits) mutated[at] = byte
        try {
          read(mutated)
        } catch (error) {
          refused += 1
          if (!(error instanceof GgufError)) throw error
        }
      }),
      { numRuns: 10_000 },
    )
    expect(refused).toBeGreaterThan(5000)
  })
})

function patchText(bytes: Buffer, from: string, to: string): Buffer {
  const patched = Buffer.from(bytes)
  patched.write(to, patched.indexOf(from))
  return patched
}

/** Position of the token `b`: after the length of its text. */
function findPlace(bytes: Buffer, token: string): [number, number] {
  const place = bytes.indexOf(Buffer.concat([Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]), Buffer.from(token)])) + 8
  return [place, place + 1]
}
