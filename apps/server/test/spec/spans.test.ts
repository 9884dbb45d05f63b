import {
  eventually,
  findCanariesInValues,
  makeCanary,
  type OtlpReceiver,
  type OtlpSpan,
  startOtlpReceiver,
} from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { type PiiWorld, startPiiWorld } from '../support/pii-world.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const TOLD = /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/

const variables = (endpoint: string, more: Record<string, string> = {}) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  ...more,
})

/** A server that sends spans, with a model upstream. */
async function startWorld(more: Record<string, string> = {}): Promise<PiiWorld & { readonly receiver: OtlpReceiver }> {
  const receiver = await startOtlpReceiver()
  const world = await startPiiWorld({ env: variables(receiver.endpoint, more) })
  world.upstream.replyWith({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      id: 'x',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
    }),
  })
  return {
    ...world,
    receiver,
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]()
      await receiver[Symbol.asyncDispose]()
    },
  }
}

/** Waits for the spans of one request. */
async function collectSpans(
  { receiver }: { readonly receiver: OtlpReceiver },
  correlationId: unknown,
): Promise<OtlpSpan[]> {
  const find = () => {
    const all = receiver.spans()
    const own = all.find(
      ({ kind, attributes }) => kind === 2 && attributes['svc.correlation_id'] === String(correlationId),
    )
    return own === undefined ? [] : [own, ...all.filter((one) => one.traceId === own.traceId && one !== own)]
  }
  await eventually(async () => expect(find().length).toBeGreaterThan(1))
  return find()
}

/** The trace that the last call of a model carried. */
const toldBackend = (server: TestServer, model: string, rpc: string): string | undefined =>
  server.records(model).findLast((one) => one.event === 'start' && one.rpc === rpc)?.metadata?.traceparent

