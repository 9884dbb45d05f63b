import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MockBehaviour, MockRule } from '@svc/backend-mock/script'
import { eventually } from '@svc/test-kit'
import type { ResponseEvent, ResponseResource } from '@svc/wire/responses'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RequestLedger } from '../../src/inference/core/ledger.ts'
import { isSocketMessage, STAGE_ORDER } from '../../src/inference/core/pipeline.ts'
import { openResponseSocket } from '../support/response-socket.ts'
import { startTestServer, type TestServer, type TestServerOptions } from '../support/server.ts'
import { verifies } from './verifies.ts'

async function world(
  behaviour: MockBehaviour = { text: 'Hello to you' },
  options: TestServerOptions & { rules?: MockRule[]; keys?: Record<string, unknown> } = {},
): Promise<TestServer> {
  const server = await startTestServer(options)
  const rules = [
    ...(options.rules ?? []),
    { rpc: 'Predict*', do: { promptTokens: 5, completionTokens: 3, ...behaviour } },
  ]
  await server.model('m', { rules }, options.keys)
  return server
}

const MEBIBYTE = 1024 * 1024

const get = async (server: TestServer, id: string) =>
  (await server.call(`/v1/responses/${id}`)).json() as ResponseResource

const listTypes = (events: readonly ResponseEvent[]): string[] => events.map(({ type }) => type)

/** Removes ids and times, which differ between responses. */
function withoutIds(events: readonly unknown[]): unknown {
  const text = JSON.stringify(events).replaceAll(/"(resp|msg|rs|fc)_[0-9a-f]+"/g, '"$1"')
  return JSON.parse(text.replaceAll(/"(created_at|completed_at)":\d+/g, '"$1":0'))
}

/** Gives the messages of the mock's last prediction. */
function lastAsked(server: TestServer): unknown {
  const { request } =
    server.records('m').findLast(({ rpc, event }) => rpc.startsWith('Predict') && event === 'start') ?? {}
  return (request as { Messages: { role: string; content: string }[] }).Messages.map(({ role, content }) => [
    role,
    content,
  ])
}

