import { mockOptions } from '@svc/backend-mock/script'
import { eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

const EMBEDDINGS = '/v1/embeddings'
const keys = { known_usecases: ['embeddings'], embeddings: true }

interface Body {
  id: string
  object: string
  model: string
  data: { object: string; index: number; embedding: number[] }[]
  usage: { prompt_tokens: number; total_tokens: number }
}

/** Lists the inputs that the mock got, in the order of the calls. */
function asked(server: TestServer, model: string): unknown[] {
  return server
    .records(model)
    .filter(({ rpc, event }) => rpc === 'Embedding' && event === 'start')
    .map(({ request }) => request)
}

const measureLength = (vector: readonly number[]): number => Math.hypot(...vector)

describe('POST /v1/embeddings', () => {
  // verifies inference:route:embeddings
  it('gives one vector an input, in their order, with usage', async () => {
    await using server = await startTestServer()
    await server.model('e', { embeddingDimension: 8 }, keys)
    const input = ['one two three', 'four', 'five six']
    const reply = await server.post(EMBEDDINGS, { model: 'e', input })
    expect(reply.status).toBe(200)
    const body = reply.json() as Body
    expect(body).toEqual({
      id: expect.stringContaining(String(reply.headers['x-correlation-id'])),
      object: 'list',
      model: 'e',
      data: input.map((_, index) => ({ object: 'embedding', index, embedding: expect.any(Array) })),
      usage: { prompt_tokens: 6, total_tokens: 6 },
    })
    for (const [index, text] of input.entries()) {
      const alone = (await server.post(EMBEDDINGS, { model: 'e', input: text })).json() as Body
      expect(alone.data).toEqual([{ ...body.data[index], index: 0 }])
      expect(alone.data[0]?.embedding).toHaveLength(8)
    }
  })

  it('answers at every path, with the model in the path or the query when the body has none', async () => {
    await using server = await startTestServer()
    await server.model('slash', {}, { ...keys, name: 'a/b' })
    await server.model('e', {}, keys)
    for (const path of [EMBEDDINGS, '/embeddings']) {
      expect((await server.post(path, { model: 'e', input: 'x' })).json()).toMatchObject({ model: 'e' })
      expect((await server.post(`${path}?model=e`, { input: 'x' })).json()).toMatchObject({ model: 'e' })
    }
    for (const path of ['/v1/engines/e/embeddings', '/engines/e/embeddings']) {
      expect((await server.post(`${path}?model=a%2Fb`, { input: 'x' })).json()).toMatchObject({ model: 'e' })
      expect((await server.post(path, { model: 'a/b', input: 'x' })).json()).toMatchObject({ model: 'a/b' })
    }
    expect((await server.post('/v1/engines/a%2Fb/embeddings', { input: 'x' })).json()).toMatchObject({ model: 'a/b' })
    expect((await server.post('/v1/engines/nobody/embeddings', { input: 'x' })).status).toBe(404)
    const named = { model: '', model_id: 'a/b', input: 'x' }
    expect((await server.post('/v1/engines/e/embeddings', named)).json()).toMatchObject({ model: 'a/b' })
    expect((await server.post(EMBEDDINGS, { model_id: 7, input: 'x' })).json()).toMatchObject({
      error: { param: 'model_id' },
    })
  })

  // verifies embeddings:error:no-model
  it('without a model: the first for embeddings, or 400 when there is none', async () => {
    await using server = await startTestServer()
    await server.model('chat-only')
    const none = await server.post(EMBEDDINGS, { input: 'x' })
    expect(none.status).toBe(400)
    expect(none.json()).toMatchObject({ error: { code: 400, type: 'invalid_request_error', param: 'model' } })
    await server.model('z', {}, keys)
    await server.model('e', {}, keys)
    expect((await server.post(EMBEDDINGS, { input: 'x' })).json()).toMatchObject({ model: 'e' })
    expect(server.records('chat-only')).toEqual([])
  })

  it('hands on texts as texts and tokens as tokens, mixed too', async () => {
    await using server = await startTestServer()
    await server.model('e', {}, keys)
    await server.post(EMBEDDINGS, { model: 'e', input: [5, 6] })
    expect(asked(server, 'e')).toEqual([
      expect.objectContaining({ EmbeddingTokens: [5, 6], Embeddings: '', ModelIdentity: 'e.bin' }),
    ])
    const mixed = await server.post(EMBEDDINGS, { model: 'e', input: ['a', [7], 'b'] })
    expect((mixed.json() as Body).data.map(({ index }) => index)).toEqual([0, 1, 2])
    const tokens = asked(server, 'e').slice(1) as { EmbeddingTokens: number[]; Embeddings: string }[]
    expect(tokens.map((each) => each.Embeddings || each.EmbeddingTokens).sort()).toEqual([[7], 'a', 'b'])
  })

  it('base64 holds the same 32-bit floats, little end first', async () => {
    await using server = await startTestServer()
    await server.model('e', { embeddingDimension: 4 }, keys)
    const body = { model: 'e', input: ['a', 'b c'] }
    const numbers = (await server.post(EMBEDDINGS, body)).json() as Body
    const encoded = (await server.post(EMBEDDINGS, { ...body, encoding_format: 'base64' })).json() as {
      data: { embedding: string }[]
    }
    const decoded = encoded.data.map(({ embedding }) => {
      const bytes = Buffer.from(embedding, 'base64')
      return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4))
    })
    expect(decoded).toEqual(numbers.data.map(({ embedding }) => embedding))
  })

  it('a long list comes in pieces, and is the same as a short one', async () => {
    await using server = await startTestServer()
    await server.model('e', { embeddingDimension: 2048 }, keys)
    const input = Array.from({ length: 40 }, (_, index) => `text ${index}`)
    const long = await server.post(EMBEDDINGS, { model: 'e', input })
    expect(long.headers['content-type']).toBe('application/json')
    expect(long.headers['transfer-encoding']).toBe('chunked')
    const body = long.json() as Body
    expect(body.data.map(({ index }) => index)).toEqual([...input.keys()])
    const short = (await server.post(EMBEDDINGS, { model: 'e', input: input.slice(0, 2) })).json() as Body
    expect(body.data.slice(0, 2)).toEqual(short.data)
    expect(Object.keys(body).sort()).toEqual(Object.keys(short).sort())
    expect(body.usage).toEqual({ prompt_tokens: 80, total_tokens: 80 })
    const encoded = (await server.post(EMBEDDINGS, { model: 'e', input, encoding_format: 'base64' })).json() as {
      data: { embedding: string }[]
    }
    const bytes = Buffer.from(encoded.data.at(-1)?.embedding ?? '', 'base64')
    expect(Array.from({ length: 2048 }, (_, index) => bytes.readFloatLE(index * 4))).toEqual(
      body.data.at(-1)?.embedding,
    )
  })

  it('dimensions: the first numbers, of length 1 again; more than there are is 400', async () => {
    await using server = await startTestServer()
    await server.model('e', { embeddingDimension: 8 }, keys)
    const readVector = async (extra: object): Promise<number[]> => {
      const reply = (await server.post(EMBEDDINGS, { model: 'e', input: 'a b c', ...extra })).json() as Body
      return reply.data[0]?.embedding ?? []
    }
    const whole = await readVector({})
    const cut = await readVector({ dimensions: 3 })
    expect(cut).toHaveLength(3)
    expect(measureLength(cut)).toBeCloseTo(1, 6)
    const scale = measureLength(whole.slice(0, 3))
    for (const [index, value] of cut.entries()) expect(value).toBeCloseTo((whole[index] ?? 0) / scale, 6)
    expect(await readVector({ dimensions: 8 })).toEqual(whole)
    const wide = await server.post(EMBEDDINGS, { model: 'e', input: 'a', dimensions: 9 })
    expect(wide.status).toBe(400)
    expect(wide.json()).toMatchObject({ error: { param: 'dimensions' } })
  })

  it('messages are one text: a line a message, empty ones left out', async () => {
    await using server = await startTestServer()
    await server.model('e', {}, keys)
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'assistant', content: '' },
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
    ]
    const reply = await server.post(EMBEDDINGS, { model: 'e', messages })
    expect((reply.json() as Body).data).toHaveLength(1)
    expect(asked(server, 'e')).toEqual([expect.objectContaining({ Embeddings: 'system: Be brief.\nuser: Hi' })])
    const image = [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }] }]
    expect((await server.post(EMBEDDINGS, { model: 'e', messages: image })).status).toBe(400)
  })

  it('messages are written by the templates of the model when it has both', async () => {
    await using server = await startTestServer()
    const template = { chat: '[{{.Input}}]', chat_message: '<{{.RoleName}}>{{.Content}}' }
    await server.model('both', {}, { ...keys, template })
    await server.model('one', {}, { ...keys, template: { chat: template.chat } })
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Ho' },
    ]
    for (const model of ['both', 'one']) await server.post(EMBEDDINGS, { model, messages })
    expect(asked(server, 'both')).toEqual([expect.objectContaining({ Embeddings: '[<user>Hi\n<assistant>Ho]' })])
    expect(asked(server, 'one')).toEqual([expect.objectContaining({ Embeddings: 'user: Hi\nassistant: Ho' })])
  })

  it('refuses invalid inputs, naming the field, before any backend is asked', async () => {
    await using server = await startTestServer()
    await server.model('e', {}, keys)
    const messages = [{ role: 'user', content: 'x' }]
    const wrong: [object, string][] = [
      [{}, 'input'],
      [{ input: null }, 'input'],
      [{ input: '' }, 'input'],
      [{ input: [] }, 'input'],
      [{ input: ['a', ''] }, 'input[1]'],
      [{ input: [[1], []] }, 'input[1]'],
      [{ input: 'a', messages }, 'input'],
      [{ input: { text: 'a' } }, 'input'],
      [{ input: Array.from({ length: 2049 }, () => 'a') }, 'input'],
      [{ input: Array.from({ length: 262_145 }, () => 1) }, 'input'],
      [{ input: [Array.from({ length: 262_144 }, () => 1), [1]] }, 'input'],
      [{ input: 'a', encoding_format: 'int8' }, 'encoding_format'],
      [{ input: 'a', dimensions: 0 }, 'dimensions'],
      [{ input: 'a', pooling: 'max' }, 'pooling'],
      [{ input: 'a', pooling_half_life_tokens: 4 }, 'pooling_half_life_tokens'],
    ]
    for (const [fields, param] of wrong) {
      const reply = await server.post(EMBEDDINGS, { model: 'e', ...fields })
      expect(reply.status, param).toBe(400)
      expect(reply.json(), param).toMatchObject({ error: { type: 'invalid_request_error', param } })
    }
    expect(asked(server, 'e')).toEqual([])
  })
})

