import { request } from 'node:http'
import Anthropic from '@anthropic-ai/sdk'
import type { Principal } from '@svc/auth'
import type { QuotaRule } from '@svc/auth/ports'
import { eventually, startUpstream } from '@svc/test-kit'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { type CrowdRequest, countStatuses, sendAtOnce } from '../support/crowd.ts'
import { createPeople } from '../support/people.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const HOUR = 3_600_000
const messages = [{ role: 'user', content: 'Hello there' }]
const as = (name: string) => ({ authorization: `Bearer ${name}` })

const rule = (changes: Partial<QuotaRule>): QuotaRule => ({
  id: 'rule',
  userId: 'ada',
  model: '',
  maxRequests: undefined,
  maxTokens: undefined,
  windowMs: HOUR,
  createdAt: Date.now(),
  ...changes,
})

async function startWorld(rights: Partial<Principal>): Promise<TestServer> {
  const server = await startTestServer({ authenticator: createPeople((name) => (name === 'ada' ? rights : {})) })
  await server.model('m', {
    rules: [{ rpc: 'Predict*', do: { text: 'one two', promptTokens: 6, completionTokens: 4 } }],
  })
  return server
}

describe('a quota of requests', () => {
  it('counts a request to an agent once, with the tokens of its model', async () => {
    const quotas = [rule({ maxRequests: 2 }), rule({ id: 'own', model: 'clerk', maxRequests: 2 })]
    await using server = await startWorld({ quotas })
    const made = await server.post('/api/agents', { name: 'clerk', model: 'm' }, as('root'))
    expect(made.status).toBe(201)
    const statuses: number[] = []
    for (let count = 0; count < 3; count += 1) statuses.push((await server.chat('clerk', {}, as('ada'))).status)
    expect(statuses).toEqual([200, 200, 429])
    await using other = await startWorld({ quotas: [rule({ maxTokens: 15 })] })
    expect((await other.post('/api/agents', { name: 'clerk', model: 'm' }, as('root'))).status).toBe(201)
    const asked = [await other.chat('clerk', {}, as('ada')), await other.chat('clerk', {}, as('ada'))]
    expect(asked.map(({ status }) => status)).toEqual([200, 200])
    const refused = await other.chat('clerk', {}, as('ada'))
    expect([refused.status, refused.json()]).toMatchObject([429, { error: { code: 'quota_exceeded' } }])
  })

  // verifies access:user:quotas, limits:per-user:quota
  it('AU-17: lets exactly 100 of 1,000 pass that come at once, streamed or not, in every format', async () => {
    const createdAt = Date.now()
    await using server = await startWorld({ quotas: [rule({ maxRequests: 100, createdAt })] })
    expect((await server.chat('m', {}, as('bob'))).status).toBe(200)
    const ask = (index: number): CrowdRequest => {
      const body = { model: 'm', messages, stream: index % 2 === 0, max_tokens: 10 }
      const path = ['/v1/messages', '/api/chat', '/v1/chat/completions'][index % 3] ?? ''
      return { url: server.url, path, body, headers: as('ada') }
    }
    const replies = await sendAtOnce(Array.from({ length: 1000 }, (_, index) => ask(index)))
    expect(countStatuses(replies)).toEqual({ 200: 100, 429: 900 })
    for (const { retryAfter } of replies.filter(({ status }) => status === 429)) {
      expect(Number(retryAfter)).toBeGreaterThanOrEqual(Math.ceil((createdAt + HOUR - Date.now()) / 1000))
      expect(Number(retryAfter)).toBeLessThanOrEqual(HOUR / 1000)
    }
    const refused = await server.chat('m', {}, as('ada'))
    expect(refused.headers['x-should-retry']).toBe('false')
    expect(refused.json()).toEqual({
      error: {
        code: 'quota_exceeded',
        message: 'quota exceeded, try again when its window of 1h ends',
        type: 'quota_exceeded',
        param: null,
      },
    })
    expect(
      (await server.post('/v1/messages', { model: 'm', max_tokens: 9, messages }, as('ada'))).json(),
    ).toMatchObject({
      type: 'error',
      error: { type: 'rate_limit_error' },
    })
    expect((await server.chat('m', {}, as('bob'))).status).toBe(200)
  })

  verifies('errors:retry:long-wait', 'makes official clients give up at once where its window is long', async () => {
    await using server = await startWorld({ quotas: [rule({ maxRequests: 1 })] })
    const asked: string[] = []
    const countingFetch: typeof fetch = (input, init) => {
      asked.push(String(input))
      return fetch(input, init)
    }
    const openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'ada', fetch: countingFetch })
    const anthropic = new Anthropic({ baseURL: server.url, apiKey: 'ada', fetch: countingFetch })
    await openai.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] })
    const turn = [{ role: 'user' as const, content: 'Hello' }]
    await expect(openai.chat.completions.create({ model: 'm', messages: turn })).rejects.toThrow(OpenAI.RateLimitError)
    await expect(openai.responses.create({ model: 'm', input: 'Hello' })).rejects.toThrow(OpenAI.RateLimitError)
    await expect(anthropic.messages.create({ model: 'm', max_tokens: 9, messages: turn })).rejects.toThrow(
      Anthropic.RateLimitError,
    )
    expect(asked).toHaveLength(4)
  })

  it('lets official clients wait for a short window', async () => {
    await using server = await startWorld({ quotas: [rule({ maxRequests: 1, windowMs: 30_000 })] })
    await server.chat('m', {}, as('ada'))
    const refused = await server.chat('m', {}, as('ada'))
    expect([refused.status, refused.headers['x-should-retry']]).toEqual([429, undefined])
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(30)
  })

  it('counts no request that is refused, or fails before it has used anything', async () => {
    await using server = await startWorld({ quotas: [rule({ maxRequests: 2 })] })
    await server.model('broken', {
      rules: [{ rpc: 'Predict*', do: { failure: { status: 'INTERNAL', message: 'no' } } }],
    })
    for (let round = 0; round < 5; round += 1) {
      expect((await server.chat('nobody', {}, as('ada'))).status).toBe(404)
      expect((await server.chat('m', { messages: 7 }, as('ada'))).status).toBe(400)
      expect((await server.chat('broken', {}, as('ada'))).status).toBe(500)
    }
    const replies = [await server.chat('m', {}, as('ada')), await server.chat('m', {}, as('ada'))]
    expect(countStatuses(replies)).toEqual({ 200: 2 })
    expect((await server.chat('m', {}, as('ada'))).status).toBe(429)
  })

  it('of a model counts requests of that model alone, also by its alias', async () => {
    await using server = await startWorld({ quotas: [rule({ model: 'm', maxRequests: 1 })] })
    await server.model('other', { rules: [{ rpc: 'Predict*', do: { text: 'two' } }] })
    await server.writeModelFile('nick.yaml', stringify({ name: 'nick', alias: 'm' }))
    expect((await server.chat('nick', {}, as('ada'))).status).toBe(200)
    expect((await server.chat('m', {}, as('ada'))).status).toBe(429)
    expect((await server.chat('other', {}, as('ada'))).status).toBe(200)
  })
})

