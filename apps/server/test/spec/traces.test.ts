import { join } from 'node:path'
import { eventually, findCanariesInFiles, findCanariesInValues, makeCanary, startUpstream } from '@svc/test-kit'
import { type backendTrace, backendTraceList, trace, traceList, traceSummary } from '@svc/wire/native'
import { describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { listInferenceRoutes } from '../support/inference-routes.ts'
import { startPiiWorld } from '../support/pii-world.ts'
import { openResponseSocket } from '../support/response-socket.ts'
import { modelForAllRoutes, nameModel, ROUTE_BODIES } from '../support/route-bodies.ts'
import { listKeys } from '../support/schema-bodies.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

type Trace = z.infer<typeof trace>
type BackendTrace = z.infer<typeof backendTrace>

const ON = ['--enable-tracing']

async function listTraces(server: TestServer, query = ''): Promise<Trace[]> {
  const reply = await server.call(`/api/traces${query}`)
  expect(reply.status, reply.text).toBe(200)
  return traceList.parse(reply.json())
}

async function listBackendTraces(server: TestServer, query = ''): Promise<BackendTrace[]> {
  const reply = await server.call(`/api/backend-traces${query}`)
  expect(reply.status, reply.text).toBe(200)
  return backendTraceList.parse(reply.json())
}

async function summarize(server: TestServer, query = ''): Promise<z.infer<typeof traceSummary>> {
  return traceSummary.parse((await server.call(`/api/traces/summary${query}`)).json())
}

const decode = (body: string | null): string => Buffer.from(body ?? '', 'base64').toString('utf8')

describe('tracing', () => {
  // verifies traces:recording:off
  it('keeps nothing until it is turned on, and nothing again once it is off', async () => {
    await using server = await startTestServer()
    await server.model('m')
    await server.chat('m')
    expect([await listTraces(server), await listBackendTraces(server)]).toEqual([[], []])
    expect(await summarize(server)).toMatchObject({ total: 0, errors: 0, p95_ms: 0, window_hours: 24 })
    const set = (enable_tracing: boolean) => server.post('/api/settings', { enable_tracing })
    expect((await set(true)).status).toBe(200)
    await server.chat('m')
    await set(false)
    await server.chat('m')
    expect(await listTraces(server)).toHaveLength(1)
    expect(await listBackendTraces(server)).toHaveLength(1)
    expect((await summarize(server)).total).toBe(1)
  })

  it('is turned on by the variable too', async () => {
    await using server = await startTestServer({ env: { SVC_ENABLE_TRACING: 'true' } })
    await server.model('m')
    await server.chat('m')
    expect(await listTraces(server)).toHaveLength(1)
  })

  // verifies traces:list:route, backend-traces:list:route
  it('has one trace for a request of every inference route, and its call to the backend under the same id', async () => {
    await using server = await startTestServer({ flags: ON })
    await modelForAllRoutes(server)
    for (const route of await listInferenceRoutes(server)) {
      const keys = listKeys(route.schema)
      const ways = keys.has('stream') ? [{ stream: false }, { stream: true }] : [{}]
      for (const way of ways) {
        const before = (await listTraces(server, '?limit=0')).length
        const model = keys.has('model') || keys.has('keys') || keys.has('key') ? nameModel(route.path, 'm') : {}
        const reply = await server.post(route.path.replace(/:\w+/, 'm'), {
          ...ROUTE_BODIES[route.path],
          ...model,
          ...way,
        })
        expect([route.path, reply.status]).toEqual([route.path, 200])
        const [newest, ...older] = await listTraces(server, '?limit=0')
        expect([route.path, older.length]).toEqual([route.path, before])
        expect(newest).toMatchObject({
          correlation_id: reply.headers['x-correlation-id'],
          request: { method: 'POST', path: route.path, body: null },
          response: { status: 200, headers: { 'content-type': expect.any(String) } },
          served_model: 'm',
          phases: { body: expect.any(Number), model: expect.any(Number), reply: expect.any(Number) },
        })
        const one = trace.parse((await server.call(`/api/traces/${newest?.id}`)).json())
        // Traces keep no vectors, no values of stores, no sound and no bytes of images.
        const isKept = route.usecase !== 'stores'
        const isSound = reply.headers['content-type']?.startsWith('audio/') === true
        const isMedia = isSound || reply.text.includes('"b64_json"')
        expect(decode(one.response.body)).toBe(isKept && !isMedia ? reply.text : '')
        const asked = ROUTE_BODIES[route.path] ?? {}
        const shown =
          'audio' in asked && Array.isArray(asked.audio) ? { audio: `${asked.audio.length} samples` } : asked
        expect(JSON.parse(decode(one.request.body))).toMatchObject(isKept ? shown : model)
        const calls = await listBackendTraces(server, '?limit=0')
        const own = calls.filter(({ correlation_id }) => correlation_id === newest?.correlation_id)
        expect([route.path, own.length > 0]).toEqual([route.path, true])
        expect(own.every(({ status, model_name }) => status === 'completed' && model_name === 'm')).toBe(true)
      }
    }
    const types = new Set((await listBackendTraces(server, '?limit=0')).map(({ type }) => type))
    expect([...types].sort()).toEqual([
      ...['detection', 'embedding', 'image', 'llm', 'model_load', 'rerank', 'score', 'slot', 'sound_generation'],
      ...['tokenize', 'tts', 'vad', 'vector_store', 'video'],
    ])
    expect((await summarize(server)).total).toBe((await listTraces(server, '?limit=0')).length)
  })

  it('has one trace for each message of a socket, and for a background response to its end', async () => {
    await using server = await startTestServer({ flags: ON })
    await modelForAllRoutes(server)
    await using socket = await openResponseSocket(server.url, {})
    await socket.create()
    await socket.create()
    expect(await listTraces(server)).toHaveLength(2)
    await server.post('/v1/responses', { model: 'm', input: 'Hello', background: true, store: true })
    await eventually(async () =>
      expect((await listTraces(server)).map(({ response }) => response.status)).toEqual([200, 200, 200]),
    )
  })

  it('lists a running request with status 0 and its call as running, each at its place', async () => {
    await using server = await startTestServer({ flags: ON })
    await server.model('slow', { rules: [{ rpc: 'Predict*', do: { pieces: ['a', 'b'], delayMs: 60_000 } }] })
    await server.model('m')
    const left = new AbortController()
    const running = fetch(new URL('/v1/chat/completions', server.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'slow', messages: [{ role: 'user', content: 'Hello' }] }),
      signal: left.signal,
    })
    const gone = expect(running).rejects.toThrow()
    await eventually(async () =>
      expect(await listBackendTraces(server)).toContainEqual(
        expect.objectContaining({ type: 'llm', status: 'running' }),
      ),
    )
    await server.chat('m')
    const listed = await listTraces(server)
    expect(listed.map(({ response, model }) => [response.status, model])).toEqual([
      [200, 'm'],
      [0, 'slow'],
    ])
    const id = listed[1]?.id
    expect(trace.parse((await server.call(`/api/traces/${id}`)).json()).response.status).toBe(0)
    left.abort()
    await gone
    await eventually(async () =>
      expect((await listTraces(server)).find((each) => each.id === id)?.response.status).toBe(499),
    )
    expect(await summarize(server)).toMatchObject({ total: 2, errors: 0 })
  })

  // verifies traces:summary:errors, traces:summary:shape
  it('has the real status of what fails; only 5xx and streams that break off are failures', async () => {
    await using server = await startTestServer({ flags: [...ON, '--max-concurrent-backend-requests=1024'] })
    const failure = { status: 'INTERNAL', message: 'broke' } as const
    await server.model('m', {
      rules: [
        { rpc: 'Predict', do: { failure } },
        { rpc: 'PredictStream', do: { pieces: ['a', 'b'], failure: { ...failure, afterPieces: 1 } } },
      ],
    })
    await server.model('broken', { rules: [{ rpc: 'LoadModel', do: { failure } }] })
    const replies = [
      await server.chat('m'),
      await server.chat('m', { stream: true }),
      await server.chat('unknown'),
      await server.chat('m', { messages: 7 }),
      await server.call('/v1/chat/completions', {
        method: 'POST',
        body: '{',
        headers: { 'content-type': 'application/json' },
      }),
      await server.chat('broken'),
    ]
    const listed = (await listTraces(server)).reverse()
    expect(listed.map(({ response }) => response.status)).toEqual(replies.map(({ status }) => status))
    expect(listed.map(({ response }) => response.status)).toEqual([500, 200, 404, 400, 400, 500])
    expect(listed.map(({ error }) => error !== undefined)).toEqual([true, true, true, true, true, true])
    const summary = await summarize(server, '?hours=1')
    expect(summary).toMatchObject({ total: 6, errors: 3, window_hours: 1 })
    expect(summary.buckets).toHaveLength(12)
    expect(summary.buckets[11]).toMatchObject({ count: 6, errors: 3 })
    const failed = await listBackendTraces(server)
    expect(listed.map((one) => one.failed === true)).toEqual([true, true, false, false, false, true])
    expect(
      failed
        .filter(({ status }) => status === 'failed')
        .map(({ type }) => type)
        .sort(),
    ).toEqual(['llm', 'llm', 'llm', 'model_load'])
  })

  verifies(
    ['traces:failed:everywhere', 'traces:summary:filters'],
    'counts a stream that broke off as failed in the list, in the filter and in the summary alike',
    async () => {
      await using server = await startTestServer({ flags: ON })
      const cut = { pieces: ['a', 'b'], failure: { status: 'INTERNAL', message: 'broke', afterPieces: 1 } } as const
      await server.model('m', { rules: [{ rpc: 'PredictStream', call: 2, do: cut }] })
      await server.model('bad', { rules: [{ rpc: 'Predict', do: { failure: { status: 'INTERNAL', message: 'no' } } }] })
      for (const [model, stream] of [
        ['m', false],
        ['m', true],
        ['m', true],
        ['bad', false],
        ['unknown', false],
      ] as const)
        await server.chat(model, { stream })
      const rows = [
        ['', ['5', '4', '3', '2', '1'], 2],
        ['status=failed', ['4', '3'], 2],
        ['status=5xx', ['4'], 1],
        ['status=2xx', ['2', '1'], 0],
        ['status=200', ['2', '1'], 0],
        ['status=2xx,failed', ['4', '3', '2', '1'], 2],
        ['status=4xx,failed', ['5', '4', '3'], 2],
        ['status=failed&model=m', ['3'], 1],
        ['model=m', ['3', '2', '1'], 1],
        ['model=nobody', [], 0],
        ['q=broke', ['3'], 1],
        ['min_duration_ms=60000', [], 0],
      ] as const
      for (const [query, ids, errors] of rows) {
        expect([query, (await listTraces(server, `?${query}`)).map(({ id }) => id)]).toEqual([query, ids])
        const summary = await summarize(server, `?${query}`)
        expect([query, summary.total, summary.errors]).toEqual([query, ids.length, errors])
        expect(summary.buckets[11]?.count).toBe(ids.length)
      }
      expect((await server.call('/api/traces/summary?status=6xx')).status).toBe(400)
    },
  )

  it('follows its settings while the server runs, and survives a restart', async () => {
    await using first = await startTestServer({ flags: [] })
    const { folder } = first
    await first.model('m')
    await first.post('/api/settings', { enable_tracing: true, tracing_max_items: 3, tracing_max_body_bytes: 10 })
    for (let count = 0; count < 5; count += 1) await first.chat('m')
    const reply = await first.call('/api/traces?limit=2&offset=1&full=true')
    expect(reply.headers).toMatchObject({ 'x-total-count': '3', 'x-trace-offset': '1', 'x-trace-limit': '2' })
    const [one] = traceList.parse(reply.json())
    expect(one?.request).toMatchObject({ body_truncated: true, body_bytes: expect.any(Number) })
    expect(decode(one?.request.body ?? null)).toHaveLength(10)
    expect((await summarize(first)).total).toBe(5)
    const ids = (await listTraces(first)).map(({ id }) => id)
    await first.server.close()
    await using second = await startTestServer({ folder })
    expect((await listTraces(second)).map(({ id }) => id)).toEqual(ids)
    expect((await summarize(second)).total).toBe(5)
    await second.chat('m')
    expect((await listTraces(second))[0]?.id).toBe('6')
    expect((await listBackendTraces(second, '?limit=2')).map(({ type }) => type)).toEqual(['model_load', 'llm'])
    expect((await second.post('/api/settings', { tracing_max_body_bytes: 0 })).status).toBe(200)
    await second.chat('m')
    const [bare] = await listTraces(second, '?full=true&limit=1')
    expect([bare?.request.body, bare?.response.body]).toEqual([null, null])
  })

  // verifies traces:clear:route, backend-traces:clear:route
  it('is cleared, requests and calls apart', async () => {
    await using server = await startTestServer({ flags: ON })
    await server.model('m')
    await server.chat('m')
    expect((await server.call('/api/backend-traces/clear', { method: 'POST' })).status).toBe(204)
    expect([(await listTraces(server)).length, (await listBackendTraces(server)).length]).toEqual([1, 0])
    expect((await server.call('/api/traces/clear', { method: 'POST' })).status).toBe(204)
    expect(await listTraces(server)).toEqual([])
    expect((await summarize(server)).total).toBe(0)
  })

  it('is filtered by model, status, caller, duration, time, text and request, and pages count what matches', async () => {
    await using server = await startTestServer({ flags: ON })
    const failure = { status: 'INTERNAL', message: 'broke' } as const
    await server.model('m')
    await server.model('team-bad', { rules: [{ rpc: 'Predict', do: { failure } }] })
    const before = new Date().toISOString()
    for (const model of ['m', 'team-bad', 'unknown', 'm']) await server.chat(model)
    const after = new Date(Date.now() + 1000).toISOString()
    const [newest] = await listTraces(server)
    const ids = async (query: string) => (await listTraces(server, `?${query}`)).map(({ id }) => id)
    expect(await ids('model=m')).toEqual(['4', '1'])
    expect(await ids('model=team-bad')).toEqual(['2'])
    expect(await ids('status=2xx')).toEqual(['4', '1'])
    expect(await ids('status=4xx,500')).toEqual(['3', '2'])
    expect(await ids('status=running')).toEqual([])
    expect(await ids('user=local')).toEqual(['4', '3', '2', '1'])
    expect(await ids('user=somebody')).toEqual([])
    expect(await ids('min_duration_ms=0')).toEqual(['4', '3', '2', '1'])
    expect(await ids('min_duration_ms=60000')).toEqual([])
    expect(await ids(`since=${before}&until=${after}`)).toEqual(['4', '3', '2', '1'])
    expect(await ids(`since=${after}`)).toEqual([])
    expect(await ids(`until=${before.replace('Z', '+00:00')}`)).toEqual([])
    expect(await ids('q=TEAM-')).toEqual(['2'])
    expect(await ids('q=chat/completions&status=404')).toEqual(['3'])
    expect(await ids(`correlation_id=${newest?.correlation_id}`)).toEqual(['4'])
    const page = await server.call('/api/traces?model=m&limit=1&offset=1')
    expect(page.headers).toMatchObject({ 'x-total-count': '2', 'x-trace-offset': '1', 'x-trace-limit': '1' })
    expect(traceList.parse(page.json()).map(({ id }) => id)).toEqual(['1'])
    const calls = async (query: string) =>
      (await listBackendTraces(server, `?${query}`)).map(({ type, model_name }) => [type, model_name])
    expect(await calls(`correlation_id=${newest?.correlation_id}`)).toEqual([['llm', 'm']])
    expect(await calls('status=failed')).toEqual([['llm', 'team-bad']])
    expect(await calls('type=model_load&model=m')).toEqual([['model_load', 'm']])
    for (const query of [
      'status=6xx',
      'status=ok',
      'since=yesterday',
      'until=1',
      'min_duration_ms=-1',
      `q=${'x'.repeat(257)}`,
    ]) {
      const reply = await server.call(`/api/traces?${query}`)
      expect([query, reply.status, reply.json()]).toEqual([
        query,
        400,
        { error: expect.objectContaining({ param: query.split('=')[0] }) },
      ])
    }
    expect((await server.call('/api/backend-traces?status=200')).status).toBe(400)
  })

  it('tells where the time of a request went', async () => {
    await using server = await startTestServer({ flags: ON })
    const load = { rpc: 'LoadModel', do: { delayMs: 520 } } as const
    await server.model('m', { rules: [load, { rpc: 'Predict*', do: { pieces: ['a', 'b'], delayMs: 60 } }] })
    await server.chat('m', { stream: true })
    await server.chat('m', { stream: true })
    const [warm, cold] = (await listTraces(server)).map(({ phases }) => phases)
    const names = ['admission', 'pii', 'router', 'load', 'prompt', 'first_byte', 'first_token', 'total']
    for (const phases of [warm, cold])
      expect(phases).toMatchObject(Object.fromEntries(names.map((name) => [name, expect.any(Number)])))
    expect(cold?.load).toBeGreaterThanOrEqual(500)
    expect(warm?.load).toBeLessThan(500)
    for (const { prompt = 0, first_token = 0, total = 0, load: waited = 0 } of [warm ?? {}, cold ?? {}]) {
      expect(prompt).toBeGreaterThanOrEqual(40)
      expect(first_token).toBeGreaterThanOrEqual(prompt + waited - 1)
      expect(total).toBeGreaterThanOrEqual(first_token)
    }
  })

  it('refuses ids that do not exist, and takes the usual page where a number cannot be read', async () => {
    await using server = await startTestServer({ flags: ON })
    for (const query of ['limit=x', 'offset=-1', 'limit=1.5']) {
      const { headers } = await server.call(`/api/traces?${query}`)
      expect([query, headers['x-trace-limit'], headers['x-trace-offset']]).toEqual([query, '50', '0'])
    }
    for (const path of ['/api/traces/7', '/api/traces/x', '/api/backend-traces/0']) {
      const reply = await server.call(path)
      expect([reply.status, reply.json()]).toEqual([
        404,
        { error: expect.objectContaining({ message: 'trace not found', code: 404, type: '' }) },
      ])
    }
  })
})