describe('usage of embeddings', () => {
  it('where the backend does not say, the model is asked to count when its file says so', async () => {
    await using server = await startTestServer()
    const script = { rules: [{ rpc: 'Embedding', do: { answer: { promptTokens: 0 } } }] }
    await server.model('silent', script, keys)
    await server.model('counted', script, { ...keys, feature_flags: { usage: true } })
    const readTokens = async (model: string, input: unknown): Promise<number> =>
      ((await server.post(EMBEDDINGS, { model, input })).json() as Body).usage.prompt_tokens
    expect(await readTokens('silent', 'a b c')).toBe(0)
    expect(await readTokens('counted', ['a b c', 'd'])).toBe(4)
    expect(await readTokens('silent', [1, 2, 3])).toBe(3)
  })

  it('is recorded as that of a chat is', async () => {
    await using server = await startTestServer()
    await server.model('e', {}, keys)
    await server.post(EMBEDDINGS, { model: 'e', input: 'one two' })
    expect((await server.call('/metrics')).text).toMatch(/tokens_total\{[^}]*prompt[^}]*\} 2\b/)
  })
})

describe('a caller who leaves', () => {
  it('ends every call of the request, and the model is free again', async () => {
    await using server = await startTestServer()
    await server.model('e', { rules: [{ rpc: 'Embedding', do: { hang: true } }] }, keys)
    const input = Array.from({ length: 9 }, (_, index) => `text ${index}`)
    const leaving = new AbortController()
    const body = JSON.stringify({ model: 'e', input })
    const left = fetch(`${server.url}${EMBEDDINGS}`, { method: 'POST', body, signal: leaving.signal })
    await eventually(() => expect(asked(server, 'e').length).toBeGreaterThan(1))
    leaving.abort()
    await expect(left).rejects.toThrow()
    const ended = (): number => server.records('e').filter(({ event }) => event === 'end').length
    await eventually(() => expect(server.records('e').at(-1)).toMatchObject({ outcome: 'cancelled', concurrent: 0 }))
    expect(ended()).toBeLessThan(input.length)
  })
})

