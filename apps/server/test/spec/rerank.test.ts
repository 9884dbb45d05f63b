import { mockOptions } from '@svc/backend-mock/script'
import { describe, expect, it } from 'vitest'
import { startTestServer } from '../support/server.ts'

const RERANK = '/v1/rerank'
const keys = { known_usecases: ['rerank'] }
const query = 'red apples'
const documents = ['green pears', 'red cars', 'red apples taste good']

interface Body {
  results: { index: number; relevance_score: number; document?: { text: string } }[]
}

describe('POST /v1/rerank', () => {
  // verifies inference:route:rerank
  it('orders documents, the best first, at the paths that vendors use', async () => {
    await using server = await startTestServer()
    await server.model('r', {}, keys)
    for (const path of [RERANK, '/jina/v1/rerank', '/v2/rerank']) {
      const reply = await server.post(path, { model: 'r', query, documents })
      expect(reply.status, path).toBe(200)
      expect(reply.json(), path).toEqual({
        id: reply.headers['x-correlation-id'],
        model: 'r',
        usage: { total_tokens: 10, prompt_tokens: 10 },
        results: [
          { index: 2, document: { text: documents[2] }, relevance_score: 1 },
          { index: 1, document: { text: documents[1] }, relevance_score: 0.5 },
          { index: 0, document: { text: documents[0] }, relevance_score: 0 },
        ],
        meta: { tokens: { input_tokens: 10 } },
      })
    }
  })

  it('takes objects for documents, leaves them out of the reply when told to, and clamps top_n', async () => {
    await using server = await startTestServer()
    await server.model('r', {}, keys)
    const objects = documents.map((text, id) => ({ text, id }))
    const body = { model: 'r', query, documents: objects, return_documents: false, top_n: 2 }
    expect(((await server.post(RERANK, body)).json() as Body).results).toEqual([
      { index: 2, relevance_score: 1 },
      { index: 1, relevance_score: 0.5 },
    ])
    const all = (await server.post(RERANK, { ...body, top_n: 99 })).json() as Body
    expect(all.results.map(({ index }) => index)).toEqual([2, 1, 0])
    const sent = server.records('r').filter(({ rpc, event }) => rpc === 'Rerank' && event === 'start')
    expect(sent.map(({ request }) => request)).toEqual([
      expect.objectContaining({ query, documents, topN: 2, ModelIdentity: 'r.bin' }),
      expect.objectContaining({ topN: 3 }),
    ])
  })

  // verifies inference:rerank:top-n, rerank:error:top-n, errors:status:unprocessable
  it('top_n below 1 is 422 with the specified text', async () => {
    await using server = await startTestServer()
    await server.model('r', {}, keys)
    for (const top_n of [0, -1]) {
      const reply = await server.post(RERANK, { model: 'r', query, documents, top_n })
      expect(reply.status).toBe(422)
      expect(reply.json()).toEqual({
        error: {
          code: 422,
          message: 'top_n - should be greater than or equal to 1',
          type: 'invalid_request_error',
          param: 'top_n',
        },
        message: 'top_n - should be greater than or equal to 1',
      })
    }
    const empty = await server.post(RERANK, { model: 'r', query: '', documents })
    expect([empty.status, empty.json()]).toMatchObject([
      400,
      { error: { param: 'query' }, message: expect.stringContaining('query') },
    ])
    expect(server.records('r')).toEqual([])
  })

  it('no documents give no results, and no backend is asked', async () => {
    await using server = await startTestServer()
    await server.model('r', {}, keys)
    const reply = await server.post(RERANK, { model: 'r', query, documents: [] })
    expect(reply.json()).toMatchObject({ results: [], usage: { total_tokens: 0 } })
    expect(server.records('r').filter(({ rpc }) => rpc === 'Rerank')).toEqual([])
  })

  it('refuses invalid documents and queries, naming the field', async () => {
    await using server = await startTestServer()
    await server.model('r', {}, keys)
    const wrong: [object, string][] = [
      [{ documents }, 'query'],
      [{ query }, 'documents'],
      [{ query, documents: 'one' }, 'documents'],
      [{ query, documents: ['a', { title: 'b' }] }, 'documents[1].text'],
      [{ query, documents: Array.from({ length: 4097 }, () => 'a') }, 'documents'],
      [{ query, documents, top_n: 1.5 }, 'top_n'],
    ]
    for (const [fields, param] of wrong) {
      const reply = await server.post(RERANK, { model: 'r', ...fields })
      expect(reply.status, param).toBe(400)
      expect(reply.json(), param).toMatchObject({ error: { param } })
    }
  })

  it('uses the first rerank model when the request names none', async () => {
    await using server = await startTestServer()
    expect((await server.post(RERANK, { query, documents })).status).toBe(400)
    await server.model('chat-only')
    await server.model('r', {}, keys)
    expect((await server.post(RERANK, { query, documents })).json()).toMatchObject({ model: 'r' })
  })

  it('a ranking that makes no sense is a failure of this server', async () => {
    await using server = await startTestServer()
    const results = {
      stranger: [{ index: 3, relevanceScore: 1 }],
      twice: [
        { index: 0, relevanceScore: 1 },
        { index: 0, relevanceScore: 2 },
      ],
      infinite: [{ index: 0, relevanceScore: 1e39 }],
    }
    for (const [model, list] of Object.entries(results)) {
      await server.model(model, { rules: [{ rpc: 'Rerank', do: { answer: { results: list } } }] }, keys)
      expect((await server.post(RERANK, { model, query, documents })).status, model).toBe(500)
    }
  })
})

describe('a model without a ranking of its own', () => {
  it('is 501 and names a remedy', async () => {
    await using server = await startTestServer()
    await server.model('r', { without: ['Rerank'] }, keys)
    const reply = await server.post(RERANK, { model: 'r', query, documents })
    expect(reply.status).toBe(501)
    expect(reply.headers['x-should-retry']).toBe('false')
    expect(reply.json()).toMatchObject({
      error: { code: 501, message: expect.stringMatching(/model "r" cannot rank documents.*rerank:cosine/) },
    })
  })

  it('ranks by cosine with the option for it', async () => {
    await using server = await startTestServer()
    const options = [...mockOptions({ without: ['Rerank'], embeddingDimension: 256 }), 'rerank:cosine']
    await server.model('r', {}, { ...keys, embeddings: true, options })
    const reply = await server.post(RERANK, { model: 'r', query, documents, top_n: 2 })
    expect(reply.status).toBe(200)
    const { results } = reply.json() as Body
    expect(results.map(({ index }) => index)).toEqual([2, 1])
    expect(results[0]?.relevance_score).toBeGreaterThan(results[1]?.relevance_score ?? 1)
    expect(results[0]?.relevance_score).toBeLessThanOrEqual(1)
    expect(reply.json()).toMatchObject({ usage: { total_tokens: 10, prompt_tokens: 10 } })
    const same = await server.post(RERANK, { model: 'r', query, documents: [query] })
    expect((same.json() as Body).results[0]?.relevance_score).toBeCloseTo(1, 6)
  })
})