describe('spans', () => {
  it('of a request, its stages and its call form one trace, which the backend is told', async () => {
    await using world = await startWorld({
      OTEL_SERVICE_NAME: 'models',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-the-receiver',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    })
    const { server, receiver } = world
    await server.model('m', { rules: [{ rpc: 'Predict*', do: { pieces: ['a', 'b'], delayMs: 30 } }] })
    for (const stream of [false, true]) {
      const reply = await server.chat('m', { stream }, { traceparent: `00-${TRACE}-${SPAN}-01` })
      expect(reply.status).toBe(200)
      const [request, ...inner] = await collectSpans(world, reply.headers['x-correlation-id'])
      const own = inner.filter(({ parentSpanId }) => parentSpanId === request?.spanId)
      expect(request).toMatchObject({
        traceId: TRACE,
        parentSpanId: SPAN,
        name: 'POST /v1/chat/completions',
        kind: 2,
        statusCode: 0,
        resource: { 'service.name': 'models', 'deployment.environment': 'test', 'service.version': '0.0.0' },
        scope: 'svc',
        attributes: {
          'http.request.method': 'POST',
          'http.route': '/v1/chat/completions',
          'http.response.status_code': 200,
          'gen_ai.operation.name': 'chat',
          'gen_ai.request.model': 'm',
          'gen_ai.response.model': 'm',
          'gen_ai.usage.input_tokens': expect.any(Number),
          'gen_ai.usage.output_tokens': expect.any(Number),
          'svc.first_token_ms': expect.any(Number),
          'svc.load_ms': expect.any(Number),
        },
      })
      const call = own.find(({ kind }) => kind === 3)
      expect(call).toMatchObject({
        name: 'chat m',
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': 'mock',
          'gen_ai.request.model': 'm',
          'svc.call': 'llm',
        },
      })
      expect(toldBackend(server, 'm', stream ? 'PredictStream' : 'Predict')).toBe(`00-${TRACE}-${call?.spanId}-01`)
      const stages = own.filter(({ kind }) => kind === 1)
      expect(stages.map(({ name }) => name)).toContain('stage reply')
      for (const span of own) {
        expect(span.startedAt).toBeGreaterThanOrEqual((request?.startedAt ?? 0n) - 2_000_000n)
        expect(span.endedAt).toBeLessThanOrEqual((request?.endedAt ?? 0n) + 2_000_000n)
        expect(span.endedAt).toBeGreaterThanOrEqual(span.startedAt)
      }
      expect(Number((call?.endedAt ?? 0n) - (call?.startedAt ?? 0n))).toBeGreaterThan(30_000_000)
    }
    const [first] = receiver.upstream.requests
    expect([first?.path, first?.header('authorization'), first?.header('content-encoding')]).toEqual([
      '/v1/traces',
      ['Bearer of-the-receiver'],
      ['gzip'],
    ])
    expect(receiver.spans().some(({ attributes }) => attributes['svc.call'] === 'model_load')).toBe(true)
  })

  it('reach models upstream and detectors, with and without translation', async () => {
    await using world = await startWorld()
    const { server, upstream } = world
    await world.ner('ner')
    await world.far('relayed')
    await world.far('translated', {}, { mode: 'translate', provider: 'openai' })
    for (const model of ['relayed', 'translated']) {
      const reply = await server.chat(model, {}, { traceparent: `00-${TRACE}-${SPAN}-01` })
      expect(reply.status, reply.text).toBe(200)
      const spans = await collectSpans(world, reply.headers['x-correlation-id'])
      const call = spans.find(({ kind, attributes }) => kind === 3 && attributes['gen_ai.request.model'] === model)
      expect(call).toMatchObject({ name: `chat ${model}`, traceId: TRACE })
      expect(upstream.requests.at(-1)?.header('traceparent')).toEqual([`00-${TRACE}-${call?.spanId}-01`])
    }
    await server.model('m', {}, { pii: { enabled: true, detectors: ['ner', 'towns'] } })
    await world.patterns('towns', { TOWN: 'Paris' })
    const reply = await server.chat('m', { messages: [{ role: 'user', content: 'I am ada@host.example' }] })
    expect(reply.status, reply.text).toBe(200)
    const spans = await collectSpans(world, reply.headers['x-correlation-id'])
    const calls = spans.filter(({ kind }) => kind === 3)
    expect(calls.map(({ attributes }) => attributes['svc.call']).sort()).toEqual([
      'llm',
      'pattern_pii',
      'token_classify',
    ])
    const scan = calls.find(({ attributes }) => attributes['svc.call'] === 'token_classify')
    expect(toldBackend(server, 'ner', 'TokenClassify')).toBe(`00-${spans[0]?.traceId}-${scan?.spanId}-01`)
  })

  it('tell failures by status and code, and nothing of what failed', async () => {
    await using world = await startWorld()
    const { server } = world
    const failure = { status: 'INTERNAL', message: 'broke' } as const
    await server.model('m', {
      rules: [
        { rpc: 'Predict', do: { failure } },
        { rpc: 'PredictStream', do: { pieces: ['a', 'b'], failure: { ...failure, afterPieces: 1 } } },
      ],
    })
    const failed = await server.chat('m')
    const [request, ...inner] = await collectSpans(world, failed.headers['x-correlation-id'])
    expect(request).toMatchObject({ statusCode: 2, statusMessage: '' })
    expect(request?.attributes).toMatchObject({ 'http.response.status_code': 500, 'error.type': expect.any(String) })
    expect(inner.find(({ kind }) => kind === 3)).toMatchObject({ statusCode: 2, statusMessage: '' })
    const broken = await server.chat('m', { stream: true })
    expect((await collectSpans(world, broken.headers['x-correlation-id']))[0]).toMatchObject({
      statusCode: 2,
      attributes: { 'http.response.status_code': 200, 'error.type': expect.any(String) },
    })
    const unknown = await server.chat('nothing-like-this')
    await eventually(async () =>
      expect(world.receiver.spans().map(({ attributes }) => attributes['svc.correlation_id'])).toContain(
        unknown.headers['x-correlation-id'],
      ),
    )
    const refused = world.receiver
      .spans()
      .find(({ attributes }) => attributes['svc.correlation_id'] === unknown.headers['x-correlation-id'])
    expect(refused).toMatchObject({ statusCode: 0, attributes: { 'http.response.status_code': 404 } })
    expect(JSON.stringify(refused, (_, value) => (typeof value === 'bigint' ? 0 : value))).not.toContain('nothing-like')
  })

  it('hold no text of requests, replies, headers and keys', async () => {
    const secrets = ['prompt', 'reply', 'key', 'header', 'masked', 'state', 'cause'].map((name) =>
      makeCanary(name, { plain: true }),
    )
    const [prompt, answer, key, header, masked, state, cause] = secrets.map(({ value }) => value)
    await using world = await startWorld({ OTEL_EXPORTER_OTLP_HEADERS: `x-key=${key}` })
    const { server, receiver } = world
    await world.patterns('secrets', { SECRET: `${masked?.slice(0, 6)}\\S+` })
    await server.model(
      'm',
      {
        rules: [
          { rpc: 'Predict', do: { text: answer } },
          { rpc: 'PredictStream', do: { failure: { status: 'INTERNAL', message: String(cause) } } },
        ],
      },
      { pii: { enabled: true, detectors: ['secrets'], reversible_redactions: true } },
    )
    const headers = {
      cookie: String(header),
      'user-agent': String(header),
      authorization: `Bearer ${header}`,
      tracestate: `a=${state}`,
    }
    const messages = [{ role: 'user', content: `${prompt} ${masked}` }]
    await server.chat('m', { messages }, headers)
    await server.chat('m', { messages, stream: true }, headers)
    const last = await server.chat('m', { messages, user: prompt }, headers)
    await collectSpans(world, last.headers['x-correlation-id'])
    const shown = receiver.spans().map((span) => JSON.stringify(span, (_, value) => String(value)))
    expect(shown.length).toBeGreaterThan(5)
    expect(
      findCanariesInValues(
        receiver.upstream.requests.map(({ body }) => Buffer.from(body).toString('latin1')),
        secrets,
      ),
    ).toEqual([])
    expect(
      findCanariesInValues(
        server.logLines.filter((line) => /span|OpenTelemetry/.test(line)),
        secrets,
      ),
    ).toEqual([])
    const backend = JSON.stringify(server.records('m').map(({ metadata }) => metadata))
    expect(findCanariesInValues([backend], secrets)).toEqual([])
  })

  it('are left out by the sampler and by a caller, while the trace is passed on', async () => {
    await using world = await startWorld({
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0',
    })
    const { server, receiver } = world
    await server.model('m')
    await server.chat('m')
    expect(toldBackend(server, 'm', 'Predict')).toMatch(/-00$/)
    await server.chat('m', {}, { traceparent: `00-${TRACE}-${SPAN}-00` })
    expect(toldBackend(server, 'm', 'Predict')).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`))
    const sampled = await server.chat('m', {}, { traceparent: `00-${TRACE}-${SPAN}-01` })
    await collectSpans(world, sampled.headers['x-correlation-id'])
    expect(receiver.spans().filter(({ kind }) => kind === 2)).toHaveLength(1)
    for (const bad of ['00-x', `00-${TRACE}-${SPAN}-01-`, 'ü'.repeat(600), `ff-${TRACE}-${SPAN}-01`]) {
      await server.chat('m', {}, { traceparent: Buffer.from(bad).toString('latin1') })
      const told = toldBackend(server, 'm', 'Predict')
      expect(told).toMatch(TOLD)
      expect(told).not.toContain(TRACE)
    }
  })

  it('are independent of tracing: nothing is listed while it is off', async () => {
    await using world = await startWorld()
    await world.server.model('m')
    const reply = await world.server.chat('m')
    await collectSpans(world, reply.headers['x-correlation-id'])
    for (const path of ['/api/traces', '/api/backend-traces'])
      expect((await world.server.call(path)).json()).toEqual([])
    expect((await world.server.call('/api/traces/summary')).json()).toMatchObject({ total: 0 })
    await world.server.post('/api/settings', { enable_tracing: true })
    const traced = await world.server.chat('m')
    await collectSpans(world, traced.headers['x-correlation-id'])
    expect((await world.server.call('/api/traces')).json()).toHaveLength(1)
  })
})

/** Sends many chats at a time; each must be answered. */
async function askOften(server: TestServer): Promise<void> {
  await server.model('m')
  const replies = await Promise.all(Array.from({ length: 200 }, () => server.chat('m')))
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
}

describe('a receiver of spans', () => {
  it('that refuses, is slow, breaks off or is gone costs spans, and nothing of a request', async () => {
    const gone = await startOtlpReceiver()
    await gone[Symbol.asyncDispose]()
    await using slow = await startOtlpReceiver()
    slow.upstream.replyWith({ body: [new Promise(() => undefined)] })
    await using refusing = await startOtlpReceiver()
    refusing.upstream.replyWith({ status: 401, body: 'who are you' })
    await using cutting = await startOtlpReceiver()
    cutting.upstream.replyWith({ body: 'x', end: 'cut' })
    for (const { endpoint } of [gone, slow, refusing, cutting]) {
      await using server = await startTestServer({ env: variables(endpoint, { OTEL_EXPORTER_OTLP_TIMEOUT: '500' }) })
      await askOften(server)
      if (endpoint !== cutting.endpoint)
        await eventually(async () => {
          const text = (await server.call('/metrics')).text
          expect(Number(/^svc_spans_lost_total (\d+)$/m.exec(text)?.[1] ?? 0)).toBeGreaterThan(0)
        })
      await server.server.close()
      expect(server.logLines.filter((line) => line.includes('spans do not reach')).length).toBeLessThanOrEqual(1)
      expect(server.logLines.join('')).not.toContain('who are you')
    }
  })

  it('that never answers holds up neither a request nor a stop', async () => {
    await using receiver = await startOtlpReceiver()
    receiver.upstream.replyWith({ body: [new Promise(() => undefined)] })
    // A request or a stop that waited for this receiver would outlast the limit of the test.
    const forever = { OTEL_EXPORTER_OTLP_TIMEOUT: '3600000' }
    await using server = await startTestServer({ env: variables(receiver.endpoint, forever) })
    await askOften(server)
    await server.server.close()
  })
})

describe('without OpenTelemetry', () => {
  it('the trace of a client reaches backends and upstreams as it came, and no series speaks of spans', async () => {
    await using world = await startPiiWorld()
    const { server, upstream } = world
    upstream.replyWith({ headers: { 'content-type': 'application/json' }, body: '{"choices":[]}' })
    await server.model('m')
    await world.far('far')
    const traceparent = `00-${TRACE}-${SPAN}-01`
    await server.chat('m', {}, { traceparent })
    expect(toldBackend(server, 'm', 'Predict')).toBe(traceparent)
    await server.chat('m')
    expect(toldBackend(server, 'm', 'Predict')).toBeUndefined()
    await server.chat('far', {}, { traceparent })
    expect(upstream.requests.at(-1)?.header('traceparent')).toEqual([traceparent])
    expect((await server.call('/metrics')).text).not.toContain('svc_spans')
  })

  it.each([
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://localhost:4318', OTEL_EXPORTER_OTLP_CERTIFICATE: '/nowhere.pem' },
  ])('%j is told in the log, and the server serves', async (env) => {
    await using server = await startTestServer({ env: { ...env } as Record<string, string> })
    await server.model('m')
    expect((await server.chat('m')).status).toBe(200)
    expect(server.logLines.filter((line) => line.includes('OpenTelemetry'))).toHaveLength(1)
  })
})
