import fc from 'fast-check'
import { expect, it } from 'vitest'
import { EmbeddingResult, PredictOptions, Reply, TokenizationResponse } from '../gen/backend.ts'
import { encodeMessage, type MessageType, type PartialMessage } from '../method.ts'
import { decodeEmbeddingResult } from './embedding-result.ts'
import { FRAME_HEAD_BYTES, frameMessage } from './message-writer.ts'
import { writePredictOptions } from './predict-options.ts'
import { decodeReply } from './reply.ts'
import { decodeTokenizationResponse } from './tokenization-response.ts'

const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })
const float = fc.float({ noNaN: true })
/** The generated code drops a byte order mark at the start of a text, ours keeps it. */
const text = fc.string({ unit: 'binary', maxLength: 300 }).filter((value) => !value.startsWith('\uFEFF'))
/** The generated code loses the key `__proto__` of a map, ours keeps it. */
const key = text.filter((value) => value !== '__proto__')
const bytes = fc.uint8Array({ maxLength: 300 }).map((value) => Buffer.from(value))

/** Values for a field, from the one its type has by default. */
function valuesLike(name: string, example: unknown): fc.Arbitrary<unknown> {
  if (name === 'Messages') {
    const part = fc.option(text, { nil: undefined })
    const message = fc.record({ role: part, content: part, name: part, toolCallId: part, reasoningContent: part })
    return fc.array(message, { maxLength: 4 })
  }
  if (name === 'Metadata') return fc.dictionary(key, text, { maxKeys: 4 })
  if (name === 'EmbeddingTokens') return fc.array(int32)
  if (Array.isArray(example)) return fc.array(text, { maxLength: 4 })
  if (typeof example === 'boolean') return fc.boolean()
  if (typeof example === 'string') return text
  return FLOATS.has(name) ? float : int32
}

const FLOATS = new Set(
  `Temperature Penalty TailFreeSamplingZ TypicalP FrequencyPenalty PresencePenalty MirostatETA MirostatTAU TopP RopeFreqBase
   RopeFreqScale NegativePromptScale MinP`.split(/\s+/),
)

const predictOptions = fc.record(
  Object.fromEntries(
    Object.entries(PredictOptions.fromPartial({})).map(([name, example]) => [
      name,
      fc.option(valuesLike(name, example), { nil: undefined }),
    ]),
  ),
  { requiredKeys: [] },
) as fc.Arbitrary<PartialMessage<PredictOptions>>

/** A method takes the type with `undefined`, as its callers give it. */
function encodeGenerated(request: PartialMessage<PredictOptions>): Buffer {
  const type: MessageType<PredictOptions> = PredictOptions
  return encodeMessage(type, type.fromPartial(request))
}

it('writes the bytes of the generated code for any request, with their head in front', () => {
  fc.assert(
    fc.property(predictOptions, (request) => {
      const expected = encodeGenerated(request)
      const frame = frameMessage(writePredictOptions, request)
      expect(frame.subarray(FRAME_HEAD_BYTES).equals(expected)).toBe(true)
      expect([frame[0], frame.readUInt32BE(1)]).toEqual([0, expected.length])
    }),
  )
})

it('writes each field by itself', () => {
  for (const [name, example] of Object.entries(PredictOptions.fromPartial({}))) {
    const [value] = fc.sample(
      valuesLike(name, example).filter((one) => encodeGenerated({ [name]: one }).length > 0),
      { numRuns: 1, seed: 7 },
    )
    const request = { [name]: value } as PartialMessage<PredictOptions>
    const expected = encodeGenerated(request)
    expect(expected.length, name).toBeGreaterThan(0)
    expect(frameMessage(writePredictOptions, request).subarray(FRAME_HEAD_BYTES).equals(expected), name).toBe(true)
  }
})