describe('the WebSocket mode of GET /v1/responses', () => {
  verifies(
    ['responses:route:socket', 'limits:compression:websockets'],
    'answers each response.create with the events of a stream, none of them compressed',
    async () => {
      await using server = await world({ pieces: ['Hel', 'lo'] })
      await using socket = await openResponseSocket(server.url, { perMessageDeflate: true })
      expect(socket.headers).not.toHaveProperty('sec-websocket-extensions')
      expect(socket.headers).not.toHaveProperty('content-encoding')
      const body = { model: 'm', input: 'hi', metadata: { a: 'b' } }
      const streamed = (await server.post('/v1/responses', { ...body, stream: true })).text
      const frames = streamed.split('\n\n').slice(0, -2)
      for (const stream of [undefined, false, true]) {
        socket.ask({ ...body, ...(stream === undefined ? {} : { stream }) })
        const events = await socket.answer()
        expect(withoutIds(events)).toEqual(
          withoutIds(frames.map((frame) => JSON.parse(frame.split('\ndata: ')[1] ?? ''))),
        )
        const last = events.at(-1) as { response: ResponseResource }
        expect(await get(server, last.response.id)).toEqual(last.response)
        const replayed = (await server.call(`/v1/responses/${last.response.id}/events`)).text
        expect(
          replayed
            .split('\n\n')
            .slice(0, -2)
            .map((frame) => JSON.parse(frame.split('\ndata: ')[1] ?? '')),
        ).toEqual(events)
      }
    },
  )

  it('has thoughts and calls, each event under the place of its item', async () => {
    const call = { id: 'call_1', name: 'weather', arguments: { city: 'Rome' } }
    await using server = await world({ reasoning: 'a tool', toolCalls: [call], via: 'deltas' })
    await using socket = await openResponseSocket(server.url)
    const { output } = await socket.create({ tools: [{ type: 'function', name: 'weather' }] })
    expect(output.map(({ type }) => type)).toEqual(['reasoning', 'function_call'])
    expect(socket.heard.map((event) => Reflect.get(Object(event), 'sequence_number'))).toEqual([...socket.heard.keys()])
    expect(listTypes(socket.heard as ResponseEvent[])).toContain('response.function_call_arguments.done')
  })

  it('takes messages while it answers, and answers them in their order', async () => {
    await using server = await world()
    await using socket = await openResponseSocket(server.url)
    for (const input of ['one', 'two', 'three']) socket.ask({ input, metadata: { input } })
    const responses = []
    for (let count = 0; count < 3; count += 1) responses.push((await socket.answer()).at(-1))
    expect(responses).toMatchObject(['one', 'two', 'three'].map((input) => ({ response: { metadata: { input } } })))
  })

  it('is asked for with an upgrade: without one it is 426, and 400 where an id is missing', async () => {
    await using server = await world()
    for (const path of ['/v1/responses', '/responses', '/v1/responses?x=/']) {
      const reply = await server.call(path)
      expect([reply.status, reply.headers.upgrade]).toEqual([426, 'websocket'])
      expect(reply.json()).toMatchObject({ error: { type: 'invalid_request', code: '' } })
    }
    expect((await server.call('/v1/responses/')).json()).toMatchObject({
      error: { message: 'response ID is required' },
    })
  })

  it('passes every stage with each message, under an id of its own', async () => {
    const seen: string[] = []
    const ids = new Set<string>()
    await using server = await world(undefined, {
      observeStage(stage, { incoming }) {
        seen.push(stage)
        ids.add(incoming.context.requestId)
        expect([isSocketMessage(incoming), Boolean(incoming.context.route.scanned)]).toEqual([true, true])
        return undefined
      },
    })
    await using socket = await openResponseSocket(server.url, { headers: { 'x-request-id': 'mine' } })
    await socket.create()
    await socket.create()
    expect(seen).toEqual([...STAGE_ORDER, ...STAGE_ORDER])
    expect([...ids]).toEqual(['mine-1', 'mine-2'])
  })
})