describe('rules of chats apply to embeddings too', () => {
  it('an alias answers under its own name, a disabled model is 403', async () => {
    await using server = await startTestServer()
    await server.model('e', {}, keys)
    await server.model('off', {}, { ...keys, disabled: true })
    await server.writeModelFile('short.yaml', 'name: short\nalias: e\n')
    expect((await server.post(EMBEDDINGS, { model: 'short', input: 'x' })).json()).toMatchObject({ model: 'short' })
    expect((await server.post(EMBEDDINGS, { model: 'off', input: 'x' })).status).toBe(403)
  })

  it('the model limit counts requests, with any number of inputs', async () => {
    await using server = await startTestServer()
    const script = { rules: [{ rpc: 'Embedding', contains: 'wait', do: { hang: true } }] }
    await server.model('e', script, { ...keys, max_concurrent: 1 })
    expect((await server.post(EMBEDDINGS, { model: 'e', input: ['a', 'b', 'c', 'd', 'e'] })).status).toBe(200)
    const leaving = new AbortController()
    const body = JSON.stringify({ model: 'e', input: 'wait' })
    const held = fetch(`${server.url}${EMBEDDINGS}`, { method: 'POST', body, signal: leaving.signal })
    await eventually(() => expect(JSON.stringify(asked(server, 'e'))).toContain('wait'))
    const refused = await server.post(EMBEDDINGS, { model: 'e', input: 'x' })
    expect(refused.status).toBe(429)
    expect(refused.json()).toMatchObject({ error: { code: 'admission_rejected', type: 'rate_limit_error' } })
    leaving.abort()
    await expect(held).rejects.toThrow()
    await eventually(async () => {
      expect((await server.post(EMBEDDINGS, { model: 'e', input: 'x' })).status).toBe(200)
    })
  })
})

