import Anthropic from '@anthropic-ai/sdk'
import { startUpstream, type Upstream } from '@svc/test-kit'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { startTestServer, type TestServer } from '../support/server.ts'

const CHAT = '/v1/chat/completions'
const MESSAGES = '/v1/messages'

interface World extends AsyncDisposable {
  readonly server: TestServer
  readonly upstream: Upstream
  /** Writes a model that lives upstream. */
  model(name: string, proxy: Record<string, unknown>, keys?: Record<string, unknown>): Promise<void>
}

async function startWorld(env: Record<string, string> = {}): Promise<World> {
  const server = await startTestServer({ env })
  const upstream = await startUpstream()
  return {
    server,
    upstream,
    model: (name, proxy, keys = {}) =>
      server.writeModelFile(
        `${name}.yaml`,
        stringify({
          name,
          backend: 'cloud-proxy',
          known_usecases: ['chat'],
          proxy: { upstream_url: `${upstream.origin}/v9/x`, ...proxy },
          ...keys,
        }),
      ),
    async [Symbol.asyncDispose]() {
      await server.close()
      await upstream.close()
    },
  }
}

const chatReply = {
  id: 'up-1',
  object: 'chat.completion',
  created: 7,
  model: 'big',
  vendor: { x: 1.0 },
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello from afar' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 11, completion_tokens: 4, total_tokens: 15 },
}
const messagesReply = {
  id: 'msg_up',
  type: 'message',
  role: 'assistant',
  model: 'big',
  content: [{ type: 'text', text: 'Hello from afar' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 11, output_tokens: 4 },
}
const chatChunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'up-1', object: 'chat.completion.chunk', created: 7, model: 'big', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
const chatStream = [
  ': keep\n\n',
  chatChunk({ role: 'assistant', content: '' }),
  chatChunk({ content: 'Hello ' }),
  chatChunk({ content: 'from afar' }),
  chatChunk({}, 'stop'),
  'data: {"id":"up-1","object":"chat.completion.chunk","created":7,"model":"big","choices":[],"usage":{"prompt_tokens":11,"completion_tokens":4,"total_tokens":15}}\n\n',
  'data: [DONE]\n\n',
].join('')
const event = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
const messagesStream = [
  event('message_start', {
    message: { ...messagesReply, content: [], stop_reason: null, usage: { input_tokens: 11, output_tokens: 1 } },
  }),
  event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  event('ping', {}),
  event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hello ' } }),
  event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'from afar' } }),
  event('content_block_stop', { index: 0 }),
  event('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 4 } }),
  event('message_stop', {}),
].join('')
const sse = { 'content-type': 'text/event-stream' }
const jsonType = { 'content-type': 'application/json' }

const openai = (server: TestServer) => new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'client-key', maxRetries: 0 })
const anthropic = (server: TestServer) => new Anthropic({ baseURL: server.url, apiKey: 'client-key', maxRetries: 0 })

