import Anthropic from '@anthropic-ai/sdk'
import type { Principal } from '@svc/auth'
import { eventually, startUpstream } from '@svc/test-kit'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import type { PriceBook } from '../../src/spend/price-book.ts'
import { type CrowdRequest, countStatuses, sendAtOnce } from '../support/crowd.ts'
import { createPeople } from '../support/people.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const messages = [{ role: 'user', content: 'Hello there' }]
const as = (name: string) => ({ authorization: `Bearer ${name}` })
const root = as('root')

/** Price of each request of the model `flat`, whole millionths. */
const FLAT = 40_000

/** A millionth for each token of the prompt and ten for each of the answer; the model `free` has no price. */
const prices: PriceBook = {
  currency: 'USD',
  costOf({ name }, { usage }) {
    if (name === 'flat') return FLAT
    return name === 'free' ? undefined : usage.promptTokens + 10 * usage.completionTokens
  },
}

async function startWorld(rights: Partial<Principal> = {}): Promise<TestServer> {
  const authenticator = createPeople((name) => (name === 'ada' ? rights : {}))
  const server = await startTestServer({ authenticator, prices })
  for (const name of ['m', 'free', 'flat'])
    await server.model(name, {
      rules: [{ rpc: 'Predict*', do: { text: 'one two', promptTokens: 6, completionTokens: 4 } }],
    })
  return server
}

interface Shown {
  readonly id: string
  readonly current: { readonly requests: number; readonly cost_micros: number; readonly parallel: number }
}

async function limit(server: TestServer, fields: object): Promise<Shown> {
  const reply = await server.post('/api/limits', { subject_kind: 'account', subject_id: 'ada', ...fields }, root)
  expect(reply.status, reply.text).toBe(200)
  return (reply.json() as { limit: Shown }).limit
}

const read = async (server: TestServer, { id }: Shown): Promise<Shown> =>
  ((await server.call(`/api/limits/${id}`, { headers: root })).json() as { limit: Shown }).limit

