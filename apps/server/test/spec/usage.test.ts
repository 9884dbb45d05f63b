import { request } from 'node:http'
import { join } from 'node:path'
import type { Principal } from '@svc/auth'
import { createDeferred, eventually } from '@svc/test-kit'
import { type UsageReply, type UsageSourcesReply, usageReply, usageSourcesReply } from '@svc/wire/native'
import { describe, expect, it } from 'vitest'
import { listInferenceRoutes } from '../support/inference-routes.ts'
import { createPeople } from '../support/people.ts'
import { openResponseSocket } from '../support/response-socket.ts'
import { modelForAllRoutes, nameModel, ROUTE_BODIES } from '../support/route-bodies.ts'
import { listKeys } from '../support/schema-bodies.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { readUsageRecords } from '../support/usage-records.ts'

const as = (name: string) => ({ authorization: `Bearer ${name}` })

/** Each caller has a key of its own; `shared` means a shared key and `browser` a session. */
const listRights = (name: string): Partial<Principal> => {
  if (name === 'shared') return { kind: 'legacy', role: 'admin', via: 'shared-key' }
  if (name === 'browser') return { via: 'session' }
  return { apiKey: { id: `key-of-${name}`, name: `Key of ${name}` } }
}

const startWorld = (): Promise<TestServer> => startTestServer({ authenticator: createPeople(listRights) })

async function readUsage(server: TestServer, name: string, query = ''): Promise<UsageReply> {
  const path = name === 'root' || name === 'shared' ? '/api/auth/admin/usage' : '/api/auth/usage'
  const reply = await server.call(`${path}${query}`, { headers: as(name) })
  expect(reply.status, reply.text).toBe(200)
  return usageReply.parse(reply.json())
}

async function readSources(server: TestServer, name: string, query = ''): Promise<UsageSourcesReply> {
  const path = name === 'root' ? '/api/auth/admin/usage/sources' : '/api/auth/usage/sources'
  const reply = await server.call(`${path}${query}`, { headers: as(name) })
  expect(reply.status, reply.text).toBe(200)
  return usageSourcesReply.parse(reply.json())
}

/** Counts tokens in the place of the backend. */
const OWN = { feature_flags: { usage: true } }

/** Asks and leaves: once the reply has a text, or else once the backend is at work. */
async function leave(
  server: TestServer,
  path: string,
  fields: Readonly<Record<string, unknown>> & { readonly model: string },
  { after }: { readonly after?: string } = {},
): Promise<void> {
  const countStarts = () =>
    server.records(fields.model).filter(({ event, rpc }) => event === 'start' && /Predict|Embedding/.test(rpc)).length
  const before = countStarts()
  const headers = { 'content-type': 'application/json', ...as('ada') }
  const left = createDeferred<void>()
  const outgoing = request(`${server.url}${path}`, { method: 'POST', headers }, (incoming) => {
    let seen = ''
    incoming.on('data', (piece: Buffer) => {
      seen += piece.toString()
      if (after !== undefined && seen.includes(after)) outgoing.destroy()
    })
    incoming.on('error', () => undefined)
  })
  outgoing.on('error', () => undefined)
  outgoing.once('close', () => left.resolve())
  outgoing.end(JSON.stringify({ ...ROUTE_BODIES[path], ...fields }))
  if (after === undefined) {
    await eventually(() => expect(countStarts()).toBeGreaterThan(before))
    outgoing.destroy()
  }
  await left.promise
}

