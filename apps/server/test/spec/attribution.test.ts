import Anthropic from '@anthropic-ai/sdk'
import { eventually } from '@svc/test-kit'
import { usageReply, usageView } from '@svc/wire/native'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import type { PriceBook } from '../../src/spend/price-book.ts'
import { createPeople } from '../support/people.ts'
import { modelForAllRoutes } from '../support/route-bodies.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const messages = [{ role: 'user' as const, content: 'Hello there' }]
const as = (name: string, tags?: string) => ({
  authorization: `Bearer ${name}`,
  ...(tags === undefined ? {} : { 'x-svc-tags': tags }),
})
const root = as('root')
const prices: PriceBook = {
  currency: 'USD',
  costOf: (_, { usage }) => usage.promptTokens + 10 * usage.completionTokens,
}

async function startWorld(flags: readonly string[] = []): Promise<TestServer> {
  const server = await startTestServer({ authenticator: createPeople(), prices, flags })
  await server.model('m', {
    rules: [{ rpc: 'Predict*', do: { text: 'one two', promptTokens: 6, completionTokens: 4 } }],
  })
  return server
}

/** What each request costs. */
const COST = 46

async function report(server: TestServer, query: string, headers: Record<string, string> = root) {
  const reply = await server.call(`/api/auth/admin/usage?period=day&${query}`, { headers })
  expect(reply.status, reply.text).toBe(200)
  return usageReply.parse(reply.json())
}

/** Requests and costs by value. */
async function sums(server: TestServer, query: string): Promise<Record<string, readonly [number, unknown]>> {
  const { groups = [] } = await report(server, query)
  return Object.fromEntries(
    groups.map(({ value, request_count, cost_micros }) => [value, [request_count, cost_micros]]),
  )
}

