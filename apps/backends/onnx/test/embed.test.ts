import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { EmbeddingLayout, RerankSupport } from '@svc/backend-client/proto'
import {
  TINY_EMBEDDING_SIZE,
  type TinyTokenizerKind,
  writeTinyEmbedder,
  writeTinyNer,
  writeTinyRanker,
} from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBackend, type TestBackend } from './backend.ts'

let backend: TestBackend
beforeAll(async () => {
  backend = await startBackend()
  await writeTinyEmbedder(join(backend.models, 'vectors'), { maxTokens: 16 })
  await writeTinyRanker(join(backend.models, 'pairs'), { maxTokens: 24 })
  await writeTinyNer(join(backend.models, 'ner'))
})
afterAll(() => backend[Symbol.asyncDispose]())

async function load(folder: string, options: readonly string[] = [], fields: object = {}): Promise<void> {
  await backend.load({ Model: folder, ModelFile: join(backend.models, folder), Options: [...options], ...fields })
}

async function embed(Embeddings: string): Promise<number[]> {
  return (await backend.client.embedding({ Embeddings })).embeddings
}

describe('vectors of texts', () => {
  it('have length 1 and the shape that is told, and count the tokens around the text', async () => {
    await load('vectors')
    const reply = await backend.client.embedding({ Embeddings: 'hello world', ModelIdentity: 'vectors' })
    expect(reply).toMatchObject({
      tokens: 1,
      dim: TINY_EMBEDDING_SIZE,
      promptTokens: 4,
      layout: EmbeddingLayout.EMBEDDING_LAYOUT_FINAL,
    })
    expect(Math.hypot(...reply.embeddings)).toBeCloseTo(1, 5)
  })

  it('of tokens are those of their text', async () => {
    await load('vectors')
    const { tokens } = await backend.client.tokenizeString({ Prompt: 'red apple' })
    const { embeddings } = await backend.client.embedding({ EmbeddingTokens: tokens })
    expect(embeddings).toEqual(await embed('red apple'))
    await expect(backend.client.embedding({ EmbeddingTokens: [99_999] })).rejects.toMatchObject({
      kind: 'invalid_request',
      message: expect.stringContaining('99999'),
    })
  })

  it('are pooled as the option says, else as the folder says', async () => {
    const table: number[][] = []
    await load('vectors', ['pooling:none', 'embd_normalize:-1'])
    const each = await backend.client.embedding({ Embeddings: 'red apple' })
    expect(each).toMatchObject({ tokens: 4, layout: EmbeddingLayout.EMBEDDING_LAYOUT_PER_TOKEN })
    for (let token = 0; token < 4; token++) {
      table.push(each.embeddings.slice(token * TINY_EMBEDDING_SIZE, (token + 1) * TINY_EMBEDDING_SIZE))
    }
    const column = (join_: (values: number[]) => number): number[] =>
      Array.from({ length: TINY_EMBEDDING_SIZE }, (_, index) => join_(table.map((row) => row[index] ?? 0)))
    const expected = {
      mean: column((values) => values.reduce((a, b) => a + b, 0) / 4),
      max: column((values) => Math.max(...values)),
      cls: table[0] ?? [],
      last: table[3] ?? [],
    }
    for (const [pooling, vector] of Object.entries(expected)) {
      await load('vectors', [`pooling:${pooling}`, 'embd_normalize:-1'])
      expect(await embed('red apple'), pooling).toEqual(vector.map((value) => expect.closeTo(value, 6)))
    }
    await load('vectors', ['embd_normalize:-1'])
    expect(await embed('red apple')).toEqual(expected.mean.map((value) => expect.closeTo(value, 6)))
    await writeFile(join(backend.models, 'vectors', '1_Pooling', 'config.json'), '{"pooling_mode_cls_token":true}')
    await load('ner')
    await load('vectors', ['embd_normalize:-1'])
    expect(await embed('red apple')).toEqual(expected.cls)
    await writeFile(join(backend.models, 'vectors', '1_Pooling', 'config.json'), '{"pooling_mode_mean_tokens":true}')
  })

  it('are scaled as the option says', async () => {
    await load('vectors', ['embd_normalize:0'])
    expect(Math.max(...(await embed('red apple')).map(Math.abs))).toBeCloseTo(32_760, 0)
    await load('vectors', ['embd_normalize:1'])
    expect((await embed('red apple')).reduce((sum, value) => sum + Math.abs(value), 0)).toBeCloseTo(1, 5)
  })

  it('of texts that are too long are not made, unless the model is loaded to cut them or the host says so', async () => {
    const text = 'hello '.repeat(30)
    await load('vectors')
    await expect(embed(text)).rejects.toMatchObject({
      kind: 'invalid_request',
      message: 'the text has 32 tokens, this model embeds up to 16',
    })
    const asked = await backend.client.embedding({ Embeddings: text, Metadata: { truncate: 'true' } })
    expect(asked).toMatchObject({ promptTokens: 16, embeddings: await embed('hello '.repeat(14)) })
    await load('vectors', ['truncate:true'])
    expect(await embed(text)).toEqual(await embed('hello '.repeat(14)))
    await load('vectors', ['max_length:8'])
    await expect(embed('hello '.repeat(7))).rejects.toThrow('embeds up to 8')
  })

  it('of empty texts are refused', async () => {
    await load('vectors')
    await expect(embed('')).rejects.toMatchObject({ kind: 'invalid_request' })
  })
})

