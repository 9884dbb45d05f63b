import type { PartialMessage, RerankRequest, RerankResult } from '@svc/backend-client/proto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBackend, type TestBackend } from './backend.ts'

const COSINE = 3
const HEAD = 2
let backend: TestBackend

beforeAll(async () => {
  backend = await startBackend()
})

afterAll(async () => {
  await backend[Symbol.asyncDispose]()
})

async function rerank(request: PartialMessage<RerankRequest>): Promise<RerankResult> {
  return await backend.client.rerank({ query: 'good weather', ...request })
}

const DOCUMENTS = ['code math', 'good weather today', 'weather', 'paris']

describe('ranking by vectors', () => {
  beforeAll(async () => {
    // Without weights a token's vector is the vector of its word.
    await backend.load({ chains: [], poolingType: 1 }, { Embeddings: true, NBatch: 64, Options: ['rerank:cosine'] })
  })

  it('puts the document with most common words first', async () => {
    const { results, usage } = await rerank({ documents: DOCUMENTS })
    expect(results.slice(0, 2).map(({ index, text }) => [index, text])).toEqual([
      [1, 'good weather today'],
      [2, 'weather'],
    ])
    expect(results.map(({ index }) => index).sort()).toEqual([0, 1, 2, 3])
    const scores = results.map(({ relevanceScore }) => relevanceScore)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    expect(Math.min(...scores)).toBeGreaterThanOrEqual(-1)
    expect(usage).toEqual({ totalTokens: 3 + 3 + 4 + 2 + 2, promptTokens: 3 + 3 + 4 + 2 + 2 })
  })

  it('finds a text most like itself, and gives no more than asked for', async () => {
    const { results } = await rerank({ query: 'paris', documents: DOCUMENTS, topN: 1 })
    expect(results).toEqual([{ index: 3, text: 'paris', relevanceScore: expect.closeTo(1, 4) }])
    expect((await rerank({ documents: [] })).results).toEqual([])
    expect((await rerank({ documents: DOCUMENTS, topN: 99 })).results).toHaveLength(4)
  })

  it('is refused for texts that do not fit and for a negative top_n', async () => {
    const documents = ['paris', 'hello '.repeat(100)]
    await expect(rerank({ documents })).rejects.toMatchObject({ kind: 'invalid_request' })
    await expect(rerank({ documents: ['paris'], topN: -1 })).rejects.toMatchObject({ kind: 'invalid_request' })
  })

  it('is told of in the capabilities, with the vectors', async () => {
    expect(await backend.client.extensions.capabilities({})).toMatchObject({ rerank: COSINE, embeddings: true })
  })
})

describe('ranking by a head', () => {
  beforeAll(async () => {
    await backend.load({ architecture: 'qwen3', poolingType: 4 }, { Reranking: true, NBatch: 64 })
  })

  it('gives each document a score of its own, best first', async () => {
    const { results, usage } = await rerank({ documents: DOCUMENTS })
    for (const { index, text, relevanceScore } of results) {
      expect(text).toBe(DOCUMENTS[index])
      expect(relevanceScore).toBeGreaterThan(0)
      expect(relevanceScore).toBeLessThan(1)
      const [alone] = (await rerank({ documents: [text] })).results
      expect(alone?.relevanceScore).toBeCloseTo(relevanceScore, 5)
    }
    const scores = results.map(({ relevanceScore }) => relevanceScore)
    expect(new Set(scores).size).toBe(4)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    expect(usage?.promptTokens).toBeGreaterThan(12)
  })

  it('says which document does not fit', async () => {
    const documents = ['paris', 'hello '.repeat(100)]
    await expect(rerank({ documents })).rejects.toMatchObject({
      kind: 'invalid_request',
      message: expect.stringMatching(/tokens, this model reads up to 63/),
    })
  })

  it('is told of in the capabilities; such a model makes no vectors', async () => {
    expect(await backend.client.extensions.capabilities({})).toMatchObject({ rerank: HEAD, embeddings: false })
    await expect(backend.client.embedding({ Embeddings: 'x' })).rejects.toMatchObject({ kind: 'not_implemented' })
  })
})

describe('a model that was not loaded to rank', () => {
  it('refuses to', async () => {
    await backend.load({ poolingType: 1 }, { Embeddings: true, NBatch: 64 })
    await expect(rerank({ documents: DOCUMENTS })).rejects.toMatchObject({ kind: 'not_implemented' })
  })
})