describe('a quota of tokens', () => {
  it('is settled with the figures of the reply', async () => {
    await using server = await startWorld({ quotas: [rule({ maxTokens: 25 })] })
    const replies = [
      await server.chat('m', { max_tokens: 5000 }, as('ada')),
      await server.chat('m', { stream: true }, as('ada')),
      await server.post('/v1/responses', { model: 'm', input: 'Hello' }, as('ada')),
      await server.chat('m', {}, as('ada')),
    ]
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 429])
  })

  it('is settled with what was seen when the client leaves', async () => {
    await using server = await startWorld({ quotas: [rule({ maxTokens: 7 })] })
    await server.model('m', {
      rules: [{ rpc: 'PredictStream', call: 1, do: { pieces: ['one ', 'two '], promptTokens: 3, hang: 1 } }],
    })
    await leaveAfterFirstEvent(server)
    await eventually(async () => {
      const totals = await server.call('/api/auth/usage', { headers: as('ada') })
      expect(totals.json()).toMatchObject({ totals: { request_count: 1 } })
    })
    const { totals } = (await server.call('/api/auth/usage', { headers: as('ada') })).json() as {
      totals: { total_tokens: number }
    }
    expect(totals.total_tokens).toBeLessThan(7)
    expect((await server.chat('m', {}, as('ada'))).status).toBe(200)
    expect((await server.chat('m', {}, as('ada'))).status).toBe(429)
  })

  it('counts the figures of an upstream', async () => {
    await using server = await startWorld({ quotas: [rule({ maxTokens: 40 })] })
    await using upstream = await startUpstream()
    upstream.replyWith({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 11, completion_tokens: 4, total_tokens: 15 },
      }),
    })
    const proxy = { upstream_url: `${upstream.origin}/v1/chat/completions` }
    await server.writeModelFile(
      'far.yaml',
      stringify({ name: 'far', backend: 'cloud-proxy', known_usecases: ['chat'], proxy }),
    )
    expect((await server.chat('far', {}, as('ada'))).status).toBe(200)
    expect((await server.chat('far', { stream: false }, as('ada'))).status).toBe(200)
    const usage = (await server.call('/api/auth/usage', { headers: as('ada') })).json()
    expect(usage).toMatchObject({ totals: { prompt_tokens: 22, completion_tokens: 8, request_count: 2 } })
    expect((await server.chat('m', {}, as('ada'))).status).toBe(200)
    expect((await server.chat('m', {}, as('ada'))).status).toBe(429)
  })
})

