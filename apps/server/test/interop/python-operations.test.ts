import { describe, expect, it } from 'vitest'
import { sseData } from '../support/server.ts'
import { findPython, titled } from './python.ts'
import { isRunning, startInteropServer } from './world.ts'

const python = findPython()
const path = python.missing === undefined ? python.path : ''
const everything = {
  known_usecases: ['chat', 'completion', 'embeddings', 'rerank', 'tokenize', 'score'],
}

async function start(options: readonly string[] = []) {
  const server = await startInteropServer(path)
  await server.words('m', options, everything)
  return server
}

/** Counts each residue of the bytes and normalises the result, as the Python backend does. */
function toEmbedding(bytes: readonly number[]): number[] {
  const counts = Array.from({ length: 16 }, (_, place) => bytes.filter((byte) => byte % 16 === place).length)
  const length = Math.hypot(...counts)
  return counts.map((count) => count / length)
}

describe.skipIf(python.missing)(titled('a Python backend behind the base routes', python), () => {
  it('completes prompts, streamed and in turn', async () => {
    await using server = await start()
    const whole = await server.post('/v1/completions', { model: 'm', prompt: ['b a', 'd c'], max_tokens: 8 })
    expect(whole.json()).toMatchObject({
      object: 'text_completion',
      choices: [
        { index: 0, text: 'a b', finish_reason: 'stop' },
        { index: 1, text: 'c d', finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: 4, completion_tokens: 4 },
    })
    const streamed = await server.post('/v1/completions', { model: 'm', prompt: 'zwei 😀 eins', stream: true })
    const texts = sseData(streamed.text).map((event) => (event as { choices?: { text: string }[] }).choices?.[0]?.text)
    expect(texts.join('')).toBe('eins 😀 zwei')
  })

  it('embeds texts and token lists', async () => {
    await using server = await start()
    const reply = await server.post('/v1/embeddings', { model: 'm', input: ['abc', 'zebra'] })
    const { data, usage } = reply.json() as { data: { embedding: number[] }[]; usage: object }
    expect(usage).toEqual({ prompt_tokens: 8, total_tokens: 8 })
    for (const [index, text] of ['abc', 'zebra'].entries()) {
      const expected = toEmbedding([...Buffer.from(text)])
      expect(data[index]?.embedding.map((value) => value.toFixed(5))).toEqual(expected.map((value) => value.toFixed(5)))
    }
    const tokens = await server.post('/v1/embeddings', { model: 'm', input: [1, 2, 2], encoding_format: 'base64' })
    const [first] = (tokens.json() as { data: { embedding: string }[] }).data
    const bytes = Buffer.from(first?.embedding ?? '', 'base64')
    const floats = Array.from({ length: 16 }, (_, place) => bytes.readFloatLE(place * 4).toFixed(5))
    expect(floats).toEqual(toEmbedding([1, 2, 2]).map((value) => value.toFixed(5)))
  })

  it('tokenizes and puts together again', async () => {
    await using server = await start()
    const tokens = [...Buffer.from('hé😀')]
    expect((await server.post('/v1/tokenize', { model: 'm', content: 'hé😀' })).json()).toEqual({ tokens })
    expect((await server.post('/v1/detokenize', { model: 'm', tokens })).json()).toEqual({ content: 'hé😀' })
  })

  it('ranks the best first, for any order of the backend', async () => {
    await using server = await start()
    const documents = ['dogs bark', 'cats and dogs', 'a tree']
    const reply = await server.post('/v1/rerank', { model: 'm', query: 'cats dogs', documents, top_n: 2 })
    expect(reply.json()).toMatchObject({
      results: [
        { index: 1, document: { text: 'cats and dogs' }, relevance_score: 1 },
        { index: 0, document: { text: 'dogs bark' }, relevance_score: 0.5 },
      ],
    })
  })

  it('scores candidates', async () => {
    await using server = await start()
    const body = { model: 'm', prompt: 'so', candidates: ['a', 'abcd'], length_normalize: true }
    expect((await server.post('/api/score', body)).json()).toEqual({
      model: 'm',
      candidates: [
        { log_prob: -0.5, length_normalized_log_prob: -0.5, num_tokens: 1 },
        { log_prob: -2, length_normalized_log_prob: -0.5, num_tokens: 4 },
      ],
    })
  })

  it.each([
    ['Embedding', '/v1/embeddings', { input: 'a' }],
    ['Rerank', '/v1/rerank', { query: 'a', documents: ['a'] }],
    ['TokenizeString', '/v1/tokenize', { content: 'a' }],
    ['Detokenize', '/v1/detokenize', { tokens: [97] }],
    ['Score', '/api/score', { prompt: 'a', candidates: ['a'] }],
  ])('is a 501 where %s is not there, in either way', async (rpc, route, body) => {
    for (const how of ['without', 'vague']) {
      await using server = await start([`${how}:${rpc}`])
      expect((await server.post(route, { model: 'm', ...body })).status, how).toBe(501)
    }
  })

  it('tells its state and memory, loads beforehand, and stops when told to', async () => {
    await using server = await start()
    expect((await server.post('/backend/load', { model: 'm' })).status).toBe(200)
    expect((await server.call('/backend/monitor?model=m')).json()).toEqual({
      state: 2,
      memory: { total: 1_048_576, breakdown: { weights: 1_048_576 } },
    })
    expect((await server.post('/backend/shutdown', { model: 'm' })).json()).toEqual({ message: 'model stopped' })
    const records = await server.recorded('m')
    expect(records.map(({ rpc, signal }) => rpc ?? signal)).toEqual(['LoadModel', 'Status', 'Free', 'TERM'])
    expect(await isRunning(records[0]?.pid ?? 0)).toBe(false)
  })

  it('shows its process where it has no Status', async () => {
    await using server = await start(['without:Status'])
    await server.post('/backend/load', { model: 'm' })
    const reply = (await server.call('/backend/monitor?model=m')).json() as { state: number; memory: { total: number } }
    expect(reply.state).toBe(-1)
    expect(reply.memory.total).toBeGreaterThan(1_000_000)
  })
})