const change = (server: TestServer, { id }: Shown, fields: object) =>
  server.call(`/api/limits/${id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', ...root },
    body: JSON.stringify(fields),
  })

describe('a budget', () => {
  it('lets exactly as many of 1,000 requests pass at once as fit by reservation, streamed or not', async () => {
    await using server = await startWorld()
    const made = await limit(server, { max_cost_micros: 25 * FLAT + FLAT - 1, currency: 'USD', window: 'day' })
    const ask = (index: number): CrowdRequest => {
      const path = ['/v1/messages', '/api/chat', '/v1/chat/completions'][index % 3] ?? ''
      const body = { model: 'flat', messages, stream: index % 2 === 0, max_tokens: 10 }
      return { url: server.url, path, body, headers: as('ada') }
    }
    const replies = await sendAtOnce(Array.from({ length: 1000 }, (_, index) => ask(index)))
    expect(countStatuses(replies)).toEqual({ 200: 25, 429: 975 })
    const counted = { requests: 25, cost_micros: 25 * FLAT, parallel: 0 }
    await eventually(async () => expect((await read(server, made)).current).toMatchObject(counted))
    const denied = await server.chat('flat', {}, as('ada'))
    expect(denied.json()).toMatchObject({ error: { code: 'budget_exceeded', type: 'budget_exceeded' } })
    expect((denied.json() as { error: { message: string } }).error.message).toMatch(
      /^the budget of 1\.039999 USD \(day\) of this account has 0\.039999 USD left, and the request may cost 0\.04, try again at \d{4}-\d\d-\d\dT00:00:00/,
    )
    expect((await server.chat('flat', {}, as('bob'))).status).toBe(200)
  })

  it('counts streams, responses, and what was seen of a reply whose client has left', async () => {
    await using server = await startWorld()
    const made = await limit(server, { max_cost_micros: 1_000_000, currency: 'USD' })
    await server.chat('m', { stream: true }, as('ada'))
    await server.post('/v1/responses', { model: 'm', input: 'Hello' }, as('ada'))
    const background = { model: 'm', input: 'Hello', background: true, store: true }
    await server.post('/v1/responses', background, as('ada'))
    await eventually(async () =>
      expect((await read(server, made)).current).toMatchObject({ requests: 3, cost_micros: 138, parallel: 0 }),
    )
    await server.model('m', {
      rules: [{ rpc: 'PredictStream', do: { pieces: ['one ', 'two '], promptTokens: 3, hang: 1 } }],
    })
    const gone = new AbortController()
    const reply = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...as('ada') },
      body: JSON.stringify({ model: 'm', messages, stream: true }),
      signal: gone.signal,
    })
    await reply.body?.getReader().read()
    expect((await read(server, made)).current.parallel).toBe(1)
    gone.abort()
    await eventually(async () => expect((await read(server, made)).current).toMatchObject({ requests: 4, parallel: 0 }))
  })

  it('refuses a model without a price by name, which official clients do not try again', async () => {
    await using server = await startWorld()
    const made = await limit(server, { max_cost_micros: 1_000_000, currency: 'USD' })
    const asked: string[] = []
    const countingFetch: typeof fetch = (input, init) => {
      asked.push(String(input))
      return fetch(input, init)
    }
    const openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'ada', fetch: countingFetch })
    const ask = openai.chat.completions.create({ model: 'free', messages: [{ role: 'user', content: 'Hello' }] })
    await expect(ask).rejects.toThrow(
      'the budget of 1.00 USD (month) of this account allows only models with a price in USD: free has none',
    )
    expect(asked).toHaveLength(1)
    const reply = await server.chat('free', {}, as('ada'))
    expect([reply.status, reply.json()]).toMatchObject([403, { error: { code: 'price_unknown', param: 'model' } }])
    expect((await server.chat('free', {}, as('bob'))).status).toBe(200)
    await change(server, made, { soft: true })
    expect((await server.chat('free', {}, as('ada'))).status).toBe(200)
  })

  it('is charged by an upstream whose reply goes to the client as it comes', async () => {
    await using server = await startWorld()
    await using upstream = await startUpstream()
    upstream.replyWith({
      headers: { 'content-type': 'application/json', 'x-ratelimit-limit-requests': '7' },
      body: JSON.stringify({
        choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 11, completion_tokens: 4, total_tokens: 15 },
      }),
    })
    const proxy = { upstream_url: `${upstream.origin}/v1/chat/completions` }
    const far = { name: 'far', backend: 'cloud-proxy', known_usecases: ['chat'], proxy }
    await server.writeModelFile('far.yaml', stringify(far))
    const made = await limit(server, { max_cost_micros: 1_000_000, max_requests: 5, currency: 'USD' })
    const reply = await server.chat('far', {}, as('ada'))
    expect(reply.headers['x-ratelimit-limit-requests']).toBe('5')
    await eventually(async () => expect((await read(server, made)).current.cost_micros).toBe(51))
  })
})

describe('a limit', () => {
  it('tells what is left as the clients of each format read it, and what is full', async () => {
    await using server = await startWorld()
    await limit(server, { max_requests: 4, max_total_tokens: 100_000, window: 'day' })
    const chat = await server.chat('m', {}, as('ada'))
    expect(chat.headers).toMatchObject({
      'x-ratelimit-limit-requests': '4',
      'x-ratelimit-remaining-requests': '3',
      'x-ratelimit-limit-tokens': '100000',
    })
    expect(chat.headers['x-ratelimit-reset-requests']).toMatch(/^(\d+h)?(\d+m)?\d+(s|ms)$/)
    expect(Number(chat.headers['x-ratelimit-remaining-tokens'])).toBeLessThan(100_000)
    const stream = await server.chat('m', { stream: true }, as('ada'))
    expect(stream.headers['x-ratelimit-remaining-requests']).toBe('2')
    const turn = { model: 'm', max_tokens: 9, messages: [{ role: 'user' as const, content: 'Hello' }] }
    const anthropic = new Anthropic({ baseURL: server.url, apiKey: 'ada', maxRetries: 0 })
    const { response } = await anthropic.messages.create(turn).withResponse()
    expect(response.headers.get('anthropic-ratelimit-requests-remaining')).toBe('1')
    expect(response.headers.get('anthropic-ratelimit-requests-reset')).toMatch(/^\d{4}-\d\d-\d\dT00:00:00Z$/)
    expect(response.headers.get('x-ratelimit-limit-requests')).toBeNull()
    await server.chat('m', {}, as('ada'))
    const openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'ada', maxRetries: 0 })
    const refused: unknown = await openai.chat.completions
      .create({ model: 'm', messages: turn.messages })
      .catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(OpenAI.RateLimitError)
    if (!(refused instanceof OpenAI.RateLimitError)) return
    expect(refused.code).toBe('limit_exceeded')
    expect(refused.message).toMatch(/the limit of 4 requests \(day\) of this account is reached, try again at \d{4}-/)
    expect(refused.headers.get('x-ratelimit-remaining-requests')).toBe('0')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    const denied: unknown = await anthropic.messages.create(turn).catch((error: unknown) => error)
    expect(denied).toBeInstanceOf(Anthropic.RateLimitError)
    if (!(denied instanceof Anthropic.RateLimitError)) return
    expect(denied.headers.get('anthropic-ratelimit-requests-remaining')).toBe('0')
    const free = await server.chat('m', {}, as('bob'))
    expect(Object.keys(free.headers).filter((name) => name.includes('ratelimit'))).toEqual([])
  })

  it('that is soft lets pass, with a header, a line in the log and a count', async () => {
    await using server = await startWorld()
    await limit(server, { max_requests: 1, window: 'hour', soft: true })
    const first = await server.chat('m', {}, as('ada'))
    expect([first.status, first.headers['x-svc-soft-limit']]).toEqual([200, undefined])
    const second = await server.chat('m', {}, as('ada'))
    expect([second.status, second.headers['x-svc-soft-limit']]).toEqual([
      200,
      'limit of 1 requests (hour) of this account',
    ])
    expect(server.logLines.filter((line) => line.includes('a limit is used up'))).toHaveLength(1)
    const metrics = (await server.call('/metrics', { headers: root })).text
    expect(metrics).toContain('svc_limit_notices_total{percent="100"} 1')
  })

  it('holds for admins, for the names of a model, and for the end users that requests name', async () => {
    await using server = await startWorld()
    await server.writeModelFile('nick.yaml', stringify({ name: 'nick', alias: 'm' }))
    const aliased = await limit(server, { subject_kind: 'model', subject_id: 'nick', max_requests: 1 })
    expect((await server.chat('nick', {}, root)).status).toBe(200)
    expect((await server.chat('nick', {}, root)).status).toBe(429)
    expect((await server.chat('m', {}, root)).status).toBe(200)
    await server.call(`/api/limits/${aliased.id}`, { method: 'DELETE', headers: root })
    expect((await server.chat('nick', {}, root)).status).toBe(200)
    const each = await limit(server, { subject_kind: 'end_user', subject_id: '*', max_requests: 1 })
    expect((await server.chat('m', { user: 'u1' }, as('ada'))).status).toBe(200)
    const refused = await server.chat('m', { user: 'u1' }, as('bob'))
    expect([refused.status, refused.text]).toEqual([429, expect.stringContaining('of the end user u1')])
    const turn = { model: 'm', max_tokens: 9, messages, metadata: { user_id: 'u2' } }
    expect((await server.post('/v1/messages', turn, as('ada'))).status).toBe(200)
    expect((await server.post('/v1/messages', turn, as('ada'))).status).toBe(429)
    expect((await server.chat('m', {}, as('ada'))).status).toBe(200)
    const shown = await server.call(`/api/limits/${each.id}?of=u1`, { headers: root })
    expect(shown.json()).toMatchObject({ limit: { current: { of: 'u1', requests: 1, remaining_requests: 0 } } })
  })

  it('of an agent counts its request once', async () => {
    await using server = await startWorld()
    const made = await server.post('/api/agents', { name: 'clerk', model: 'm' }, root)
    expect(made.status).toBe(201)
    const counted = await limit(server, { max_requests: 2 })
    expect((await server.chat('clerk', {}, as('ada'))).status).toBe(200)
    expect((await server.chat('clerk', {}, as('ada'))).status).toBe(200)
    await eventually(async () =>
      expect((await read(server, counted)).current).toMatchObject({ requests: 2, parallel: 0 }),
    )
    expect((await server.chat('clerk', {}, as('ada'))).status).toBe(429)
  })

  it('of requests at a time is free again when one ends', async () => {
    await using server = await startWorld()
    await limit(server, { max_parallel: 1 })
    await server.model('m', {
      rules: [{ rpc: 'PredictStream', do: { pieces: ['one ', 'two '], promptTokens: 3, hang: 1 } }],
    })
    const gone = new AbortController()
    const reply = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...as('ada') },
      body: JSON.stringify({ model: 'm', messages, stream: true }),
      signal: gone.signal,
    })
    await reply.body?.getReader().read()
    const refused = await server.chat('free', {}, as('ada'))
    expect([refused.status, refused.headers['retry-after'], refused.text]).toEqual([
      429,
      '1',
      expect.stringContaining('limit of 1 requests at a time of this account is reached'),
    ])
    gone.abort()
    await eventually(async () => expect((await server.chat('free', {}, as('ada'))).status).toBe(200))
  })

  it('is added, listed, changed and removed by admins, and shown to its caller without the note', async () => {
    await using server = await startWorld()
    const fields = { max_requests: 3, window: 'rolling 5h', note: 'trial', model: 'm' }
    const made = await limit(server, fields)
    const listed = {
      subject_kind: 'account',
      subject_id: 'ada',
      ...fields,
      max_total_tokens: null,
      soft: false,
      enabled: true,
    }
    await server.chat('m', {}, as('ada'))
    const list = await server.call('/api/limits', { headers: root })
    expect(list.json()).toMatchObject({ limits: [{ ...listed, id: made.id, current: { of: 'ada', requests: 1 } }] })
    const own = await server.call('/api/limits/own', { headers: as('ada') })
    expect(own.json()).toMatchObject({ limits: [{ ...listed, note: '', current: { remaining_requests: 2 } }] })
    expect((await server.call('/api/limits/own', { headers: as('bob') })).json()).toEqual({ limits: [] })
    expect((await change(server, made, { max_requests: 1 })).json()).toMatchObject({
      limit: { current: { requests: 1 } },
    })
    expect((await server.chat('m', {}, as('ada'))).status).toBe(429)
    const unknown = await change(server, made, { max_request: 1 })
    expect([unknown.status, unknown.text]).toEqual([400, expect.stringContaining('max_request')])
    expect((await change(server, made, { window: 'year' })).status).toBe(400)
    const removed = await server.call(`/api/limits/${made.id}`, { method: 'DELETE', headers: root })
    expect(removed.json()).toEqual({ message: 'limit deleted' })
    expect((await change(server, made, { max_requests: 1 })).status).toBe(404)
    expect((await server.chat('m', {}, as('ada'))).status).toBe(200)
  })
})