it('writes each key of a map, also one that an object has by nature', () => {
  for (const name of ['constructor', '__proto__', 'toString']) {
    const request = { Metadata: JSON.parse(`{"${name}":"a"}`) as Record<string, string> }
    const written = frameMessage(writePredictOptions, request).subarray(FRAME_HEAD_BYTES)
    const entry = Buffer.concat([Buffer.of(10, name.length), Buffer.from(name), Buffer.from([18, 1]), Buffer.from('a')])
    expect(written.subarray(-entry.length).equals(entry), name).toBe(true)
  }
})

it('writes texts and messages of every length', () => {
  for (const length of [0, 1, 31, 32, 33, 63, 64, 126, 127, 128, 5461, 5462, 16_383, 16_384, 700_000, 2_097_152]) {
    for (const letter of ['a', 'ü', '€', '\ud800']) {
      const content = letter.repeat(length)
      const request = { Prompt: content, Messages: [{ role: 'user', content }] }
      const written = frameMessage(writePredictOptions, request).subarray(FRAME_HEAD_BYTES)
      expect(written.equals(encodeGenerated(request)), `${length} times ${letter}`).toBe(true)
    }
  }
})

it('gives each message a buffer of its own', () => {
  const first = frameMessage(writePredictOptions, { Prompt: 'first' })
  frameMessage(writePredictOptions, { Prompt: 'second' })
  expect(first.toString('latin1', 7)).toBe('first')
})

it('writes nothing for what is not set', () => {
  const empty = PredictOptions.fromPartial({})
  expect(frameMessage(writePredictOptions, empty)).toEqual(Buffer.alloc(FRAME_HEAD_BYTES))
})

it.each([{ Seed: 2 ** 40 }, { Seed: 0.5 }, { TopP: 1e39 }, { EmbeddingTokens: [2 ** 31] }])(
  'refuses %o, which its field cannot hold',
  (request) => {
    expect(() => frameMessage(writePredictOptions, request)).toThrow(/invalid/)
  },
)

const reply: fc.Arbitrary<Reply> = fc.record({
  message: bytes,
  tokens: int32,
  promptTokens: int32,
  timingPromptProcessing: fc.double(),
  timingTokenGeneration: fc.double(),
  audio: bytes,
  logprobs: bytes,
  chatDeltas: fc.array(
    fc.record({
      content: text,
      reasoningContent: text,
      toolCalls: fc.array(fc.record({ index: int32, id: text, name: text, arguments: text }), { maxLength: 3 }),
    }),
    { maxLength: 3 },
  ),
})
const embeddingResult: fc.Arbitrary<EmbeddingResult> = fc.record({
  embeddings: fc.array(fc.float()),
  tokens: int32,
  dim: int32,
  promptTokens: int32,
  layout: fc.constantFrom(0 as const, 1 as const, 2 as const),
})
const tokenizationResponse: fc.Arbitrary<TokenizationResponse> = fc.record({ length: int32, tokens: fc.array(int32) })

function expectSame<T>(type: MessageType<T>, decode: (bytes: Buffer) => T, values: fc.Arbitrary<T>): void {
  fc.assert(
    fc.property(values, (value) => {
      const encoded = encodeMessage(type, value)
      expect(decode(encoded)).toEqual(type.decode(encoded))
    }),
  )
}

it('reads what the generated code reads', () => {
  expectSame(Reply, decodeReply, reply)
  expectSame(EmbeddingResult, decodeEmbeddingResult, embeddingResult)
  expectSame(TokenizationResponse, decodeTokenizationResponse, tokenizationResponse)
})

it('gives the bytes of a reply without a copy', () => {
  const encoded = encodeMessage(Reply, Reply.fromPartial({ message: Buffer.from('hello') }))
  expect(decodeReply(encoded).message.buffer).toBe(encoded.buffer)
})

it('keeps a byte order mark', () => {
  const encoded = encodeMessage(Reply, Reply.fromPartial({ chatDeltas: [{ content: '\uFEFFa' }] }))
  expect(decodeReply(encoded).chatDeltas[0]?.content).toBe('\uFEFFa')
})