describe('models of a caller', () => {
  const rights = { models: new Set(['m', 'hidden']), scopes: { models: ['m'] } }

  // verifies access:user:features-and-models
  it('are refused beyond the list of the account and of the key, on the name that is executed', async () => {
    await using server = await startWorld(rights)
    await server.model('hidden')
    await server.model('other')
    await server.writeModelFile('nick.yaml', stringify({ name: 'nick', alias: 'm' }))
    await server.writeModelFile('mask.yaml', stringify({ name: 'mask', alias: 'other' }))
    for (const name of ['m', 'nick']) expect((await server.chat(name, {}, as('ada'))).status).toBe(200)
    for (const name of ['other', 'mask', 'hidden']) {
      const reply = await server.chat(name, {}, as('ada'))
      const denied = name === 'mask' ? 'other' : name
      expect([reply.status, reply.json()]).toEqual([
        403,
        {
          error: { code: 403, message: `access denied to model: ${denied}`, type: 'authorization_error', param: null },
        },
      ])
    }
    expect(server.records('other').filter(({ rpc }) => rpc.startsWith('Predict'))).toEqual([])
    expect((await server.chat('other', {}, as('bob'))).status).toBe(200)
  })

  it('are the only ones in lists', async () => {
    await using server = await startWorld(rights)
    await server.model('hidden')
    await server.model('other')
    await server.writeModelFile('nick.yaml', stringify({ name: 'nick', alias: 'm' }))
    await server.writeModelFile('mask.yaml', stringify({ name: 'mask', alias: 'other' }))
    const list = async (path: string, name: string): Promise<unknown> => {
      const { data, models } = (await server.call(path, { headers: as(name) })).json() as {
        data?: { id: string }[]
        models?: { name: string }[]
      }
      return (data?.map(({ id }) => id) ?? models?.map(({ name: listed }) => listed.replace(':latest', '')))?.sort()
    }
    for (const path of ['/v1/models', '/models', '/v1/models/capabilities', '/api/tags']) {
      expect([path, await list(path, 'ada')]).toEqual([path, ['m', 'nick']])
      expect([path, await list(path, 'bob')]).toEqual([path, ['hidden', 'm', 'mask', 'nick', 'other']])
    }
    const found = async (name: string) => [
      (await server.call(`/v1/models/${name}`, { headers: as('ada') })).status,
      (await server.post('/api/show', { model: name }, as('ada'))).status,
    ]
    expect(await found('nick')).toEqual([200, 200])
    for (const name of ['other', 'mask', 'hidden']) expect(await found(name)).toEqual([404, 404])
    await server.chat('other', {}, as('bob'))
    await server.chat('m', {}, as('bob'))
    expect(await list('/api/ps', 'bob')).toEqual(['m', 'other'])
    expect(await list('/api/ps', 'ada')).toEqual(['m'])
  })
})

/** Asks for a stream and closes the connection once it has begun. */
function leaveAfterFirstEvent(server: TestServer): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', ...as('ada') }
    const outgoing = request(`${server.url}/v1/chat/completions`, { method: 'POST', headers }, (incoming) => {
      incoming.once('data', () => outgoing.destroy())
      incoming.once('close', resolve)
    })
    outgoing.once('error', (error) => (outgoing.destroyed ? resolve() : reject(error)))
    outgoing.end(JSON.stringify({ model: 'm', messages, stream: true }))
  })
}
