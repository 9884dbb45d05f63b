import Anthropic from '@anthropic-ai/sdk'
import { eventually, startUpstream } from '@svc/test-kit'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sseData, startTestServer, type TestServer } from '../support/server.ts'
import { type ServerPair, startServerPair, writeForwarded } from '../support/server-pair.ts'
import { verifies } from './verifies.ts'

const CHAT = '/v1/chat/completions'
const messages = [{ role: 'user', content: 'Hello there' }]
const EVERYTHING = { known_usecases: ['chat', 'completion', 'edit', 'embeddings', 'rerank', 'tokenize', 'score'] }
const json = { 'content-type': 'application/json' }

/** Every inference API with a route there, whole and, if possible, streamed. */
const REQUESTS: readonly (readonly [path: string, body: Record<string, unknown>])[] = [
  [CHAT, { messages }],
  [CHAT, { messages, stream: true, stream_options: { include_usage: true } }],
  [CHAT, { messages, n: 2, max_tokens: 3, stop: ['!'] }],
  ['/v1/completions', { prompt: 'Hello' }],
  ['/v1/completions', { prompt: 'Hello', stream: true }],
  ['/v1/completions', { prompt: ['Hello', 'there'] }],
  [CHAT, { messages, logprobs: true, top_logprobs: 2 }],
  [CHAT, { messages, logprobs: true, top_logprobs: 2, stream: true }],
  ['/v1/completions', { prompt: 'Hello', logprobs: 2 }],
  ['/v1/completions', { prompt: 'Hello', logprobs: 2, stream: true }],
  ['/v1/completions', { prompt: ['Hello out Hello', 'x'], echo: true, logprobs: 2, max_tokens: 1 }],
  ['/v1/completions', { prompt: 'Hello out Hello', echo: true, logprobs: 2, max_tokens: 0 }],
  ['/v1/edits', { input: 'Hello', instruction: 'Shout' }],
  ['/v1/embeddings', { input: ['red', 'apples'] }],
  ['/v1/embeddings', { input: [[1, 2, 3]] }],
  ['/api/embed', { input: ['red', 'apples'] }],
  ['/v1/rerank', { query: 'red apples', documents: ['pears', 'red apples', 'red cars'], top_n: 2 }],
  ['/v1/tokenize', { content: 'Hello out there' }],
  ['/v1/detokenize', { tokens: [7, 8] }],
  ['/api/score', { prompt: 'red', candidates: ['apples', 'cars'], include_token_logprobs: true }],
  ['/v1/messages', { messages, max_tokens: 9 }],
  ['/v1/messages', { messages, max_tokens: 9, stream: true }],
  ['/v1/messages', { messages, max_tokens: 2 }],
  ['/v1/messages', { messages, max_tokens: 2, stream: true }],
  [
    '/v1/messages/count_tokens',
    {
      system: 'Be brief.',
      messages: [
        ...messages,
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'weather', input: { city: 'Paris' } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'Rain' }] },
      ],
      tools: [{ name: 'weather', input_schema: { type: 'object' } }],
    },
  ],
  ['/v1/responses/input_tokens', { input: 'Hello out there' }],
  ['/v1/responses', { input: 'Hello' }],
  ['/v1/responses', { input: 'Hello', stream: true }],
  ['/api/chat', { messages, stream: false }],
  ['/api/chat', { messages }],
  ['/api/generate', { prompt: 'Hello' }],
  ['/api/generate', { prompt: 'Hello', logprobs: true, top_logprobs: 2 }],
  ['/api/embed', { input: 'Hello' }],
]