describe('an end user in whose name the PII filter finds something', () => {
  it('is kept as a hash, with the same hash for each request, and others as they are', async () => {
    await using server = await startWorld()
    const pii_detection = { patterns: [{ name: 'CREW', match: 'crew-\\d+' }], default_action: 'mask' }
    await server.writeModelFile('finder.yaml', JSON.stringify({ name: 'finder', backend: 'pattern', pii_detection }))
    await server.model(
      'filtered',
      { rules: [{ rpc: 'Predict*', do: { text: 'one two', promptTokens: 6, completionTokens: 4 } }] },
      { pii: { enabled: true, detectors: ['finder'] } },
    )
    for (const user of ['crew-42', 'crew-42', 'u1']) {
      for (const stream of [false, true]) {
        const body = { model: 'filtered', messages, user, stream }
        expect((await server.post('/v1/chat/completions', body, as('ada'))).status).toBe(200)
      }
    }
    await eventually(async () => {
      const found = await sums(server, 'group_by=end_user')
      const [hash = ''] = Object.keys(found).filter((value) => value !== 'u1')
      expect(hash).toMatch(/^#[0-9a-f]{32}$/)
      expect(found).toEqual({ u1: [2, 2 * COST], [hash]: [4, 4 * COST] })
    })
  })
})

describe('usage', () => {
  it('is summed by tag and by end user, for the official clients and every format', async () => {
    await using server = await startWorld()
    const defaultHeaders = { 'x-svc-tags': 'team=a, feature=chat' }
    const openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'ada', maxRetries: 0, defaultHeaders })
    const anthropic = new Anthropic({
      baseURL: server.url,
      authToken: 'ada',
      apiKey: null,
      maxRetries: 0,
      defaultHeaders,
    })
    await openai.chat.completions.create({ model: 'm', messages, user: 'u1' })
    const stream = await openai.chat.completions.create({ model: 'm', messages, user: 'u1', stream: true })
    for await (const _ of stream);
    await openai.completions.create({ model: 'm', prompt: 'Hello', user: 'u1' })
    await openai.responses.create({ model: 'm', input: 'Hello', safety_identifier: 'u1' })
    await openai.responses.create({ model: 'm', input: 'Hello', user: 'u1', background: true, store: true })
    await anthropic.messages.create({ model: 'm', messages, max_tokens: 9, metadata: { user_id: 'u2' } })
    await server.post('/api/chat', { model: 'm', messages, stream: false }, as('bob', 'team=b'))
    await server.chat('m', {}, as('bob'))
    await eventually(async () =>
      expect(await sums(server, 'group_by=tag:team')).toEqual({ a: [6, 6 * COST], b: [1, COST] }),
    )
    expect(await sums(server, 'group_by=tag:feature')).toEqual({ chat: [6, 6 * COST] })
    expect(await sums(server, 'group_by=end_user')).toEqual({ u1: [5, 5 * COST], u2: [1, COST] })
    expect(await sums(server, 'group_by=end_user&user_id=bob')).toEqual({})
    const ofTeam = await report(server, 'tag=team:b')
    expect(ofTeam.usage).toMatchObject([{ user_id: 'bob', model: 'm', request_count: 1, cost_micros: COST }])
    expect(ofTeam.groups).toBeUndefined()
    expect((await report(server, 'end_user=u1')).totals).toMatchObject({ request_count: 5 })
    expect((await report(server, 'end_user=nobody')).usage).toEqual([])
    expect((await report(server, '')).totals).toMatchObject({ request_count: 8 })
    const own = await server.call('/api/usage?group_by=tag:team', { headers: as('bob') })
    expect(usageView.parse(own.json())).toMatchObject({
      ...{ usage: [], by_model: [], group_by: 'tag:team', totals: { request_count: 1 } },
      groups: [{ value: 'b', request_count: 1 }],
    })
  })

  it('refuses a wrong header and wrong filters in the format of the route', async () => {
    await using server = await startWorld()
    await modelForAllRoutes(server, 'all')
    const wrong = as('ada', 'Team=a')
    const bodies: Record<string, object> = {
      '/v1/chat/completions': { model: 'm', messages },
      '/v1/completions': { model: 'm', prompt: 'Hello' },
      '/v1/responses': { model: 'm', input: 'Hello' },
      '/v1/embeddings': { model: 'all', input: 'Hello' },
      '/v1/images/generations': { model: 'all', prompt: 'A cat' },
      '/v1/audio/speech': { model: 'all', input: 'Hello', voice: 'v' },
      '/v1/messages': { model: 'm', messages, max_tokens: 9 },
      '/api/chat': { model: 'm', messages },
      '/api/generate': { model: 'm', prompt: 'Hello' },
      '/v1/rerank': { model: 'all', query: 'q', documents: ['d'] },
    }
    for (const [path, body] of Object.entries(bodies)) {
      const reply = await server.post(path, body, wrong)
      expect([path, reply.status, reply.text]).toEqual([path, 400, expect.stringContaining('x-svc-tags: tag 1')])
      if (!path.startsWith('/api/') && path !== '/v1/messages')
        expect([path, reply.json()]).toMatchObject([path, { error: { code: 'invalid_tags', param: 'x-svc-tags' } }])
    }
    const offer = { method: 'POST', headers: { 'content-type': 'application/sdp', ...wrong }, body: 'v=0' }
    const opened = await server.call('/v1/realtime/calls?model=m', offer)
    expect([opened.status, opened.text]).toEqual([400, expect.stringContaining('x-svc-tags: tag 1')])
    expect((await server.chat('m', {}, as('ada', 'a=1,a=2'))).status).toBe(400)
    for (const query of [
      'group_by=team',
      'group_by=tag:T',
      'tag=team',
      'tag=a:b&end_user=u',
      'group_by=end_user&tag=a:b',
    ])
      expect([query, (await server.call(`/api/auth/admin/usage?${query}`, { headers: root })).status]).toEqual([
        query,
        400,
      ])
    expect((await report(server, '')).totals).toMatchObject({ request_count: 0 })
  })

  it('keeps as many values of a day apart as it may, and sums the rest', async () => {
    await using server = await startWorld(['--max-usage-labels=2'])
    for (const index of [1, 2, 3, 4, 1, 3])
      await server.chat('m', { user: `u${index}` }, as('ada', `t=v${index},n${index}=x`))
    const expected = (name: string) => ({
      [`${name}1`]: [2, 2 * COST],
      [`${name}2`]: [1, COST],
      '(other)': [3, 3 * COST],
    })
    await eventually(async () => expect(await sums(server, 'group_by=end_user')).toEqual(expected('u')))
    // the names t and n1 came first
    expect(await sums(server, 'group_by=tag:t')).toEqual(expected('v'))
    expect(await sums(server, 'group_by=tag:n2')).toEqual({})
    expect(await sums(server, 'group_by=tag:(other)')).toEqual({ '(other)': [4, 4 * COST] })
    expect((await report(server, 'end_user=(other)')).totals).toMatchObject({ request_count: 3 })
    expect((await report(server, '')).totals).toMatchObject({ request_count: 6 })
  })

  it('is in tables without formulas', async () => {
    await using server = await startWorld()
    await server.chat('m', {}, as('ada', 'team==1+1'))
    const table = await server.call('/api/usage/all?group_by=tag:team&format=csv', { headers: root })
    const [head, row] = table.text.split('\r\n')
    expect(head).toMatch(/^bucket,value,prompt_tokens,/)
    expect(row).toMatch(/^\d{4}-\d\d-\d\d,'=1\+1,6,4,10,1,.*,0\.000046,USD$/)
  })
})