describe('usage', () => {
  // verifies events:usage:rows, usage:record:endpoint, usage:record:duration, usage:record:time
  it('has one row for a request of every inference route, the same for each way to ask', async () => {
    await using server = await startWorld()
    await modelForAllRoutes(server)
    const startedAt = Date.now()
    const asked: { readonly name: string; readonly path: string }[] = []
    let byAdmin = 0
    for (const route of await listInferenceRoutes(server)) {
      const body = ROUTE_BODIES[route.path]
      if (body === undefined) throw new Error(`${route.path} has no body here`)
      const keys = listKeys(route.schema)
      const ways = keys.has('stream') ? [{ stream: false }, { stream: true }] : [{}]
      for (const [index, way] of ways.entries()) {
        const name = `${route.path}-${index}`
        const model = keys.has('model') || keys.has('keys') || keys.has('key') ? nameModel(route.path, 'm') : {}
        const path = route.path.replace(/:\w+/, 'm')
        const admin = route.access === 'admin' ? 'root' : name
        const reply = await server.post(path, { ...body, ...model, ...way }, as(admin))
        expect([route.path, reply.status, reply.text]).toEqual([route.path, 200, reply.text])
        if (route.access !== 'admin') asked.push({ name, path: route.path })
        const row = await readUsage(server, admin, route.access === 'admin' ? '?user_id=root' : '')
        if (route.access === 'admin') byAdmin += 1
        expect([name, row.totals.request_count]).toEqual([name, route.access === 'admin' ? byAdmin : 1])
      }
    }
    for (const { name, path } of asked) {
      const { usage, totals } = await readUsage(server, name)
      expect(usage).toHaveLength(1)
      expect(usage[0]).toMatchObject({ model: 'm', user_id: name, source: 'apikey', api_key_id: `key-of-${name}` })
      const generated = /chat|completions|edits|generate|moderations|messages$|responses$/.test(path)
      if (generated) expect([path, totals.prompt_tokens, totals.completion_tokens]).toEqual([path, 5, 3])
      else expect([path, totals.completion_tokens]).toEqual([path, 0])
      expect(totals.total_tokens).toBe(totals.prompt_tokens + totals.completion_tokens)
    }
    const records = readUsageRecords(join(server.folder, 'data'))
    for (const { name, path } of asked) {
      const record = records.find(({ user_id }) => user_id === name)
      expect(record?.endpoint).toBe(path)
      expect(record?.duration_ms).toBeGreaterThanOrEqual(0)
      expect(record?.created_at).toBeGreaterThanOrEqual(startedAt)
    }
  })

  it('has a row for each message of a socket and for a background response', async () => {
    await using server = await startWorld()
    await modelForAllRoutes(server)
    await using socket = await openResponseSocket(server.url, { headers: as('ada') })
    await socket.create()
    await socket.create()
    expect((await readUsage(server, 'ada')).totals).toEqual({
      prompt_tokens: 10,
      completion_tokens: 6,
      total_tokens: 16,
      request_count: 2,
    })
    await server.post('/v1/responses', { model: 'm', input: 'Hello', background: true, store: true }, as('bob'))
    await eventually(async () => expect((await readUsage(server, 'bob')).totals.total_tokens).toBe(8))
  })

  // verifies usage:row:source, usage:row:user, usage:row:api-key, user-key:usage:label-copied, access:legacy:usage-hidden
  // verifies auth-api:usage:own, auth-api:usage:own-sources, auth-api:usage:own-without-legacy, auth-api:usage:own-scope
  // verifies auth-api:admin:usage, auth-api:usage:shape, access:user:own-usage
  it('names who asked, and shows accounts their own rows and admins all', async () => {
    await using server = await startWorld()
    await modelForAllRoutes(server)
    for (const name of ['ada', 'ada', 'bob', 'browser', 'shared'])
      expect((await server.chat('m', {}, as(name))).status).toBe(200)
    const label = expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/)
    const figures = { bucket: label, model: 'm' }
    const twice = { prompt_tokens: 10, completion_tokens: 6, total_tokens: 16, request_count: 2 }
    const keyed = { source: 'apikey', api_key_id: 'key-of-ada', api_key_name: 'Key of ada' }
    expect(await readUsage(server, 'ada')).toEqual({
      usage: [{ ...figures, user_id: 'ada', user_name: 'ada', ...keyed, ...twice }],
      totals: twice,
    })
    const all = await readUsage(server, 'root')
    expect(all.usage.map(({ user_id, source }) => [user_id, source]).sort()).toEqual([
      ['ada', 'apikey'],
      ['bob', 'apikey'],
      ['browser', 'web'],
      ['shared', 'legacy'],
    ])
    expect(all.usage.filter(({ source }) => source !== 'apikey').map((row) => 'api_key_id' in row)).toEqual([
      false,
      false,
    ])
    expect((await readUsage(server, 'root', '?user_id=bob')).totals.request_count).toBe(1)
    const own = await readSources(server, 'ada')
    expect(own.totals).toEqual({
      by_source: { apikey: { tokens: 16, requests: 2 } },
      by_key: [
        {
          ...keyed,
          source: undefined,
          user_id: 'ada',
          user_name: 'ada',
          tokens: 16,
          requests: 2,
          last_used: expect.any(String),
        },
      ],
      grand_total: { tokens: 16, requests: 2 },
    })
    expect((await readSources(server, 'browser')).totals.by_source).toEqual({ web: { tokens: 8, requests: 1 } })
    const sources = await readSources(server, 'root')
    expect(sources.totals.by_source).toEqual({
      apikey: { tokens: 24, requests: 3 },
      web: { tokens: 8, requests: 1 },
      legacy: { tokens: 8, requests: 1 },
    })
    expect(sources.totals.by_user_source).toHaveLength(2)
    expect(sources.truncated).toBe(false)
    expect((await readSources(server, 'root', '?api_key_id=key-of-bob')).totals.grand_total.requests).toBe(1)
    // an account that asks with a shared key's id sees nothing of it
    const mine = await server.call('/api/auth/usage?user_id=ada', { headers: as('bob') })
    expect((mine.json() as UsageReply).usage.map(({ user_id }) => user_id)).toEqual(['bob'])
    expect((await server.call('/api/auth/admin/usage', { headers: as('ada') })).status).toBe(403)
    expect((await server.call('/api/auth/usage')).status).toBe(401)
  })

  it('counts a request whose client leaves, with what was seen', async () => {
    await using server = await startWorld()
    await server.model('m', {
      rules: [{ rpc: 'PredictStream', do: { pieces: ['one ', 'two ', 'three '], promptTokens: 5, hang: 2 } }],
    })
    await leave(server, '/v1/chat/completions', { model: 'm', stream: true }, { after: 'two' })
    await eventually(async () => {
      const { totals } = await readUsage(server, 'ada')
      expect(totals.request_count).toBe(1)
      expect(totals.completion_tokens).toBe(2)
    })
  })

  // verifies usage:record:left-whole
  it('counts the prompt of a request that is left before its backend has told of it', async () => {
    await using server = await startWorld()
    const hang = [{ rpc: 'Predict*', do: { hang: true } }]
    await server.model('whole', { rules: hang })
    await server.model('uncounted', { rules: hang, without: ['TokenizeString'] })
    await server.model('own', { rules: [{ rpc: 'PredictStream', do: { pieces: ['one ', 'two '], hang: 2 } }] }, OWN)
    await server.model('vectors', { rules: [{ rpc: 'Embedding', do: { hang: true } }] }, { embeddings: true })
    await server.model('fine')
    const content = 'some words of a prompt that is read'
    const chat = { messages: [{ role: 'user', content }] }
    await server.post('/v1/chat/completions', { model: 'fine', ...chat }, as('ada'))
    await leave(server, '/v1/chat/completions', { model: 'whole', ...chat })
    await leave(server, '/v1/chat/completions', { model: 'whole', stream: true, ...chat })
    await leave(server, '/api/chat', { model: 'whole', stream: false, ...chat })
    await leave(server, '/v1/messages', { model: 'whole', max_tokens: 5, ...chat })
    await leave(server, '/v1/chat/completions', { model: 'own', stream: true, ...chat }, { after: 'two' })
    await leave(server, '/v1/chat/completions', { model: 'uncounted', ...chat })
    await leave(server, '/v1/embeddings', { model: 'vectors', input: [content, content] })
    const byModel = async () => {
      const { usage } = await readUsage(server, 'ada')
      return Object.fromEntries(
        usage.map((row) => [row.model, [row.request_count, row.prompt_tokens, row.estimated_request_count ?? 0]]),
      )
    }
    const { fine: [, prompt = 0] = [] } = await byModel()
    expect(prompt).toBeGreaterThan(0)
    await eventually(async () =>
      expect(await byModel()).toEqual({
        fine: [1, prompt, 0],
        whole: [4, 4 * prompt, 0],
        own: [1, prompt, 0],
        uncounted: [1, Math.ceil(content.length / 4), 1],
        vectors: [1, 2 * Math.ceil(content.length / 4), 1],
      }),
    )
  })

  it('has no row for a request that was refused, or failed before it used anything', async () => {
    await using server = await startWorld()
    await modelForAllRoutes(server)
    await server.model('broken', {
      rules: [{ rpc: 'Predict*', do: { failure: { status: 'INTERNAL', message: 'no' } } }],
    })
    await server.model('late', {
      rules: [
        {
          rpc: 'Predict*',
          do: {
            text: 'one two three',
            promptTokens: 5,
            failure: { status: 'INTERNAL', message: 'no', afterPieces: 2 },
          },
        },
      ],
    })
    expect((await server.chat('nobody', {}, as('ada'))).status).toBe(404)
    expect((await server.chat('m', { messages: 7 }, as('ada'))).status).toBe(400)
    expect((await server.chat('broken', {}, as('ada'))).status).toBe(500)
    expect((await readUsage(server, 'ada')).usage).toEqual([])
    expect((await server.chat('late', { stream: true }, as('ada'))).text).toContain('error')
    expect((await readUsage(server, 'ada')).totals).toMatchObject({ request_count: 1, completion_tokens: 2 })
  })

  // verifies auth-api:period:default
  it('DB-1: takes any query and never fails on one', async () => {
    await using server = await startWorld()
    await modelForAllRoutes(server)
    await server.chat('m', {}, as('ada'))
    const naughty = [
      "'; DROP TABLE auth_usage_records; --",
      '%',
      '_',
      '\\',
      '"',
      '1e400',
      '-1',
      '\u{1f600}',
      '../..',
      'null',
      'x'.repeat(200),
    ]
    for (const text of naughty) {
      const value = encodeURIComponent(text)
      const period = await readUsage(server, 'root', `?period=${value}`)
      expect([text, period.totals.request_count]).toEqual([text, 1])
      expect((await readUsage(server, 'root', `?user_id=${value}`)).usage).toEqual([])
      expect((await readSources(server, 'root', `?user_id=ada&api_key_id=${value}`)).buckets).toEqual([])
      expect((await readUsage(server, 'ada', `?period=${value}&user_id=${value}`)).totals.request_count).toBe(1)
    }
    for (const text of ['a%00b', 'x'.repeat(201), 'x'.repeat(9000)]) {
      const reply = await server.call(`/api/auth/admin/usage?user_id=${text}`, { headers: as('root') })
      expect([reply.status, reply.json()]).toEqual([400, { error: 'user_id is not an id' }])
    }
    for (const period of ['', '?period=', '?period=month', '?period=MONTH', '?period=all&period=day']) {
      expect((await readUsage(server, 'ada', period)).totals.request_count).toBe(1)
    }
  })

  it('is that of the local user where no auth is configured', async () => {
    await using server = await startTestServer()
    await modelForAllRoutes(server)
    expect((await server.chat('m')).status).toBe(200)
    const own = (await server.call('/api/auth/usage')).json() as UsageReply
    const all = (await server.call('/api/auth/admin/usage')).json() as UsageReply
    expect(own.usage).toMatchObject([{ user_name: 'Local', source: 'web', request_count: 1 }])
    expect(all.usage).toEqual(own.usage)
  })

  it('is kept over a restart', async () => {
    await using server = await startWorld()
    await modelForAllRoutes(server)
    await server.chat('m', {}, as('ada'))
    await server.server.close()
    expect(readUsageRecords(join(server.folder, 'data'))).toMatchObject([{ user_id: 'ada', total_tokens: 8 }])
  })
})