it('reads numbers that are not packed', () => {
  expect(decodeTokenizationResponse(Buffer.of(0x10, 7, 0x10, 8)).tokens).toEqual([7, 8])
  expect(decodeEmbeddingResult(Buffer.of(0x0d, 0, 0, 0x80, 0x3f)).embeddings).toEqual([1])
})

it('reads past fields of a later release, groups among them', () => {
  const known = encodeMessage(Reply, Reply.fromPartial({ tokens: 5 }))
  const number = Buffer.of(0xa0, 0x06, 0x96, 0x01)
  const fixed = Buffer.of(0xa1, 0x06, 1, 2, 3, 4, 5, 6, 7, 8, 0xa5, 0x06, 1, 2, 3, 4)
  const text = Buffer.of(0xa2, 0x06, 3, 0x61, 0x62, 0x63)
  const group = Buffer.concat([Buffer.of(0xa3, 0x06), number, Buffer.of(0xab, 0x06, 0xac, 0x06), Buffer.of(0xa4, 0x06)])
  expect(decodeReply(Buffer.concat([number, fixed, group, known, text])).tokens).toBe(5)
})

it('reads past such fields inside of its parts, and in every message', () => {
  const later = Buffer.of(0xa0, 0x06, 0x96, 0x01, 0xa2, 0x06, 1, 0x0a)
  const within = (tag: number, content: Buffer) => Buffer.concat([Buffer.of(tag, content.length), content])
  const call = Buffer.concat([later, Buffer.of(8, 3, 18, 1, 0x69), later, Buffer.of(26, 1, 0x6e, 34, 1, 0x61), later])
  const delta = Buffer.concat([later, Buffer.of(10, 1, 0x63), later, within(26, call), Buffer.of(18, 1, 0x72), later])
  expect(decodeReply(Buffer.concat([later, within(66, delta), later])).chatDeltas).toEqual([
    { content: 'c', reasoningContent: 'r', toolCalls: [{ index: 3, id: 'i', name: 'n', arguments: 'a' }] },
  ])
  const result = encodeMessage(EmbeddingResult, EmbeddingResult.fromPartial({ tokens: 7, embeddings: [1], dim: 1 }))
  expect(decodeEmbeddingResult(Buffer.concat([later, result, later]))).toMatchObject({ tokens: 7, dim: 1 })
  expect(decodeTokenizationResponse(Buffer.concat([later, Buffer.of(0x08, 2, 0x10, 7), later]))).toEqual({
    length: 2,
    tokens: [7],
  })
})

it.each([
  ['a length past the end', [0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f, 0]],
  ['a text past the end', [0x0a, 5, 1]],
  ['a number past the end', [0x10, 0x80]],
  ['a number of eleven bytes', [0x10, ...new Array<number>(10).fill(0x80), 1]],
  ['a double past the end', [0x21, 1, 2]],
  ['a field past the end of its message', [0x42, 2, 0x0a, 5, 1, 2, 3, 4, 5]],
  ['field number 0', [0x02, 1, 0]],
  ['a wire type that is none', [0x0e]],
  ['a group without an end', [0xa3, 0x06]],
  ['the end of no group', [0xa4, 0x06]],
])('refuses %s', (_name, encoded) => {
  expect(() => decodeReply(Buffer.from(encoded))).toThrow()
})

it('refuses packed floats that end inside one', () => {
  expect(() => decodeEmbeddingResult(Buffer.of(0x0a, 3, 0, 0, 0))).toThrow('packed floats end inside a number')
})

it('never reads beyond random bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (random) => {
      for (const decode of [decodeReply, decodeEmbeddingResult, decodeTokenizationResponse]) {
        try {
          decode(Buffer.from(random))
        } catch (error) {
          expect(error).toBeInstanceOf(Error)
          expect(error).not.toBeInstanceOf(RangeError)
        }
      }
    }),
    { numRuns: 2000 },
  )
})