describe('refused messages', () => {
  it('is told in an error message, and the socket stays open', async () => {
    await using server = await world()
    await using socket = await openResponseSocket(server.url)
    const create = { type: 'response.create', model: 'm', input: 'hi' }
    const cases: [unknown, object, number?][] = [
      ['{"type":', { type: 'invalid_request', message: expect.stringMatching(/^failed parsing request body: /) }],
      ['[]', { type: 'invalid_request' }],
      [
        { ...create, type: undefined },
        { type: 'invalid_request', message: 'type: must be response.create', param: 'type' },
      ],
      [
        { ...create, type: 'response.cancel' },
        { type: 'invalid_request', param: 'type' },
      ],
      [
        { ...create, model: undefined },
        { type: 'invalid_request', message: 'model is required', param: 'model' },
      ],
      [
        { ...create, model: 'nobody' },
        { type: 'invalid_request', message: 'model configuration not found' },
      ],
      [
        { ...create, input: 5 },
        { type: 'invalid_request', message: expect.stringMatching(/^failed to parse input: /) },
      ],
      [
        { ...create, temperature: 'x' },
        { type: 'invalid_request', param: 'temperature' },
      ],
      [
        { ...create, background: true, store: false },
        { type: 'invalid_request_error', message: 'background=true requires store=true', param: 'background' },
      ],
      [
        { ...create, previous_response_id: 'resp_x' },
        {
          type: 'invalid_request_error',
          code: 'previous_response_not_found',
          message: 'previous response not found: resp_x',
        },
        404,
      ],
    ]
    for (const [message, error, status = 400] of cases) {
      socket.send(message)
      expect(await socket.refusal()).toMatchObject({ type: 'error', status, error })
    }
    expect((await socket.create()).status).toBe('completed')
  })

  it('says when to come back where a model is at capacity', async () => {
    await using server = await world({ hang: true }, { keys: { max_concurrent: 1 } })
    await using first = await openResponseSocket(server.url)
    await using second = await openResponseSocket(server.url)
    first.ask()
    await eventually(() => expect(server.records('m').some(({ rpc }) => rpc.startsWith('Predict'))).toBe(true))
    second.ask()
    expect(await second.refusal()).toMatchObject({
      status: 429,
      error: { type: 'rate_limit_error', code: 'admission_rejected' },
      headers: { 'retry-after': '1' },
    })
  })

  it('hides the cause with --opaque-errors', async () => {
    await using server = await world(
      { failure: { status: 'INTERNAL', message: 'no more' } },
      { flags: ['--opaque-errors'] },
    )
    await using socket = await openResponseSocket(server.url)
    socket.ask({ model: 'nobody' })
    const error = { type: 'invalid_request', code: null, message: 'an error occurred', param: null }
    expect(await socket.refusal()).toEqual({ type: 'error', status: 400, error })
    socket.ask()
    expect(await socket.refusal()).toMatchObject({
      status: 500,
      error: { type: 'server_error', message: 'an error occurred' },
    })
  })

  verifies('responses:socket:filtered-model', 'is the filter of its model, and the socket stays open', async () => {
    await using server = await world()
    await server.model('ner', {}, { known_usecases: ['token_classify'], pii_detection: {} })
    await server.model('filtered', {}, { pii: { enabled: true, detectors: ['ner'] } })
    await server.writeModelFile('alias.yaml', 'name: alias\nalias: filtered\n')
    await using socket = await openResponseSocket(server.url)
    for (const model of ['filtered', 'alias']) {
      socket.ask({ model, input: 'nothing of interest' })
      expect(await socket.refusal()).toMatchObject({
        type: 'error',
        status: 400,
        error: { type: 'pii_unsupported_transport', code: 'pii_unsupported_transport' },
      })
    }
    expect([...server.records('filtered'), ...server.records('ner')]).toEqual([])
    expect((await server.post('/v1/responses', { model: 'filtered', input: 'hi' })).status).toBe(200)
    expect((await socket.create()).status).toBe('completed')
  })

  it('in any form is not a failure of the server: the socket answers each message once, and stays open', async () => {
    await using server = await world()
    await using socket = await openResponseSocket(server.url)
    const field = fc.constantFrom('model', 'input', 'tools', 'text', 'store', 'background', 'previous_response_id', 'x')
    const broken = fc.oneof(
      fc.string(),
      fc.json({ maxDepth: 3 }),
      fc
        .dictionary(field, fc.jsonValue({ maxDepth: 2 }), { minKeys: 1, maxKeys: 3 })
        .map((fields) => JSON.stringify({ type: 'response.create', ...fields, model: ['m'] })),
    )
    await fc.assert(
      fc.asyncProperty(broken, async (text) => {
        socket.send(text)
        const { status, error } = await socket.refusal()
        expect([400, 404]).toContain(status)
        expect(error.message).not.toBe('')
      }),
      { numRuns: 300 },
    )
    expect((await socket.create()).status).toBe('completed')
  })

  it('for lost access closes the socket, even an unused one', async () => {
    await using server = await world(undefined, { configFiles: { 'api_keys.json': '["old"]' } })
    const headers = { authorization: 'Bearer old' }
    await using socket = await openResponseSocket(server.url, { headers })
    expect((await socket.create()).status).toBe('completed')
    await writeFile(join(server.configDir, 'api_keys.json'), '["new"]')
    expect(await socket.closed).toBe(1008)
    await expect(openResponseSocket(server.url, { headers })).rejects.toThrow('401')
  })
})