/** Removes ids, times and durations, which differ between replies. */
function settled(text: string): string {
  return text
    .replace(/"(?:id|item_id|response_id)":"[^"]*"/g, '"id":"ID"')
    .replace(/"(?:created|created_at|completed_at)":(?:\d+|"[^"]*"|null)/g, '"at":0')
    .replace(/"\w+_duration":\d+/g, '"took":0')
}

describe('every API of two servers in a row', () => {
  let pair: ServerPair
  beforeAll(async () => {
    pair = await startServerPair()
    await pair.far.model('m', {}, EVERYTHING)
    await pair.forward('m')
  })
  afterAll(() => pair?.[Symbol.asyncDispose]())

  for (const [path, body] of REQUESTS) {
    // verifies service-proxy:forward:every-api
    it(`answers ${path} ${JSON.stringify(body)} alike`, async () => {
      const direct = await pair.far.post(path, { model: 'm', ...body })
      const forwarded = await pair.near.post(path, { model: 'm', ...body })
      expect([direct.status, direct.text]).toEqual([200, expect.anything()])
      expect([forwarded.status, settled(forwarded.text)]).toEqual([200, settled(direct.text)])
      expect(forwarded.headers['content-type']).toBe(direct.headers['content-type'])
      expect(pair.near.records('m')).toEqual([])
    })
  }
})

describe('two servers in a row', () => {
  it('carry tools, reasoning and log-probabilities, streamed and whole', async () => {
    await using pair = await startServerPair()
    const calls = [{ id: 'call_1', name: 'weather', arguments: '{"city": "Paris"}' }]
    await pair.far.model('m', {
      rules: [{ rpc: 'Predict*', do: { reasoning: 'Hm', toolCalls: calls, via: 'deltas' } }],
    })
    await pair.forward('m')
    const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }]
    for (const stream of [false, true]) {
      const ask = { model: 'm', messages, tools, stream, logprobs: true }
      const [direct, forwarded] = [await pair.far.post(CHAT, ask), await pair.near.post(CHAT, ask)]
      expect(settled(forwarded.text)).toBe(settled(direct.text))
      expect(forwarded.text).toContain('weather')
    }
    const asked = pair.far.records('m').filter(({ rpc, event }) => rpc.startsWith('Predict') && event === 'start')
    expect(asked.map(({ request }) => (request as { Tools: string }).Tools)).toEqual(
      Array(4).fill(JSON.stringify(tools)),
    )
  })

  it('serve the official clients, whole and streamed', async () => {
    await using pair = await startServerPair()
    await pair.far.model('m')
    await pair.forward('m')
    const openai = new OpenAI({ baseURL: `${pair.near.url}/v1`, apiKey: 'k', maxRetries: 0 })
    const anthropic = new Anthropic({ baseURL: pair.near.url, apiKey: 'k', maxRetries: 0 })
    const ask = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] }
    const said = 'This is a mocked response.'
    expect((await openai.chat.completions.create(ask)).choices[0]?.message.content).toBe(said)
    const streamed = await openai.chat.completions.stream(ask).finalChatCompletion()
    expect(streamed.choices[0]?.message.content).toBe(said)
    const message = await anthropic.messages.create({ ...ask, max_tokens: 9 })
    expect(message.content).toMatchObject([{ type: 'text', text: said }])
    expect(await anthropic.messages.stream({ ...ask, max_tokens: 9 }).finalText()).toBe(said)
  })

  verifies('upstream:usage:recorded', 'both count the tokens that the model counted', async () => {
    await using pair = await startServerPair()
    await pair.far.model('m')
    await pair.forward('m')
    for (const stream of [false, true]) await pair.near.chat('m', { stream })
    // The far server may count a stream after the near one has passed on its last event.
    for (const server of [pair.far, pair.near]) {
      await eventually(async () => {
        const { text } = await server.call('/metrics')
        expect(text).toContain('svc_tokens_total{kind="prompt"} 4')
        expect(text).toContain('svc_tokens_total{kind="completion"} 10')
      })
    }
  })

  it('filter once each, as each of them is told', async () => {
    await using pair = await startServerPair()
    const detector = { known_usecases: ['token_classify'], pii_detection: {} }
    for (const server of [pair.near, pair.far]) await server.model('ner', {}, detector)
    const pii = { enabled: true, detectors: ['ner'] }
    await pair.far.model('m', {}, { pii })
    await pair.forward('m', { pii })
    await pair.forward('open', { proxy: { upstream_url: pair.far.url, upstream_model: 'm' } })
    const body = { messages: [{ role: 'user', content: 'I am ada@host.example' }] }
    for (const model of ['m', 'open']) await pair.near.post(CHAT, { model, ...body })
    const asked = pair.far.records('m').filter(({ rpc, event }) => rpc === 'Predict' && event === 'start')
    expect(asked).toHaveLength(2)
    for (const call of asked) {
      expect(JSON.stringify(call)).toContain('I am [REDACTED:ner:EMAIL]')
      expect(JSON.stringify(call)).not.toContain('ada@host.example')
    }
    const readEvents = async (server: TestServer): Promise<number> =>
      ((await server.call('/api/pii/events')).json() as { events: unknown[] }).events.length
    // the near server masked the first request, the far one the second
    expect([await readEvents(pair.near), await readEvents(pair.far)]).toEqual([1, 1])
  })

  // verifies errors:status:loop
  it('end a request that goes round in a circle', async () => {
    await using pair = await startServerPair()
    await pair.forward('m')
    await writeForwarded(pair.far, { name: 'm', url: pair.near.url })
    for (const stream of [false, true]) {
      const reply = await pair.near.chat('m', { stream })
      expect(reply.status).toBe(508)
      expect(reply.text).toContain('goes round in a circle')
    }
  })
})

