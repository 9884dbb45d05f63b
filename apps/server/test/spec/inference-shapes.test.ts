import { createDeferred, eventually } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { stringify } from 'yaml'
import { EVERY_USECASE } from '../support/inference-routes.ts'
import { openResponseSocket } from '../support/response-socket.ts'
import { modelForAllRoutes, nameModel, ROUTE_BODIES } from '../support/route-bodies.ts'
import { CANDIDATES, JUDGE, POLICIES } from '../support/router-world.ts'
import { sseData, startTestServer, type TestServer } from '../support/server.ts'
import { readEvents, startUpstreamWorld, type UpstreamWorld, whole } from '../support/upstream-world.ts'
import { verifies } from './verifies.ts'

const CALL = '{"name": "weather", "arguments": {"city": "Oslo"}}'
const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } } }
const FUNCTIONS = [{ name: 'weather', parameters: PARAMETERS }]
const TOOLS = FUNCTIONS.map((one) => ({ type: 'function', function: one }))
const messages = [{ role: 'user', content: 'Hello there' }]

/** Routes that generate text, each with a body that asks for a stream. */
const STREAMS = [
  '/v1/chat/completions',
  '/v1/completions',
  '/v1/messages',
  '/v1/responses',
  '/api/chat',
  '/api/generate',
]

interface Delta {
  readonly role?: string
  readonly content?: string | null
  readonly tool_calls?: readonly { readonly index: number; readonly function: { readonly arguments?: string } }[]
}
interface ChatChunk {
  readonly created: number
  readonly choices: readonly { readonly index: number; readonly delta: Delta }[]
}
interface Block {
  readonly type: string
  readonly text?: string
}

let world: UpstreamWorld
let server: TestServer

beforeAll(async () => {
  world = await startUpstreamWorld()
  server = world.server
  await modelForAllRoutes(server)
  for (const { model } of [...CANDIDATES, { model: 'spare' }]) await server.model(model)
  await server.model('judge', JUDGE, { known_usecases: ['score'] })
  const router = { classifier_model: 'judge', activation_threshold: 0.5, policies: POLICIES, candidates: CANDIDATES }
  await server.writeModelFile('auto.yaml', stringify({ name: 'auto', router: { ...router, fallback: 'spare' } }))
  await server.writeModelFile('other.yaml', stringify({ name: 'other', alias: 'm' }))
  await server.model('calls', { rules: [{ rpc: 'Predict*', do: { text: CALL, split: 'characters' } }] })
  const toolCalls = ['Oslo', 'Rome'].map((city) => ({ name: 'weather', arguments: { city } }))
  await server.model('deltas', {
    rules: [
      { rpc: 'Predict*', do: { toolCalls, text: 'I look.', via: 'deltas', promptTokens: 5, completionTokens: 3 } },
    ],
  })
  const thoughts = { reasoning: 'Hm.', text: 'Fine.', via: 'deltas' } as const
  await server.model('thinks', { rules: [{ rpc: 'Predict*', do: thoughts }] })
  const failure = { status: 'INTERNAL', message: 'no memory' } as const
  const anything = { known_usecases: EVERY_USECASE }
  await server.model('broken', { rules: [{ rpc: 'LoadModel', do: { failure } }] }, anything)
  await server.model(
    'busy',
    { rules: [{ rpc: 'Predict*', call: 1, do: { hang: true } }] },
    { max_concurrent: 1, ...anything },
  )
})
afterAll(() => world[Symbol.asyncDispose]())

const chat = async <T>(model: string, extra: object = {}): Promise<T> =>
  (await server.chat(model, { ...extra })).json() as T

const streamChat = async (model: string, extra: object = {}): Promise<ChatChunk[]> =>
  readEvents((await server.chat(model, { stream: true, ...extra })).text) as unknown as ChatChunk[]

const listDeltas = (chunks: readonly ChatChunk[]): Delta[] =>
  chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta))

/** Calls each route that has a body, and gives the replies by path. */
async function callAll(model: string, extra: object = {}, paths: readonly string[] = Object.keys(ROUTE_BODIES)) {
  const replies = paths.map(
    async (path) =>
      [path, await server.post(path, { ...nameModel(path, model), ...ROUTE_BODIES[path], ...extra })] as const,
  )
  return Promise.all(replies)
}