describe('a backend', () => {
  const failing = { status: 'INTERNAL', message: 'out of order' } as const

  it('that fails on one of many inputs fails the request, and is not asked about the rest', async () => {
    await using server = await startTestServer()
    await server.model('e', { rules: [{ rpc: 'Embedding', contains: 'bad', do: { failure: failing } }] }, keys)
    const input = ['bad', ...Array.from({ length: 40 }, (_, index) => `good ${index}`)]
    const reply = await server.post(EMBEDDINGS, { model: 'e', input })
    expect(reply.status).toBe(500)
    expect(reply.json()).toMatchObject({ error: { type: 'server_error', message: 'prediction failed: out of order' } })
    expect(asked(server, 'e').length).toBeLessThan(input.length)
  })

  it('that knows no embeddings is 501, one that is full 429, one that refuses the input 400', async () => {
    await using server = await startTestServer()
    await server.model('none', { without: ['Embedding'] }, keys)
    await server.model(
      'full',
      { rules: [{ do: { failure: { status: 'RESOURCE_EXHAUSTED', message: 'full' } } }] },
      keys,
    )
    await server.model(
      'long',
      { rules: [{ do: { failure: { status: 'INVALID_ARGUMENT', message: 'too long' } } }] },
      keys,
    )
    const statuses = { none: 501, full: 429, long: 400 }
    for (const [model, status] of Object.entries(statuses)) {
      const reply = await server.post(EMBEDDINGS, { model, input: 'a' })
      expect(reply.status, model).toBe(status)
      expect(reply.headers['x-should-retry'], model).toBe(status === 501 ? 'false' : undefined)
      expect(reply.headers['retry-after'], model).toBe(status === 429 ? '1' : undefined)
    }
  })

  it('whose answer is not a vector is a failure of this server, never a broken reply', async () => {
    await using server = await startTestServer()
    const answers = {
      empty: { embeddings: [], tokens: 0, dim: 0 },
      infinite: { embeddings: [1e39], tokens: 1, dim: 1 },
      'wrong-shape': { embeddings: [1, 2, 3], tokens: 2, dim: 2, layout: 2 },
    }
    for (const [model, answer] of Object.entries(answers)) {
      await server.model(model, { rules: [{ rpc: 'Embedding', do: { answer } }] }, keys)
      const pooling = model === 'wrong-shape' ? { pooling: 'mean' } : {}
      const reply = await server.post(EMBEDDINGS, { model, input: 'a', ...pooling })
      expect(reply.status, model).toBe(500)
      expect(reply.json(), model).toMatchObject({ error: { type: 'server_error' } })
    }
  })
})