describe('a model of another instance', () => {
  verifies(
    ['service-proxy:chat:messages', 'proxy:model:service-default'],
    'has its conversations sent as they are where it chats, under its own name',
    async () => {
      await using near = await startTestServer()
      await using far = await startUpstream()
      await writeForwarded(near, { name: 'm', url: far.origin })
      far.replyWith({ headers: json, body: '{"choices":[{"message":{"content":"ho"},"finish_reason":"stop"}]}' })
      expect((await near.chat('m', { top_p: 0.5, max_tokens: 3 })).status).toBe(200)
      const [request] = far.requests
      expect(request?.path).toBe(CHAT)
      expect(JSON.parse(request?.text() ?? '')).toEqual({
        model: 'm',
        messages,
        temperature: 0.9,
        top_p: 0.5,
        max_tokens: 3,
        seed: expect.any(Number),
      })
    },
  )

  verifies('service-proxy:chat:rendered', 'has its prompts written here where it does not', async () => {
    await using near = await startTestServer()
    await using far = await startUpstream()
    const template = { chat_message: '<{{.RoleName}}>{{.Content}}', chat: '{{.Input}}<assistant>' }
    await writeForwarded(near, { name: 'm', url: far.origin, keys: { known_usecases: ['completion'], template } })
    far.replyWith({ headers: json, body: '{"choices":[{"text":"ho","finish_reason":"stop"}]}' })
    const reply = await near.chat('m')
    expect((reply.json() as { choices: unknown[] }).choices).toMatchObject([{ message: { content: 'ho' } }])
    expect(far.requests[0]?.path).toBe('/v1/completions')
    expect(JSON.parse(far.requests[0]?.text() ?? '')).toMatchObject({ prompt: '<user>Hello there<assistant>' })
  })

  verifies(
    ['proxy:url:service-root', 'proxy:mode:service-proxy', 'proxy:provider:service-proxy', 'proxy:key:service-bearer'],
    'is asked at the root of the address with its own key; a setting without effect causes one warning',
    async () => {
      await using near = await startTestServer({ env: { UP_KEY: 'sk-up' } })
      await using far = await startUpstream()
      const proxy = { api_key_env: 'UP_KEY', mode: 'translate', provider: 'provider_b', upstream_model: 'big' }
      await writeForwarded(near, { name: 'm', url: `${far.origin}/base/v1/messages`, proxy })
      far.replyWith({ headers: json, body: '{"tokens":[1,2]}' })
      for (const _ of [1, 2]) {
        const reply = await near.post('/v1/tokenize', { model: 'm', content: 'x' }, { authorization: 'Bearer client' })
        expect(reply.json()).toEqual({ tokens: [1, 2] })
      }
      expect(far.requests.map(({ path }) => path)).toEqual(Array(2).fill('/base/v1/tokenize'))
      expect(far.requests[0]?.header('authorization')).toEqual(['Bearer sk-up'])
      expect(JSON.parse(far.requests[0]?.text() ?? '')).toEqual({ model: 'big', content: 'x' })
      const told = near.logLines.filter((line) => line.includes('"backend":"service-proxy"') && line.includes('proxy.'))
      expect(told.map((line) => /proxy\.\w+/.exec(line)?.[0])).toEqual([
        'proxy.upstream_url',
        'proxy.mode',
        'proxy.provider',
      ])
      expect(near.logLines.join('')).not.toContain('sk-up')
    },
  )

  /** Statuses of the instance and of the client's reply, and whether the reply has Retry-After. */
  const STATUSES: readonly (readonly [theirs: number, ours: number, retryAfter: string | undefined])[] = [
    [501, 501, undefined],
    [429, 429, '7'],
    [400, 400, undefined],
    [401, 400, undefined],
    [403, 400, undefined],
    [404, 400, undefined],
    [413, 400, undefined],
    [422, 400, undefined],
    [500, 502, '7'],
    [502, 502, '7'],
    [503, 502, '7'],
    [504, 502, '7'],
    [508, 508, undefined],
    [302, 502, '7'],
  ]
  verifies(
    [
      'service-proxy:error:unimplemented',
      'service-proxy:error:unavailable',
      'service-proxy:error:invalid',
      'service-proxy:error:exhausted',
      'upstream:failure:no-retry',
    ],
    'fails with the class and words of the answer of the instance, without the key, and is asked once',
    async () => {
      await using near = await startTestServer({ env: { UP_KEY: 'sk-up' } })
      await using far = await startUpstream()
      await writeForwarded(near, { name: 'm', url: far.origin, proxy: { api_key_env: 'UP_KEY' } })
      for (const [theirs, ours, retryAfter] of STATUSES) {
        const body = JSON.stringify({ error: { message: `said ${theirs} to sk-up` } })
        far.replyWith({ status: theirs, headers: { ...json, 'retry-after': '7' }, body })
        for (const [path, ask] of [
          [CHAT, { messages }],
          [CHAT, { messages, stream: true }],
          ['/v1/embeddings', { input: 'x' }],
        ] as const) {
          const before = far.requests.length
          const reply = await near.post(path, { model: 'm', ...ask })
          expect([theirs, reply.status, reply.headers['retry-after']]).toEqual([theirs, ours, retryAfter])
          expect(reply.text).toContain(`said ${theirs} to [key]`)
          expect(far.requests.length - before).toBe(1)
        }
      }
    },
  )

  it('fails with 501 when the instance has no such route, and with 502 when it is unreachable or unreadable', async () => {
    await using near = await startTestServer()
    await using far = await startUpstream()
    await writeForwarded(near, { name: 'm', url: far.origin })
    await writeForwarded(near, { name: 'nobody', url: 'http://127.0.0.1:9' })
    far.replyWith({ status: 404, headers: json, body: '{"error":{"message":"Resource not found"}}' })
    expect((await near.post('/v1/detokenize', { model: 'm', tokens: [1] })).status).toBe(501)
    far.replyWith({ headers: json, body: 'no JSON' })
    expect((await near.chat('m')).status).toBe(502)
    for (const stream of [false, true]) expect((await near.chat('nobody', { stream })).status).toBe(502)
    // another product as an instance may have no such route
    far.replyWith({ status: 404, body: 'no such page' })
    const count = await near.post('/v1/messages/count_tokens', { model: 'm', messages })
    expect(count.status).toBe(501)
  })

  it('ends with the finish reason of the instance, in every format, whole and streamed', async () => {
    await using near = await startTestServer()
    await using far = await startUpstream()
    await writeForwarded(near, { name: 'm', url: far.origin })
    const delta = (fields: object, finish: string | null) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: fields, finish_reason: finish }] })}\n\n`
    for (const [theirs, chat, message] of [
      ['stop', 'stop', 'end_turn'],
      ['length', 'length', 'max_tokens'],
      ['content_filter', 'content_filter', 'refusal'],
    ] as const) {
      const choice = { index: 0, message: { role: 'assistant', content: 'ho' }, finish_reason: theirs }
      const body = JSON.stringify({ choices: [choice] })
      const stream = `${delta({ content: 'ho' }, null)}${delta({}, theirs)}data: [DONE]\n\n`
      for (const [path, field] of [
        [CHAT, `"finish_reason":"${chat}"`],
        ['/v1/messages', `"stop_reason":"${message}"`],
      ] as const) {
        far.enqueue({ headers: json, body }, { headers: { 'content-type': 'text/event-stream' }, body: stream })
        for (const streams of [false, true]) {
          const reply = await near.post(path, { model: 'm', messages, max_tokens: 1, stream: streams })
          expect([reply.status, reply.text]).toEqual([200, expect.stringContaining(field)])
        }
      }
    }
  })

  it('passes on the times of the instance to clients that ask for them', async () => {
    await using near = await startTestServer()
    await using far = await startUpstream()
    await writeForwarded(near, { name: 'm', url: far.origin })
    const usage = { prompt_tokens: 3, completion_tokens: 2, timing_prompt_processing: 4.5, timing_token_generation: 8 }
    const choice = { index: 0, message: { content: 'ho' }, finish_reason: 'stop' }
    far.replyWith({ headers: json, body: JSON.stringify({ choices: [choice], usage }) })
    const reply = await near.chat('m', {}, { 'extra-usage': '1' })
    expect((reply.json() as { usage: object }).usage).toEqual({ ...usage, total_tokens: 5 })
  })

  it('ends a stream that the instance cuts off with an error in the stream', async () => {
    await using near = await startTestServer()
    await using far = await startUpstream()
    await writeForwarded(near, { name: 'm', url: far.origin })
    const chunk = 'data: {"choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\n'
    far.replyWith({ headers: { 'content-type': 'text/event-stream' }, body: chunk })
    const reply = await near.chat('m', { stream: true })
    expect(reply.status).toBe(200)
    expect(JSON.stringify(sseData(reply.text))).toContain('ended before its end event')
    expect(reply.text).toContain('Hel')
  })

  verifies('service-proxy:limit:attachments', 'leaves grammars out and says so in the log', async () => {
    await using near = await startTestServer()
    await using far = await startUpstream()
    await writeForwarded(near, { name: 'm', url: far.origin })
    far.replyWith({ headers: json, body: '{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}]}' })
    const reply = await near.chat('m', { response_format: { type: 'json_object' } })
    expect(reply.status).toBe(200)
    expect(far.requests[0]?.text()).not.toContain('grammar')
    expect(near.logLines.join('')).toContain('cannot be forwarded, left out: grammar')
  })

  it('is loaded, looked at and let go like any other, without a process and without a place in memory', async () => {
    await using pair = await startServerPair({ near: { flags: ['--max-active-backends=1', '--load-to-memory=m'] } })
    await pair.far.model('far')
    await pair.near.model('own')
    await pair.forward('m')
    await pair.forward('wrong', { proxy: { upstream_url: 'ftp://x' } })
    const { near } = pair
    expect((await near.chat('own')).status).toBe(200)
    expect((await near.post('/backend/load', { model: 'm' })).status).toBe(200)
    const wrong = await near.post('/backend/load', { model: 'wrong' })
    expect([wrong.status, wrong.text]).toEqual([500, expect.stringContaining('proxy.upstream_url')])
    const system = (await near.call('/system')).json() as { backends: string[]; loaded_models: { id: string }[] }
    expect(system.backends).toEqual(expect.arrayContaining(['cloud-proxy', 'service-proxy']))
    expect(system.loaded_models.map(({ id }) => id).sort()).toEqual(['m', 'own'])
    expect((await near.call('/backend/monitor?model=m')).status).toBe(200)
    expect((await near.call('/v1/models/capabilities')).status).toBe(200)
    expect((await near.post('/api/show', { model: 'm' })).status).toBe(200)
    expect((await near.post('/backend/shutdown', { model: 'm' })).status).toBe(200)
  })
})

it('a cloud proxy has its settings checked when it is loaded', async () => {
  await using server = await startTestServer()
  const write = (name: string, url: string): Promise<void> =>
    server.writeModelFile(`${name}.yaml`, `name: ${name}\nbackend: cloud-proxy\nproxy: {upstream_url: '${url}'}\n`)
  await write('good', 'https://models.example/v1/chat/completions')
  await write('bad', 'models.example')
  expect((await server.post('/backend/load', { model: 'good' })).status).toBe(200)
  expect((await server.post('/backend/load', { model: 'bad' })).text).toContain('proxy.upstream_url')
  expect((await server.call('/backend/monitor?model=good')).status).toBe(200)
  expect((await server.call('/v1/models/capabilities')).status).toBe(200)
  expect((await server.post('/api/show', { model: 'good' })).status).toBe(200)
  expect((await server.post('/backend/shutdown', { model: 'good' })).status).toBe(200)
})