describe('a conversation on a socket', () => {
  it('is continued by previous_response_id, even when nothing is stored; other owners do not see it', async () => {
    await using server = await world()
    await using socket = await openResponseSocket(server.url)
    const first = await socket.create({ input: 'one', store: false })
    const second = await socket.create({ input: 'two', store: false, previous_response_id: first.id })
    const third = await socket.create({ input: 'three', previous_response_id: second.id })
    const fourth = await socket.create({ input: 'four', previous_response_id: third.id })
    expect(fourth).toMatchObject({ status: 'completed', store: true, previous_response_id: third.id })
    const said = ['assistant', 'Hello to you']
    expect(lastAsked(server)).toEqual([
      ...[['user', 'one'], said, ['user', 'two'], said, ['user', 'three'], said],
      ['user', 'four'],
    ])
    const [item] = second.output
    await socket.create({ previous_response_id: fourth.id, input: [{ type: 'item_reference', id: item?.id }] })
    await using other = await openResponseSocket(server.url)
    other.ask({ previous_response_id: second.id })
    expect(await other.refusal()).toMatchObject({ error: { code: 'previous_response_not_found' } })
    other.ask({ input: [{ type: 'item_reference', id: first.output[0]?.id }] })
    expect(await other.refusal()).toMatchObject({ error: { message: expect.stringContaining('item not found') } })
    const next = { model: 'm', input: 'five', previous_response_id: fourth.id }
    expect((await server.post('/v1/responses', next)).json()).toMatchObject({
      error: { message: `previous response not found: ${second.id}` },
    })
  })

  it('that begins anew forgets the one before', async () => {
    await using server = await world()
    await using socket = await openResponseSocket(server.url)
    const first = await socket.create({ store: false })
    await socket.create({ store: false })
    socket.ask({ previous_response_id: first.id })
    expect(await socket.refusal()).toMatchObject({ error: { code: 'previous_response_not_found' } })
  })

  it('continues a response made by POST, and the other way round', async () => {
    await using server = await world()
    await using socket = await openResponseSocket(server.url)
    const posted = (await server.post('/v1/responses', { model: 'm', input: 'one' })).json() as ResponseResource
    const second = await socket.create({ input: 'two', previous_response_id: posted.id })
    const third = await server.post('/v1/responses', { model: 'm', input: 'three', previous_response_id: second.id })
    expect(third.status).toBe(200)
    expect(lastAsked(server)).toHaveLength(5)
  })

  it('has responses in the background: events as they come, and their end also when the client has left', async () => {
    await using server = await world({ pieces: ['a', 'b'], hang: 1 })
    const readId = (message: unknown) => (message as { response: ResponseResource }).response.id
    {
      await using socket = await openResponseSocket(server.url)
      socket.ask({ background: true })
      await eventually(() => expect(JSON.stringify(socket.heard)).toContain('response.output_text.delta'))
      expect(listTypes(socket.heard as ResponseEvent[]).slice(0, 3)).toEqual([
        'response.created',
        'response.queued',
        'response.in_progress',
      ])
      const cancelled = await server.call(`/v1/responses/${readId(socket.heard[0])}/cancel`, { method: 'POST' })
      expect(cancelled.json()).toMatchObject({ status: 'cancelled' })
      expect((await socket.answer()).at(-1)).toMatchObject({ response: { status: 'cancelled' } })
    }
    let id = ''
    {
      await using socket = await openResponseSocket(server.url)
      socket.ask({ background: true })
      await eventually(() => expect(JSON.stringify(socket.heard)).toContain('response.output_text.delta'))
      id = readId(socket.heard[0])
    }
    expect(await get(server, id)).toMatchObject({ status: 'in_progress' })
    expect((await server.call(`/v1/responses/${id}/cancel`, { method: 'POST' })).json()).toMatchObject({
      status: 'cancelled',
    })
  })
})

