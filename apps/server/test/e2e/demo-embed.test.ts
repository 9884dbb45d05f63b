import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BuiltServer, startBuiltServer } from '../support/built-server.ts'

let server: BuiltServer
beforeAll(async () => {
  server = await startBuiltServer({ env: { SVC_THREADS: '1' } })
})
afterAll(() => server[Symbol.asyncDispose]())

const QUERY = 'How can I repair my bike?'
const NEAR = 'Take the wheel off the bicycle and glue a patch on the hole.'
const FAR = 'The bank pays little interest this year.'

function cosine(left: readonly number[], right: readonly number[]): number {
  return left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0)
}

describe('the demo model for embeddings, with delivered files only', () => {
  it('gives the official client vectors that are close for texts of one subject', async () => {
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none' })
    const { data } = await client.embeddings.create({ model: 'demo-embed', input: [QUERY, NEAR, FAR] })
    const [query = [], near = [], far = []] = data.map(({ embedding }) => embedding)
    expect(query).toHaveLength(256)
    expect(cosine(query, query)).toBeCloseTo(1, 4)
    expect(cosine(query, near)).toBeGreaterThan(cosine(query, far) + 0.2)
  })

  it('ranks documents by these vectors', async () => {
    const reply = await fetch(`${server.url}/v1/rerank`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo-embed', query: QUERY, documents: [FAR, NEAR] }),
    })
    expect(reply.status).toBe(200)
    const { results } = (await reply.json()) as { results: { index: number; relevance_score: number }[] }
    expect(results.map(({ index }) => index)).toEqual([1, 0])
    expect(results[0]?.relevance_score).toBeGreaterThan((results[1]?.relevance_score ?? 1) + 0.2)
  })
})