describe('pooling here', () => {
  const perToken = { embeddingDimension: 2, embeddingLayout: 'per-token' } as const
  const rows = [3, 4, 0, 2, 6, 0]
  const answer = { embeddings: rows, tokens: 3, dim: 2, promptTokens: 3 }
  const script = { ...perToken, rules: [{ rpc: 'Embedding', do: { answer } }] }
  const readVector = async (server: TestServer, model: string, extra: object = {}): Promise<number[]> => {
    const reply = await server.post(EMBEDDINGS, { model, input: 'a b c', ...extra })
    expect(reply.status, reply.text).toBe(200)
    return (reply.json() as Body).data[0]?.embedding ?? []
  }
  const close = (actual: readonly number[], expected: readonly number[]): void => {
    expect(actual).toHaveLength(expected.length)
    for (const [index, value] of actual.entries()) expect(value).toBeCloseTo(expected[index] ?? Number.NaN, 6)
  }

  it("pools the tokens' vectors into one of length 1, as the model or the request says", async () => {
    await using server = await startTestServer()
    await server.model('mean', script, { ...keys, parameters: { model: 'w', pooling: 'mean' } })
    close(await readVector(server, 'mean'), [9 / Math.hypot(9, 6), 6 / Math.hypot(9, 6)])
    close(await readVector(server, 'mean', { pooling: 'last' }), [1, 0])
    // weights from the last token back: 1, 1/2, 1/4
    const [x, y] = [3 / 4 + 0 + 6, 4 / 4 + 2 / 2]
    const decayed = { pooling: 'decayed_mean', pooling_half_life_tokens: 1 }
    close(await readVector(server, 'mean', decayed), [x / Math.hypot(x, y), y / Math.hypot(x, y)])
  })

  it('embd_normalize: as it is, the largest number 32760, or another norm', async () => {
    await using server = await startTestServer()
    const parameters = { model: 'w', pooling: 'mean' }
    const expected: Record<string, number[]> = {
      '-1': [3, 2],
      '0': [32_760, 32_760 * (2 / 3)],
      '1': [3 / 5, 2 / 5],
      '3': [3 / 35 ** (1 / 3), 2 / 35 ** (1 / 3)],
    }
    for (const [kind, vector] of Object.entries(expected)) {
      const name = `n${kind}`
      const options = [...mockOptions(script), `embd_normalize:${kind}`]
      await server.model(name, {}, { ...keys, parameters, options })
      close(await readVector(server, name), vector)
    }
  })

  it('one vector a token without a pooling here, or a pooling here without them, is 400', async () => {
    await using server = await startTestServer()
    await server.model('tokens', perToken, keys)
    await server.model('final', {}, { ...keys, parameters: { model: 'w', pooling: 'last' } })
    for (const model of ['tokens', 'final']) {
      const reply = await server.post(EMBEDDINGS, { model, input: 'a b' })
      expect(reply.status, model).toBe(400)
      expect(reply.json()).toMatchObject({ error: { param: 'pooling' } })
    }
    expect((await server.post(EMBEDDINGS, { model: 'tokens', input: 'a b', pooling: 'mean' })).status).toBe(200)
  })
})