/** The shapes, each with its name, and a check that it holds on the server of the file. */
const SHAPES: readonly (readonly [name: string, holds: () => Promise<void>])[] = [
  [
    'the model of a reply is the candidate of a router, the alias that was asked for, or the model of the upstream',
    async () => {
      world.upstream.enqueue(whole({ id: 'up', object: 'chat.completion', created: 1, model: 'big', choices: [] }))
      const names = [await chat('auto'), await chat('other'), await chat('relay-a')].map(
        (reply) => (reply as { model: string }).model,
      )
      expect(names).toEqual(['small', 'other', 'big'])
    },
  ],
  [
    'a tool call in streamed text leaks no piece of itself, and its arguments are whole',
    async () => {
      const deltas = listDeltas(await streamChat('calls', { tools: TOOLS }))
      expect(deltas.map(({ content }) => content ?? '').join('')).toBe('')
      const pieces = deltas.flatMap(({ tool_calls: calls }) => calls ?? [])
      expect(JSON.parse(pieces.map((piece) => piece.function.arguments ?? '').join(''))).toEqual({ city: 'Oslo' })
    },
  ],
  [
    'a stream begins with the role, and says it once, also for tool calls that a backend has parsed',
    async () => {
      for (const model of ['deltas', 'calls', 'm']) {
        const deltas = listDeltas(await streamChat(model, { tools: TOOLS }))
        expect([deltas[0]?.role, deltas.filter(({ role }) => role !== undefined).length], model).toEqual([
          'assistant',
          1,
        ])
      }
    },
  ],
  [
    'legacy functions are answered with a function call, and tool_choice none sends no tools',
    async () => {
      const legacy = await chat('calls', { functions: FUNCTIONS, function_call: 'auto' })
      const call = { name: 'weather', arguments: '{"city": "Oslo"}' }
      expect(legacy).toMatchObject({ choices: [{ finish_reason: 'function_call', message: { function_call: call } }] })
      const listTools = () =>
        server
          .records('calls')
          .filter(({ rpc, event }) => rpc.startsWith('Predict') && event === 'start')
          .map(({ request }) => (request as { Tools?: string }).Tools ?? '')
      expect(listTools().at(-1)).toContain('weather')
      await chat('calls', { tools: TOOLS, tool_choice: 'none' })
      expect(listTools().at(-1)).toBe('')
    },
  ],
  [
    'several calls and choices have their own indexes, and usage counts every choice',
    async () => {
      const reply = await chat('deltas', { tools: TOOLS, n: 2 })
      const call = (index: number, city: string) => ({ index, function: { arguments: JSON.stringify({ city }) } })
      const choice = { message: { tool_calls: [call(0, 'Oslo'), call(1, 'Rome')] } }
      expect(reply).toMatchObject({
        choices: [
          { index: 0, ...choice },
          { index: 1, ...choice },
        ],
        usage: { completion_tokens: 6 },
      })
    },
  ],
  [
    'a background response ends completed, streams events when asked, and its replay ends as the stream does',
    async () => {
      const made = (await server.post('/v1/responses', { model: 'm', input: 'hi', background: true })).json() as {
        id: string
      }
      await eventually(async () =>
        expect((await server.call(`/v1/responses/${made.id}`)).json()).toMatchObject({ status: 'completed' }),
      )
      const streamed = await server.post('/v1/responses', { model: 'm', input: 'hi', background: true, stream: true })
      expect(streamed.headers['content-type']).toMatch(/^text\/event-stream/)
      const sent = readEvents(streamed.text) as unknown as { type: string; response?: { id: string } }[]
      const replay = await server.call(`/v1/responses/${sent[0]?.response?.id}?stream=true`)
      for (const text of [streamed.text, replay.text])
        expect(readEvents(text).at(-1)).toMatchObject({ type: 'response.completed' })
    },
  ],
  [
    'a socket of responses refuses an unknown model at once and names a missing previous response',
    async () => {
      await using socket = await openResponseSocket(server.url)
      socket.ask({ model: 'nobody' })
      expect(await socket.refusal()).toMatchObject({ error: { type: 'invalid_request' } })
      socket.ask({ previous_response_id: 'resp_missing' })
      const error = {
        type: 'invalid_request_error',
        code: 'previous_response_not_found',
      }
      expect(await socket.refusal()).toMatchObject({ error })
    },
  ],
  [
    'a response whose tool call comes out of text has one function_call item with its events, and no message',
    async () => {
      const tools = [{ type: 'function', ...FUNCTIONS[0] }]
      const body = { model: 'calls', input: 'Weather?', tools }
      const { output } = (await server.post('/v1/responses', body)).json() as { output: { type: string }[] }
      expect(output).toMatchObject([{ type: 'function_call', name: 'weather', arguments: '{"city": "Oslo"}' }])
      const events = readEvents((await server.post('/v1/responses', { ...body, stream: true })).text)
      const types = new Set(events.map(({ type }) => String(type)))
      expect([...types].filter((type) => type.startsWith('response.function_call_arguments.')).sort()).toEqual([
        'response.function_call_arguments.delta',
        'response.function_call_arguments.done',
      ])
      expect([...types].filter((type) => type.startsWith('response.output_text'))).toEqual([])
    },
  ],
  [
    'GET /v1/responses without an upgrade is 426 with the protocol to upgrade to, in the envelope',
    async () => {
      const reply = await server.call('/v1/responses')
      expect([reply.status, reply.headers.upgrade]).toEqual([426, 'websocket'])
      expect(reply.json()).toMatchObject({ error: { message: expect.any(String), type: expect.any(String) } })
    },
  ],
  [
    'messages have a null stop sequence, blocks without stray text, and the text beside thoughts and calls',
    async () => {
      const ask = async (model: string, extra: object = {}) =>
        (await server.post('/v1/messages', { model, max_tokens: 100, messages, ...extra })).json() as {
          content: Block[]
        }
      const thinking = await ask('thinks', { thinking: { type: 'enabled', budget_tokens: 1024 } })
      expect(thinking).toMatchObject({
        stop_sequence: null,
        content: [
          { type: 'thinking', thinking: 'Hm.' },
          { type: 'text', text: 'Fine.' },
        ],
      })
      const calling = await ask('deltas', { tools: [{ name: 'weather', input_schema: PARAMETERS }] })
      expect(calling.content.map(({ type }) => type)).toEqual(['text', 'tool_use', 'tool_use'])
      for (const block of [...thinking.content, ...calling.content])
        expect('text' in block, block.type).toBe(block.type === 'text')
    },
  ],
  [
    'every route answers with a correlation id, and repeats one that it was given',
    async () => {
      for (const [path, { headers }] of await callAll('m')) expect(headers['x-correlation-id'], path).toMatch(/\S/)
      for (const path of ['/v1/models', '/system', '/nothing', '/api/operations']) {
        const { headers } = await server.call(path, { headers: { 'x-correlation-id': 'mine' } })
        expect(headers['x-correlation-id'], path).toBe('mine')
      }
    },
  ],
  [
    'the chunks of a stream have one time of creation',
    async () => {
      for (const path of ['/v1/completions', '/v1/chat/completions']) {
        const reply = await server.post(path, { model: 'm', ...ROUTE_BODIES[path], stream: true })
        const times = sseData(reply.text).flatMap((chunk) => (chunk === '[DONE]' ? [] : [(chunk as ChatChunk).created]))
        expect([times.length > 1, new Set(times).size], path).toEqual([true, 1])
      }
    },
  ],
  [
    'a full model is 429 with Retry-After before the first byte, on every route and stream, and no refusal starts a cooldown',
    async () => {
      const leaving = new AbortController()
      const held = fetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({ model: 'busy', messages }),
        signal: leaving.signal,
        headers: { 'content-type': 'application/json' },
      }).catch(() => undefined)
      await eventually(() => expect(server.records('busy').some(({ rpc }) => rpc.startsWith('Predict'))).toBe(true))
      const refused = [...(await callAll('busy')), ...(await callAll('busy', { stream: true }, STREAMS))]
      const limited = refused.filter(([path]) => !path.endsWith('tokenize'))
      for (const [path, { status, headers }] of limited)
        expect([path, status, headers['retry-after']]).toEqual([path, 429, '1'])
      leaving.abort()
      await held
      await eventually(async () => expect((await server.chat('busy')).status).toBe(200))
    },
  ],
  [
    'a load that failed starts the cooldown: 503 with Retry-After on every route and stream',
    async () => {
      expect((await server.chat('broken')).status).toBe(500)
      const refused = [...(await callAll('broken')), ...(await callAll('broken', { stream: true }, STREAMS))]
      for (const [path, { status, headers }] of refused) {
        // The file of this model has no slot_save_path, which is refused before the load.
        if (path.startsWith('/v1/slots/')) continue
        expect([path, status, Number(headers['retry-after']) > 0]).toEqual([path, 503, true])
      }
    },
  ],
  [
    'a relayed model counts its requests against its limit',
    async () => {
      const proxy = { provider: 'provider_a', upstream_url: `${world.upstream.origin}/v1/x` }
      const keys = {
        backend: 'cloud-proxy',
        known_usecases: ['chat'],
        max_concurrent: 1,
        pii: { enabled: false },
        proxy,
      }
      await server.writeModelFile('narrow.yaml', stringify({ name: 'narrow', ...keys }))
      const release = createDeferred<void>()
      const before = world.upstream.requests.length
      world.upstream.enqueue({ body: [release.promise, '{}'] })
      const held = server.chat('narrow')
      await world.upstream.request(before)
      expect((await server.chat('narrow')).status).toBe(429)
      release.resolve()
      expect((await held).status).toBe(200)
    },
  ],
  [
    'a body that says nothing, is not JSON or has a wrong type is 400 naming the field, and never another model',
    async () => {
      const send = (body: string, type = 'application/json') =>
        server.call('/v1/chat/completions', { method: 'POST', body, headers: { 'content-type': type } })
      const wrong = (fields: object): string => JSON.stringify({ model: 'm', messages, ...fields })
      for (const [body, named] of [
        [wrong({ stop: 5 }), 'stop'],
        [wrong({ messages: [{ role: 'user', content: 5 }] }), 'content'],
        [wrong({ response_format: [] }), 'response_format'],
        ['{}', 'messages'],
        ['', ''],
        [`${wrong({})}{}`, ''],
      ] as const) {
        const reply = await send(body)
        expect([body, reply.status, reply.text]).toEqual([body, 400, expect.stringContaining(named)])
      }
      expect([400, 415]).toContain((await send('model=m&messages=hello', 'application/x-www-form-urlencoded')).status)
    },
  ],
  [
    'an unknown name is an unknown model wherever it is asked for, a name with slashes too, and starts nothing',
    async () => {
      for (const [model, status] of [
        ['nobody', 404],
        ['a/b', 404],
        ['mock', 404],
        ['../m', 400],
        ['/etc/passwd', 400],
      ] as const) {
        const load = await server.post('/backend/load', { model })
        const score = await server.post('/api/score', { model, prompt: 'a', candidates: ['b'] })
        expect([model, load.status, score.status]).toEqual([model, 400, status])
      }
      expect((await server.call('/system')).text).not.toContain('nobody')
    },
  ],
  [
    'the Retry-After of an upstream stays',
    async () => {
      world.upstream.enqueue({ status: 429, headers: { 'retry-after': '9' }, body: '{}' })
      const reply = await server.chat('relay-a')
      expect([reply.status, reply.headers['retry-after']]).toEqual([429, '9'])
    },
  ],
  [
    'a wrong method is 405 with the methods that the path has, and HEAD is answered where GET is',
    async () => {
      const wrong = await server.call('/v1/chat/completions', { method: 'PUT' })
      expect([wrong.status, wrong.headers.allow]).toEqual([405, 'POST, OPTIONS'])
      for (const path of ['/v1/models', '/version', '/system', '/healthz', '/api/operations', '/api/models']) {
        const reply = await server.call(path, { method: 'HEAD' })
        expect([path, reply.status, reply.text]).toEqual([path, 200, ''])
      }
    },
  ],
]

describe('the replies of inference routes', () => {
  for (const [name, holds] of SHAPES) verifies('shapes:inference:replies', name, holds)

  verifies(
    'shapes:inference:replies',
    'opaque errors have no body on any route, and a fixed text in a stream',
    async () => {
      await using opaque = await startTestServer({ flags: ['--opaque-errors'] })
      const failure = { status: 'INTERNAL', message: 'a secret path', afterPieces: 1 } as const
      await opaque.model('m', { rules: [{ rpc: 'Predict*', do: { pieces: ['one', 'two'], failure } }] })
      for (const [path, body] of Object.entries(ROUTE_BODIES)) {
        const wrong = path.startsWith('/stores/') ? { backend: 'nobody' } : { model: 'nobody' }
        const reply = await opaque.post(path, { ...wrong, ...body })
        expect([path, reply.status >= 400, reply.text]).toEqual([path, true, ''])
      }
      for (const path of ['/v1/chat/completions', '/v1/messages', '/v1/responses', '/api/chat']) {
        const { text } = await opaque.post(path, { model: 'm', ...ROUTE_BODIES[path], stream: true })
        expect([path, text.includes('secret'), /error/.test(text)]).toEqual([path, false, true])
      }
    },
  )
})