describe('passthrough', () => {
  // verifies cloud-proxy:passthrough:verbatim, cloud-proxy:passthrough:bypasses, proxy:mode:default, proxy:url:cloud, proxy:model:replaced, proxy:key:from-env, proxy:key:client-dropped
  it('gives the upstream the same bytes except the model, and none of the client’s credentials', async () => {
    await using world = await startWorld({ UP_KEY: 'up-secret' })
    await world.model('far', { upstream_model: 'big', api_key_env: 'UP_KEY' })
    world.upstream.replyWith({
      headers: { ...jsonType, 'x-ratelimit-remaining': '7', server: 'x' },
      body: JSON.stringify(chatReply),
    })
    const body =
      '{ "model":"far",\t"messages" : [ {"role":"user","content":"h\\u0069"} ],"x_vendor":1.50, "x_vendor":{"deep":[1e400]} }'
    const reply = await world.server.call(CHAT, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: 'a=b', authorization: 'Bearer client-key' },
      body,
    })
    expect([reply.status, reply.text]).toEqual([200, JSON.stringify(chatReply)])
    expect(reply.headers['x-ratelimit-remaining']).toBe('7')
    expect(reply.headers.server).toBeUndefined()
    const [request] = world.upstream.requests
    expect(request?.path).toBe('/v9/x')
    expect(request?.text()).toBe(body.replace('"far"', '"big"'))
    expect(request?.header('authorization')).toEqual(['Bearer up-secret'])
    expect(request?.header('cookie')).toEqual([])
    expect(JSON.stringify(request?.headers)).not.toContain('client-key')
    const metrics = await world.server.call('/metrics')
    expect(metrics.text).toContain('svc_tokens_total{kind="prompt"} 11')
    expect(metrics.text).toContain('svc_tokens_total{kind="completion"} 4')
  })

  // verifies cloud-proxy:passthrough:events, proxy:provider:wire-format
  it('relays streams with their event names, comments and metadata, byte for byte', async () => {
    await using world = await startWorld()
    await world.model('far', { provider: 'provider_b' })
    world.upstream.replyWith({ headers: sse, body: messagesStream })
    const reply = await world.server.post(MESSAGES, { model: 'far', max_tokens: 9, stream: true, messages: [] })
    expect([reply.status, reply.text]).toEqual([200, messagesStream])
    expect(world.upstream.requests[0]?.header('anthropic-version')).toEqual(['2023-06-01'])
    const metrics = await world.server.call('/metrics')
    expect(metrics.text).toContain('svc_tokens_total{kind="completion"} 4')
  })

  it('serves the official clients in both formats, whole and streamed', async () => {
    await using world = await startWorld()
    await world.model('a', { provider: 'provider_a' })
    await world.model('b', { provider: 'provider_b' })
    const { server, upstream } = world
    upstream.enqueue({ headers: jsonType, body: JSON.stringify(chatReply) }, { headers: sse, body: chatStream })
    const messages = [{ role: 'user' as const, content: 'hi' }]
    const completion = await openai(server).chat.completions.create({ model: 'a', messages })
    expect(completion.choices[0]?.message.content).toBe('Hello from afar')
    const stream = openai(server).chat.completions.stream({ model: 'a', messages })
    expect((await stream.finalChatCompletion()).choices[0]?.message.content).toBe('Hello from afar')
    upstream.enqueue({ headers: jsonType, body: JSON.stringify(messagesReply) }, { headers: sse, body: messagesStream })
    const ask = { model: 'b', max_tokens: 9, messages }
    expect((await anthropic(server).messages.create(ask)).content).toEqual(messagesReply.content)
    expect(await anthropic(server).messages.stream(ask).finalText()).toBe('Hello from afar')
  })

  // verifies cloud-proxy:passthrough:routes, cloud-proxy:passthrough:pairing
  it('refuses the other format and every other route, naming the ones to use; nothing goes upstream', async () => {
    await using world = await startWorld()
    await world.model('a', { provider: 'provider_a' })
    await world.model('b', { provider: 'provider_b' })
    const { server } = world
    const other = await server.post(MESSAGES, { model: 'a', max_tokens: 9, messages: [] })
    expect([other.status, other.text]).toEqual([400, expect.stringContaining(CHAT)])
    const another = await server.post(CHAT, { model: 'b', messages: [] })
    expect([another.status, another.text]).toEqual([400, expect.stringContaining(MESSAGES)])
    for (const path of [
      '/v1/completions',
      '/v1/embeddings',
      '/v1/responses',
      '/api/chat',
      '/v1/messages/count_tokens',
    ]) {
      const reply = await server.post(path, { model: 'a', prompt: 'x', input: 'x', messages: [] })
      expect([path, reply.status, reply.text]).toEqual([path, 400, expect.stringContaining(`${CHAT} and ${MESSAGES}`)])
    }
    expect(world.upstream.requests).toEqual([])
  })

  // verifies upstream:failure:body-kept, errors:status:upstream, model-file:proxy:upstream
  it('hands an upstream’s error on as it is, and tells a missing upstream with 502', async () => {
    await using world = await startWorld()
    await world.model('far', {})
    const body = '{"error":{"message":"slow down","odd":true}}'
    world.upstream.enqueue({ status: 429, headers: { ...jsonType, 'retry-after': '9' }, body })
    const reply = await world.server.chat('far')
    expect([reply.status, reply.text, reply.headers['retry-after']]).toEqual([429, body, '9'])
    await world.upstream.close()
    const gone = await world.server.chat('far')
    expect([gone.status, gone.json()]).toMatchObject([502, { error: { code: 502, type: 'server_error' } }])
  })

  it('reveals only the status of an upstream’s error when errors are opaque', async () => {
    await using world = await startWorld({ SVC_OPAQUE_ERRORS: 'true' })
    await world.model('far', {})
    await world.model('other', { mode: 'translate', provider: 'provider_b' })
    const body = '{"error":{"message":"slow down"}}'
    world.upstream.replyWith({ status: 429, headers: { ...jsonType, 'retry-after': '9' }, body })
    for (const model of ['far', 'other']) {
      for (const stream of [false, true]) {
        const reply = await world.server.chat(model, { stream })
        expect([reply.status, reply.text, reply.headers['retry-after']], model).toEqual([429, '', '9'])
      }
    }
  })

  it('tells inside the stream that its upstream broke off', async () => {
    await using world = await startWorld()
    await world.model('far', {})
    world.upstream.replyWith({ headers: sse, body: chatChunk({ content: 'Hel' }), end: 'cut' })
    const reply = await world.server.chat('far', { stream: true })
    expect(reply.text).toContain('"Hel"')
    expect(reply.text).toMatch(/data: \{"error":.*upstream failed.*\}\n\n/)
  })

  // verifies proxy:key:empty-variable
  it('fails with the setting that is wrong, and never with a key', async () => {
    await using world = await startWorld({ EMPTY: '' })
    await world.model('unset', { api_key_env: 'NO_SUCH_KEY' })
    await world.model('empty', { api_key_env: 'EMPTY' })
    await world.model('file', { api_key_file: '/no/such/file' })
    for (const [name, text] of [
      ['unset', 'proxy.api_key_env: the variable NO_SUCH_KEY is not set'],
      ['empty', 'proxy.api_key_env: the variable EMPTY is empty'],
      ['file', 'proxy.api_key_file: the key file cannot be used: it cannot be read'],
    ] as const) {
      const reply = await world.server.chat(name)
      expect([reply.status, reply.text]).toEqual([500, expect.stringContaining(text)])
    }
    expect(world.upstream.requests).toEqual([])
  })
})

