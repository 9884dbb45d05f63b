import type { PredictOptions } from '@svc/backend-client/proto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBackend, type TestBackend } from './backend.ts'

let backend: TestBackend

beforeAll(async () => {
  backend = await startBackend()
  await backend.load({ poolingType: 1 }, { Embeddings: true, NBatch: 64 })
})

afterAll(async () => {
  await backend[Symbol.asyncDispose]()
})

async function say(request: Partial<PredictOptions>): Promise<string> {
  const usual = { Prompt: 'hello world', Tokens: 16, Temperature: 1, TopP: 1, Seed: 7 }
  const reply = await backend.client.predict({ ...usual, IgnoreEOS: true, ...request })
  return reply.message.toString('hex')
}

describe('chance', () => {
  it('gives the same answer for the same seed and another for another', async () => {
    const first = await say({})
    expect(await say({})).toBe(first)
    expect(await say({ Seed: 8 })).not.toBe(first)
  })

  it('starts afresh for a seed below 0', async () => {
    expect(await say({ Seed: -1 })).not.toBe(await say({ Seed: -1 }))
  })

  it('has no part where only the likeliest token is left', async () => {
    const greedy = await say({ Temperature: 0 })
    const narrowed: Partial<PredictOptions>[] = [{ TopK: 1 }, { TopP: 0 }, { MinP: 1 }, { Temperature: -1 }]
    for (const request of narrowed) expect(await say({ ...request, Seed: 3 })).toBe(greedy)
  })

  it('has more to choose from at a higher temperature', async () => {
    expect(await say({ Temperature: 100 })).not.toBe(await say({ Temperature: 0.01 }))
  })
})

describe('a vector', () => {
  it('is of length 1 and the same for the same text', async () => {
    const { embeddings, ...shape } = await backend.client.embedding({ Embeddings: 'hello world' })
    expect(shape).toEqual({ tokens: 1, dim: 256, promptTokens: 3, layout: 1 })
    expect(Math.hypot(...embeddings)).toBeCloseTo(1, 5)
    expect((await backend.client.embedding({ Embeddings: 'hello world' })).embeddings).toEqual(embeddings)
    expect((await backend.client.embedding({ Embeddings: 'paris' })).embeddings).not.toEqual(embeddings)
  })

  it('is the same for the tokens of a text', async () => {
    const { tokens: EmbeddingTokens } = await backend.client.tokenizeString({ Prompt: 'good day' })
    const { embeddings } = await backend.client.embedding({ Embeddings: 'good day' })
    expect((await backend.client.embedding({ EmbeddingTokens })).embeddings).toEqual(embeddings)
  })

  it('is made of texts that fit into one batch and no others', async () => {
    const Embeddings = 'hello '.repeat(62).trim()
    expect((await backend.client.embedding({ Embeddings })).promptTokens).toBe(63)
    await expect(backend.client.embedding({ Embeddings: `${Embeddings} hello` })).rejects.toMatchObject({
      kind: 'invalid_request',
      message: expect.stringMatching(/the text has 64 tokens, this model embeds up to 63/),
    })
    await expect(backend.client.embedding({ Embeddings: '' })).rejects.toMatchObject({ kind: 'invalid_request' })
  })

  it('is told of in the capabilities', async () => {
    expect(await backend.client.extensions.capabilities({})).toMatchObject({
      embeddings: true,
      embeddingDimension: 256,
    })
  })

  it('is not made by a model that was not loaded for it', async () => {
    await backend.load({})
    await expect(backend.client.embedding({ Embeddings: 'hello' })).rejects.toMatchObject({ kind: 'not_implemented' })
  })

  it('is not made by a model that ranks', async () => {
    await backend.load({ poolingType: 4 }, { Embeddings: true })
    await expect(backend.client.embedding({ Embeddings: 'hello' })).rejects.toMatchObject({ kind: 'not_implemented' })
  })
})