describe('tokens', () => {
  it.each<[TinyTokenizerKind, string]>([
    ['word-piece', 'hello world'],
    ['bytes', 'hello José 👩‍👩‍👧\r\n'],
    ['unigram', 'hello world'],
  ])('of %s become their text again', async (tokenizer, text) => {
    await writeTinyEmbedder(join(backend.models, tokenizer), { tokenizer })
    await load(tokenizer)
    const { tokens, length } = await backend.client.tokenizeString({ Prompt: text })
    expect(tokens).toHaveLength(length)
    expect((await backend.client.detokenize({ tokens })).content.trimStart()).toBe(text)
  })

  it('that the vocabulary does not have are refused', async () => {
    await load('vectors')
    await expect(backend.client.detokenize({ tokens: [-1] })).rejects.toMatchObject({ kind: 'invalid_request' })
    expect((await backend.client.detokenize({ tokens: [] })).content).toBe('')
  })
})

describe('documents by a query', () => {
  const query = 'a red apple'
  const documents = ['the blue river', 'red apple', 'stone and bread', 'the apple', 'red apple']

  it.each([
    ['a head', 'pairs', [], 0],
    ['vectors', 'vectors', ['rerank:cosine'], -1],
  ] as const)('are ranked by %s, best first, ties in their order', async (_, folder, options, least) => {
    await load(folder, options)
    const { results, usage } = await backend.client.rerank({ query, documents })
    expect(results.map(({ index }) => index).slice(0, 3)).toEqual([1, 4, 3])
    const scores = results.map(({ relevanceScore }) => relevanceScore)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    for (const score of scores) expect(score >= least && score <= 1).toBe(true)
    for (const { index, text } of results) expect(text).toBe(documents[index])
    expect(usage).toMatchObject({ totalTokens: usage?.promptTokens })
    expect(usage?.promptTokens).toBeGreaterThan(20)
    const first = await backend.client.rerank({ query, documents, topN: 2 })
    expect(first.results).toEqual(results.slice(0, 2))
    expect((await backend.client.rerank({ query, documents: [] })).results).toEqual([])
  })

  it('have the scores they have alone, however many there are', async () => {
    await load('pairs', ['batch_tokens:1'])
    const one = await backend.client.rerank({ query, documents })
    await load('pairs')
    const all = await backend.client.rerank({ query, documents })
    expect(all.results.map(({ index }) => index)).toEqual(one.results.map(({ index }) => index))
    for (const [place, { relevanceScore }] of all.results.entries()) {
      expect(relevanceScore).toBeCloseTo(one.results[place]?.relevanceScore ?? -1, 5)
    }
  })

  it('that do not fit are refused by place, unless the model is loaded to cut them', async () => {
    const long = ['red', 'apple '.repeat(30)]
    await load('pairs')
    await expect(backend.client.rerank({ query, documents: long })).rejects.toMatchObject({
      kind: 'invalid_request',
      message: 'query and document have 36 tokens, this model reads up to 24',
    })
    await load('pairs', ['truncate:true'])
    expect((await backend.client.rerank({ query, documents: long })).results[0]?.index).toBe(1)
    await expect(backend.client.rerank({ query: 'red '.repeat(30), documents: ['a'] })).rejects.toThrow('up to 24')
  })

  it('cannot be ranked by unfit models, with a hint in the error', async () => {
    await load('vectors')
    await expect(backend.client.rerank({ query, documents })).rejects.toMatchObject({
      kind: 'not_implemented',
      message: expect.stringContaining('rerank:cosine'),
    })
    await load('pairs')
    await expect(embed('a')).rejects.toMatchObject({ kind: 'not_implemented' })
    await expect(backend.client.tokenClassify({ text: 'a' })).rejects.toMatchObject({ kind: 'not_implemented' })
    await expect(backend.client.predict({ Prompt: 'a' })).rejects.toMatchObject({ kind: 'not_implemented' })
  })
})

describe('capabilities', () => {
  it.each([
    ['vectors', [], { embeddings: true, embeddingDimension: 32, contextSize: 16 }],
    ['vectors', ['rerank:cosine'], { embeddings: true, rerank: RerankSupport.RERANK_SUPPORT_COSINE }],
    ['pairs', [], { embeddings: false, rerank: RerankSupport.RERANK_SUPPORT_HEAD, contextSize: 24 }],
    ['ner', [], { tokenClassification: true, embeddings: false, rerank: RerankSupport.RERANK_SUPPORT_NONE }],
  ] as const)('of %s with %j', async (folder, options, expected) => {
    await load(folder, options)
    const reply = await backend.client.extensions.capabilities({ modelIdentity: folder })
    expect(reply).toMatchObject({ backend: 'onnx', scoring: false, decisions: false, grammar: false, ...expected })
    expect(reply.rpcs).toEqual(
      expect.arrayContaining(['Health', 'TokenClassify', 'Embedding', 'Rerank', 'Status', 'Free']),
    )
    await expect(backend.client.extensions.capabilities({ modelIdentity: 'other' })).rejects.toThrow(
      'identity mismatch',
    )
  })
})