describe('translate', () => {
  const pairings = [
    ['chat', 'provider_a'],
    ['chat', 'provider_b'],
    ['messages', 'provider_a'],
    ['messages', 'provider_b'],
  ] as const

  // verifies cloud-proxy:translate:formats, cloud-proxy:translate:normal-end
  it.each(pairings)('a client of the %s format is answered by %s, whole and streamed', async (client, provider) => {
    await using world = await startWorld()
    await world.model('far', { mode: 'translate', provider, upstream_model: 'big' })
    const isMessages = provider === 'provider_b'
    world.upstream.enqueue(
      { headers: jsonType, body: JSON.stringify(isMessages ? messagesReply : chatReply) },
      { headers: sse, body: isMessages ? messagesStream : chatStream },
    )
    const messages = [{ role: 'user' as const, content: 'hi' }]
    if (client === 'chat') {
      const whole = await openai(world.server).chat.completions.create({ model: 'far', messages })
      expect(whole.choices[0]).toMatchObject({ message: { content: 'Hello from afar' }, finish_reason: 'stop' })
      const stream = openai(world.server).chat.completions.stream({ model: 'far', messages })
      expect((await stream.finalChatCompletion()).choices[0]?.message.content).toBe('Hello from afar')
    } else {
      const ask = { model: 'far', max_tokens: 9, messages }
      expect(await anthropic(world.server).messages.create(ask)).toMatchObject({
        content: [{ type: 'text', text: 'Hello from afar' }],
        stop_reason: 'end_turn',
      })
      expect(await anthropic(world.server).messages.stream(ask).finalText()).toBe('Hello from afar')
    }
    expect(world.upstream.requests.map((request) => JSON.parse(request.text()).model)).toEqual(['big', 'big'])
    const metrics = await world.server.call('/metrics')
    expect(metrics.text).toContain('svc_tokens_total{kind="prompt"} 22')
  })

  it('hands an upstream’s error on as it is', async () => {
    await using world = await startWorld()
    await world.model('far', { mode: 'translate', provider: 'provider_b' })
    const body = '{"type":"error","error":{"type":"overloaded_error","message":"busy"}}'
    world.upstream.replyWith({ status: 529, headers: jsonType, body })
    for (const stream of [false, true]) {
      const reply = await world.server.chat('far', { stream })
      expect([reply.status, reply.text]).toEqual([529, body])
    }
  })

  // verifies cloud-proxy:translate:refusal
  it('makes a refusal of the upstream an error', async () => {
    await using world = await startWorld()
    await world.model('far', { mode: 'translate', provider: 'provider_b' })
    world.upstream.replyWith({ headers: jsonType, body: JSON.stringify({ ...messagesReply, stop_reason: 'refusal' }) })
    expect((await world.server.chat('far')).status).toBe(502)
    // the earlier text has been sent already
    const refused = messagesStream.replace('"end_turn"', '"refusal"')
    expect(refused).not.toBe(messagesStream)
    world.upstream.replyWith({ headers: sse, body: refused })
    const { status, text } = await world.server.chat('far', { stream: true })
    expect([status, text]).toEqual([200, expect.stringContaining('Hello ')])
    expect(text).toMatch(/data: \{"error":\{.*\n\ndata: \[DONE\]/)
    expect(text).not.toContain('"finish_reason":"stop"')
  })
})

describe('the PII filter of a model upstream', () => {
  it('is on unless its file says otherwise: the upstream never sees masked text, and the reply has it again', async () => {
    await using world = await startWorld({ SVC_PII_DEFAULT_DETECTORS: 'ner' })
    await world.server.model('ner', {}, { known_usecases: ['token_classify'], pii_detection: {} })
    await world.model('far', {}, { pii: { reversible_redactions: true } })
    const content = 'Mail [REDACTED:EMAIL_001] now'
    world.upstream.enqueue(
      {
        headers: jsonType,
        body: JSON.stringify({ ...chatReply, choices: [{ index: 0, message: { role: 'assistant', content } }] }),
      },
      {
        headers: sse,
        body:
          chatChunk({ role: 'assistant' }) +
          [...content].map((text) => chatChunk({ content: text })).join('') +
          chatChunk({}, 'stop') +
          'data: [DONE]\n\n',
      },
    )
    const messages = [{ role: 'user' as const, content: 'I am ada@host.example' }]
    const whole = await openai(world.server).chat.completions.create({ model: 'far', messages })
    expect(whole.choices[0]?.message.content).toBe('Mail ada@host.example now')
    const stream = openai(world.server).chat.completions.stream({ model: 'far', messages })
    expect((await stream.finalChatCompletion()).choices[0]?.message.content).toBe('Mail ada@host.example now')
    expect(world.upstream.requests.map((request) => request.text()).join()).not.toContain('ada@')
  })
})