describe('end users as hashes', () => {
  it('are nowhere in plain text, and limits and filters know them', async () => {
    await using server = await startWorld(['--end-user-names=hashed'])
    const make = (fields: object) =>
      server.post('/api/limits', { subject_kind: 'end_user', window: 'day', ...fields }, root)
    const each = (await make({ subject_id: '*', max_requests: 2 })).json() as { limit: { id: string } }
    await make({ subject_id: 'narrow-name', max_requests: 1 })
    const ask = (user: string) => server.chat('m', { user }, as('ada', 'team=a'))
    for (const status of [200, 200, 429]) expect((await ask('wide-name')).status).toBe(status)
    const narrow = [await ask('narrow-name'), await ask('narrow-name')]
    expect(narrow.map(({ status }) => status)).toEqual([200, 429])
    const refused = await ask('wide-name')
    expect(refused.text).toMatch(/of the end user #[0-9a-f]{32}/)
    const shown = await server.call(`/api/limits/${each.limit.id}?of=wide-name`, { headers: root })
    expect(shown.json()).toMatchObject({ limit: { current: { requests: 2 } } })
    const { groups = [] } = await report(server, 'group_by=end_user')
    expect(groups).toMatchObject([
      { value: expect.stringMatching(/^#[0-9a-f]{32}$/) },
      { request_count: expect.any(Number) },
    ])
    expect(JSON.stringify(groups)).not.toMatch(/-name/)
    expect((await report(server, 'end_user=wide-name')).totals).toMatchObject({ request_count: 2 })
    const hash = groups.find(({ request_count }) => request_count === 2)?.value ?? ''
    expect((await report(server, `end_user=${encodeURIComponent(hash)}`)).totals).toMatchObject({ request_count: 2 })
    expect(server.logLines.join('')).not.toContain('wide-name')
  })
})

it('an agent passes the tags and the end user of its request on, and upstreams get no header', async () => {
  await using server = await startWorld()
  expect((await server.post('/api/agents', { name: 'clerk', model: 'm' }, root)).status).toBe(201)
  expect((await server.chat('clerk', { user: 'u9' }, as('ada', 'team=z'))).status).toBe(200)
  await eventually(async () => {
    const { usage } = await report(server, 'tag=team:z')
    expect(usage.map(({ model }) => model)).toContain('m')
    expect((await report(server, 'end_user=u9')).usage.map(({ model }) => model)).toContain('m')
  })
})