describe('failures during a response', () => {
  it('a backend that is killed ends it with its error events; the next one is made by a new backend', async () => {
    await using server = await world(undefined, {
      rules: [{ rpc: 'Predict*', contains: 'die', do: { pieces: ['a', 'b'], crash: { how: 'kill', afterPieces: 1 } } }],
    })
    await using socket = await openResponseSocket(server.url)
    socket.ask({ input: 'die' })
    const events = await socket.answer()
    expect(listTypes(events).slice(-2)).toEqual(['error', 'response.failed'])
    const { response } = events.at(-1) as { response: ResponseResource }
    expect(response).toMatchObject({ status: 'failed', error: { code: 'server_error', type: 'model_error' } })
    expect(await get(server, response.id)).toEqual(response)
    expect((await socket.create()).status).toBe('completed')
  })

  it('a failure before the first event is an error message', async () => {
    await using server = await world({ failure: { status: 'INTERNAL', message: 'no more' } })
    await using socket = await openResponseSocket(server.url)
    socket.ask()
    expect(await socket.refusal()).toMatchObject({
      status: 500,
      error: { type: 'model_error', message: 'prediction failed: no more' },
    })
  })

  it.each(['close', 'terminate'] as const)('a client that leaves (%s) cancels the prediction', async (how) => {
    await using server = await world({ pieces: ['a', 'b'], hang: 1 })
    await using socket = await openResponseSocket(server.url)
    socket.ask()
    await eventually(() => expect(JSON.stringify(socket.heard)).toContain('response.output_text.delta'))
    const { response } = socket.heard[0] as { response: ResponseResource }
    socket.ws[how]()
    await eventually(() => expect(server.records('m').some(({ event }) => event === 'cancel')).toBe(true))
    await eventually(async () => expect(await get(server, response.id)).toMatchObject({ status: 'cancelled' }))
  })

  it('a client that reads nothing pauses the prediction, which goes on when it reads again', async () => {
    let ledger: RequestLedger | undefined
    await using server = await world(
      { pieces: ['x'.repeat(16 * 1024)], repeat: 1_000_000, completionTokens: undefined },
      {
        observeStage(_stage, request) {
          ledger = request.ledger
          return undefined
        },
      },
    )
    await using socket = await openResponseSocket(server.url)
    socket.ask({ store: false })
    await eventually(() => expect(JSON.stringify(socket.heard.slice(-1))).toContain('response.output_text.delta'))
    socket.ws.pause()
    const tokens = (): number => ledger?.usage.completionTokens ?? 0
    let before = -1
    let times = 0
    await eventually(() => {
      times = tokens() === before ? times + 1 : 0
      before = tokens()
      expect(times).toBeGreaterThan(50)
    })
    // Buffers of both processes' sockets and of the system.
    expect(before).toBeLessThan((256 * MEBIBYTE) / (16 * 1024))
    socket.ws.resume()
    await eventually(() => expect(tokens()).toBeGreaterThan(before))
  })
})

describe('a stop of the server', () => {
  it('closes idle sockets, and lets one that is answered come to its end', async () => {
    await using server = await world({ pieces: ['a', 'b', 'c', 'd'], pieceDelayMs: 100 })
    await using idle = await openResponseSocket(server.url)
    await using busy = await openResponseSocket(server.url)
    busy.ask()
    busy.ask()
    await eventually(() => expect(JSON.stringify(busy.heard)).toContain('response.output_text.delta'))
    const stopped = server.server.close()
    expect(await idle.closed).toBe(1001)
    expect((await busy.answer()).at(-1)).toMatchObject({ type: 'response.completed' })
    expect(await busy.closed).toBe(1001)
    expect(JSON.stringify(busy.heard).match(/response.created/g)).toHaveLength(1)
    await stopped
  })

  it('ends a response above the time limit with its error events', async () => {
    await using server = await world({ pieces: ['a', 'b'], hang: 1 })
    await using socket = await openResponseSocket(server.url)
    socket.ask()
    await eventually(() => expect(JSON.stringify(socket.heard)).toContain('response.output_text.delta'))
    const stopped = server.server.close()
    expect(listTypes(await socket.answer()).slice(-2)).toEqual(['error', 'response.failed'])
    expect(await socket.closed).toBe(1001)
    await stopped
  })
})