describe('traces hold no secrets', () => {
  // verifies traces:recording:no-headers, traces:recording:bodies-filtered
  it('of headers, masked text and values that were put back, on disk and over HTTP', async () => {
    const key = makeCanary('key', { plain: true })
    const header = makeCanary('header', { plain: true })
    const masked = makeCanary('masked', { plain: true })
    await using world = await startPiiWorld({ flags: [...ON] })
    const { server } = world
    await world.patterns('secrets', { SECRET: `${masked.value.slice(0, 6)}\\S+` })
    const pii = { enabled: true, detectors: ['secrets'], reversible_redactions: true }
    const answer = 'Say [REDACTED:SECRET_001] again.'
    await server.model('m', { rules: [{ rpc: 'Predict*', do: { text: answer, split: 'characters' } }] }, { pii })
    await world.far('far', { pii })
    world.upstream.replyWith({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'x', choices: [{ index: 0, message: { role: 'assistant', content: answer } }] }),
    })
    const messages = [{ role: 'user', content: `Tell ${masked.value} to Ada` }]
    const headers = {
      authorization: `Bearer ${key.value}`,
      'user-agent': header.value,
      cookie: `session=${header.value}`,
    }
    for (const body of [
      { model: 'm', messages },
      { model: 'm', messages, stream: true },
      { model: 'far', messages },
    ]) {
      const reply = await server.post('/v1/chat/completions', body, headers)
      expect(reply.status, reply.text).toBe(200)
      if (!('stream' in body)) expect(reply.text).toContain(masked.value)
    }
    await world.patterns(
      'strict',
      { SECRET: `${masked.value.slice(0, 6)}\\S+` },
      { entity_actions: { SECRET: 'block' } },
    )
    await server.model('b', {}, { pii: { enabled: true, detectors: ['strict'] } })
    expect((await server.post('/v1/chat/completions', { model: 'b', messages }, headers)).status).toBe(400)
    const full = await listTraces(server, '?full=true')
    expect(full).toHaveLength(4)
    const bodies = full.map(({ request, response }) => [decode(request.body), decode(response.body)])
    for (const [request, response] of bodies.slice(1)) {
      expect(request).toContain('[REDACTED:')
      expect(response).not.toBe('')
    }
    expect(bodies[0]).toEqual(['', ''])
    for (const each of full) expect(each.request).not.toHaveProperty('headers')
    const shown = [JSON.stringify(full), JSON.stringify(bodies), JSON.stringify(await listBackendTraces(server))]
    expect(findCanariesInValues(shown, [key, header, masked])).toEqual([])
    const scans = (await listBackendTraces(server)).filter(({ type }) => type === 'pattern_pii')
    expect(scans.length).toBeGreaterThan(3)
    const requests = new Set(full.map(({ correlation_id }) => correlation_id))
    expect(scans.filter(({ correlation_id = '' }) => !requests.has(correlation_id))).toEqual([])
    const { folder } = server
    await server.server.close()
    expect(await findCanariesInFiles([join(folder, 'data', 'traces')], [key, header, masked])).toEqual([])
  })

  it('relays the status and the body of an upstream, and names the call', async () => {
    await using upstream = await startUpstream()
    await using server = await startTestServer({ flags: ON })
    const proxy = { upstream_url: `${upstream.origin}/v1/chat/completions`, mode: 'passthrough', provider: 'openai' }
    await server.model('far', {}, { backend: 'cloud-proxy', proxy })
    upstream.replyWith({
      status: 503,
      headers: { 'content-type': 'application/json' },
      body: '{"error":{"message":"busy"}}',
    })
    expect((await server.chat('far')).status).toBe(503)
    const [one] = await listTraces(server, '?full=true')
    expect(one).toMatchObject({ response: { status: 503 }, served_model: 'far' })
    expect(decode(one?.response.body ?? null)).toBe('{"error":{"message":"busy"}}')
    expect(await summarize(server)).toMatchObject({ total: 1, errors: 1 })
    expect((await listBackendTraces(server))[0]).toMatchObject({
      type: 'llm',
      backend: 'cloud-proxy',
      data: { status: 503 },
      correlation_id: one?.correlation_id,
    })
  })
})
