import type { MockBehaviour } from '@svc/backend-mock/script'
import { type MessagesEvent, messagesEvent, messagesReply } from '@svc/wire/messages'
import { describe, expect, it } from 'vitest'
import { PNG, toDataUrl } from '../../src/inference/media/__fixtures__/samples.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import type { RawReply } from '../support/test-app.ts'
import { verifies } from './verifies.ts'

const HELLO = [{ role: 'user', content: 'Hello there' }]

/** Sends one message of the user to a model, with at most 64 tokens. */
function send(
  server: TestServer,
  extra: Readonly<Record<string, unknown>> = {},
  headers: Record<string, string> = {},
): Promise<RawReply> {
  return server.post('/v1/messages', { model: 'm', max_tokens: 64, messages: HELLO, ...extra }, headers)
}

/** A server whose model `m` has the given behaviour. */
async function answering(behaviour: MockBehaviour, keys: Record<string, unknown> = {}): Promise<TestServer> {
  const server = await startTestServer()
  await server.model('m', { rules: [{ rpc: 'Predict*', do: behaviour }] }, keys)
  return server
}

/** Gives the request of the mock's first prediction. */
function asked(server: TestServer): unknown {
  return server.records('m').find(({ rpc, event }) => rpc.startsWith('Predict') && event === 'start')?.request
}

/** Reads the events of a stream; the name of each must be its type, and the format must have it. */
function readEvents({ text }: RawReply): MessagesEvent[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const [, name, data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? []
      const event = messagesEvent.parse(JSON.parse(data))
      expect(event.type).toBe(name)
      return event
    })
}

const WEATHER = { name: 'weather', description: 'The weather', input_schema: { type: 'object', properties: {} } }

describe('POST /v1/messages', () => {
  verifies('messages:route:post', 'answers whole, under the requested name, with usage', async () => {
    await using server = await answering({ text: 'Hello to you', promptTokens: 5, completionTokens: 3 })
    const reply = await send(server)
    expect(reply.status).toBe(200)
    expect(reply.json()).toEqual({
      id: expect.stringMatching(/^msg_./),
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'Hello to you', citations: null }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 5, output_tokens: 3 },
    })
    expect(messagesReply.safeParse(reply.json()).success).toBe(true)
  })

  it('answers under /messages too, and to any version of the format', async () => {
    await using server = await answering({ text: 'Hi' })
    const headers = { 'anthropic-version': '2999-01-01', 'anthropic-beta': 'something-new' }
    const body = { model: 'm', max_tokens: 5, messages: HELLO }
    for (const path of ['/messages', '/v1/messages']) {
      expect((await server.post(path, body, headers)).json()).toMatchObject({ content: [{ text: 'Hi' }] })
    }
  })

  it('sends the id of the request in the header that its clients read, on replies and refusals', async () => {
    await using server = await answering({ text: 'Hi' })
    for (const extra of [{}, { stream: true }, { max_tokens: 0 }]) {
      const { headers } = await send(server, extra, { 'x-request-id': 'abc' })
      expect(headers['request-id']).toBe('abc')
    }
  })
})

describe('a request', () => {
  verifies('messages:request:required', 'reaches the backend with its limit and generation options', async () => {
    await using server = await answering({ text: 'Hi' })
    const steering = { temperature: 0.5, top_p: 0.25, top_k: 7, stop_sequences: ['STOP', ''] }
    await send(server, { ...steering, metadata: { user_id: 'u', nested: {} } })
    expect(asked(server)).toMatchObject({
      Tokens: 64,
      Temperature: 0.5,
      TopP: 0.25,
      TopK: 7,
      StopPrompts: ['STOP'],
      Metadata: { user_id: 'u' },
    })
  })

  it('may have its system text in any form', async () => {
    await using server = await startTestServer()
    const blocks = [
      { type: 'text', text: 'Be ', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'brief.' },
    ]
    const forms = [
      { system: 'Be brief.' },
      { system: blocks },
      { messages: [{ role: 'system', content: 'Be brief.' }, ...HELLO] },
    ]
    for (const [index, form] of forms.entries()) {
      await server.model(`m${index}`)
      await send(server, { model: `m${index}`, ...form })
      const [request] = server.records(`m${index}`).filter(({ rpc, event }) => rpc === 'Predict' && event === 'start')
      expect(request?.request).toMatchObject({
        Messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Hello there' },
        ],
      })
    }
  })

  it('keeps calls, their results and thoughts apart: each result is a message with the id of its call', async () => {
    await using server = await answering({ text: 'Rain and sun.' })
    const call = (id: string, city: string) => ({ type: 'tool_use', id, name: 'weather', input: { city } })
    const messages = [
      { role: 'user', content: 'Weather in Rome and Oslo?' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Two calls.', signature: 'x' },
          { type: 'redacted_thinking', data: 'x' },
          { type: 'text', text: 'Let me look.' },
          call('c1', 'Rome'),
          call('c2', 'Oslo'),
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c1', content: 'sun' },
          { type: 'tool_result', tool_use_id: 'c2', content: [{ type: 'text', text: 'rain' }], is_error: false },
          { type: 'text', text: 'And?' },
        ],
      },
    ]
    await send(server, { messages, tools: [WEATHER] })
    expect(asked(server)).toMatchObject({
      Messages: [
        { role: 'user', content: 'Weather in Rome and Oslo?' },
        { role: 'assistant', content: 'Let me look.', reasoningContent: 'Two calls.' },
        { role: 'tool', content: 'sun', toolCallId: 'c1' },
        { role: 'tool', content: 'rain', toolCallId: 'c2' },
        { role: 'user', content: 'And?' },
      ],
    })
    const { Messages } = asked(server) as { Messages: { toolCalls: string }[] }
    expect(JSON.parse(Messages[1]?.toolCalls ?? '')).toEqual([
      { index: 0, id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
      { index: 0, id: 'c2', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
    ])
  })

  it('may carry images and documents, in results of tools too, to a model that takes them', async () => {
    await using server = await answering({ text: 'A dot.' }, { known_input_modalities: ['text', 'image'] })
    const data = PNG.toString('base64')
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }
    const messages = [
      {
        role: 'user',
        content: [
          image,
          { type: 'text', text: 'What ' },
          { type: 'image', source: { type: 'url', url: toDataUrl('image/png', PNG) } },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'is it?' } },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'look', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: [image] }] },
    ]
    expect((await send(server, { messages })).status).toBe(200)
    expect(asked(server)).toMatchObject({
      Images: [data, data, data],
      Messages: [
        { role: 'user', content: 'What is it?' },
        { role: 'assistant', content: '' },
        { role: 'tool', content: '', toolCallId: 'c1' },
      ],
    })
    const counted = await server.post('/v1/messages/count_tokens', { model: 'm', messages })
    expect([counted.status, counted.json()]).toMatchObject([
      400,
      { error: { message: expect.stringContaining('messages[0].content[0]') } },
    ])
  })

  it.each([
    [undefined, ''],
    [{ type: 'auto' }, '"auto"'],
    [{ type: 'any' }, '"required"'],
    [{ type: 'tool', name: 'weather' }, '{"type":"function","function":{"name":"weather"}}'],
  ])('hands on its tools with the choice %j', async (tool_choice, ToolChoice) => {
    await using server = await answering({ text: 'Hi' })
    await send(server, { tools: [WEATHER], tool_choice })
    const request = asked(server) as { Tools: string; ToolChoice: string }
    expect(JSON.parse(request.Tools)).toEqual([
      {
        type: 'function',
        function: { name: 'weather', description: 'The weather', parameters: WEATHER.input_schema },
      },
    ])
    expect(request.ToolChoice).toBe(ToolChoice)
  })

  it('calls no tools with the choice none', async () => {
    await using server = await answering({ text: 'Hi' })
    await send(server, { tools: [WEATHER], tool_choice: { type: 'none' } })
    expect(asked(server)).toMatchObject({ Tools: '', ToolChoice: '' })
  })

  it.each([
    [{ type: 'enabled', budget_tokens: 1024 }, 'true'],
    [{ type: 'adaptive' }, 'true'],
    [{ type: 'disabled' }, 'false'],
    [undefined, undefined],
  ])('tells the template whether to think: %j', async (thinking, told) => {
    await using server = await answering({ text: 'Hi' })
    await send(server, { thinking })
    expect((asked(server) as { Metadata: Record<string, string> }).Metadata.enable_thinking).toBe(told)
  })

  it('may ask for a form of the answer and an effort', async () => {
    await using server = await answering({ text: '{"a":1}' })
    const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] }
    const reply = await send(server, { output_config: { effort: 'max', format: { type: 'json_schema', schema } } })
    expect(reply.json()).toMatchObject({ content: [{ text: '{"a":1}' }] })
    expect(asked(server)).toMatchObject({
      Grammar: expect.stringContaining('root ::='),
      Metadata: { reasoning_effort: 'high' },
    })
  })
})

describe('a reply', () => {
  it('has thinking only for clients that ask for it', async () => {
    await using server = await answering({ reasoning: 'Hm. ', text: 'Yes.', via: 'deltas' })
    const thought = { type: 'thinking', thinking: 'Hm. ', signature: expect.stringMatching(/./) }
    const text = { type: 'text', text: 'Yes.', citations: null }
    const ask = async (thinking: unknown) => ((await send(server, { thinking })).json() as { content: unknown }).content
    expect(await ask({ type: 'enabled', budget_tokens: 1024 })).toEqual([thought, text])
    expect(await ask({ type: 'adaptive' })).toEqual([thought, text])
    for (const other of [undefined, { type: 'disabled' }, { type: 'adaptive', display: 'omitted' }]) {
      expect(await ask(other)).toEqual([text])
    }
  })

  it('has calls behind its text, with their input as a value', async () => {
    const toolCalls = [
      { id: 'c1', name: 'weather', arguments: { city: 'Rome' } },
      { id: 'c2', name: 'weather', arguments: { city: 'Oslo' } },
    ]
    await using server = await answering({ text: 'Let me look.', toolCalls, via: 'deltas' })
    const call = (id: string, city: string) => ({ type: 'tool_use', id, name: 'weather', input: { city } })
    const ask = async (tool_choice?: unknown) => (await send(server, { tools: [WEATHER], tool_choice })).json()
    const text = { type: 'text', text: 'Let me look.', citations: null }
    expect(await ask()).toMatchObject({
      content: [text, call('c1', 'Rome'), call('c2', 'Oslo')],
      stop_reason: 'tool_use',
    })
    expect(await ask({ type: 'auto', disable_parallel_tool_use: true })).toMatchObject({
      content: [text, call('c1', 'Rome')],
    })
  })

  it('never invents an input: malformed arguments go on as they are', async () => {
    const toolCalls = [{ id: 'c1', name: 'weather', arguments: '{"city": "Ro' }]
    await using server = await answering({ toolCalls, via: 'deltas' })
    expect((await send(server, { tools: [WEATHER] })).json()).toMatchObject({
      content: [{ type: 'tool_use', id: 'c1', name: 'weather', input: { raw: '{"city": "Ro' } }],
    })
  })

  it('that is empty has one empty block of text', async () => {
    await using server = await answering({ pieces: [] })
    expect((await send(server)).json()).toMatchObject({
      content: [{ type: 'text', text: '' }],
      stop_reason: 'end_turn',
    })
    const started = readEvents(await send(server, { stream: true })).filter(
      ({ type }) => type === 'content_block_start',
    )
    expect(started).toHaveLength(1)
  })

  it('ends as max_tokens at the limit', async () => {
    await using server = await answering({ text: 'a b c d' })
    expect((await send(server, { max_tokens: 2 })).json()).toMatchObject({
      content: [{ text: 'a b' }],
      stop_reason: 'max_tokens',
      stop_sequence: null,
    })
  })

  it('ends at a sequence: named where the backend says so or leaves it in the text', async () => {
    await using server = await answering({ pieces: ['one', ' EN', 'D'] })
    const ending = { stop_reason: 'stop_sequence', stop_sequence: 'END' }
    const stop_sequences = ['never', 'END']
    expect((await send(server, { stop_sequences })).json()).toMatchObject(ending)
    const events = readEvents(await send(server, { stop_sequences, stream: true }))
    expect(events.find(({ type }) => type === 'message_delta')).toMatchObject({ delta: ending })
    await server.model('cut', { rules: [{ rpc: 'Predict*', do: { text: 'one END two' } }] })
    const cut = { model: 'cut', stop_sequences }
    expect((await send(server, cut)).json()).toMatchObject({ content: [{ text: 'one' }], ...ending })
    const cutEvents = readEvents(await send(server, { ...cut, stream: true }))
    expect(cutEvents.find(({ type }) => type === 'message_delta')).toMatchObject({ delta: ending })
  })

  it('ends as a normal turn at a stop text of the model file, without one, and at the limit', async () => {
    await using server = await answering({ text: 'one END two' }, { stopwords: ['END'] })
    const turn = { stop_reason: 'end_turn', stop_sequence: null }
    expect((await send(server, { stop_sequences: ['never'] })).json()).toMatchObject(turn)
    expect((await send(server)).json()).toMatchObject({ content: [{ text: 'one' }], ...turn })
    expect((await send(server, { stop_sequences: ['END'], max_tokens: 1 })).json()).toMatchObject({
      stop_reason: 'max_tokens',
      stop_sequence: null,
    })
  })
})

const START = {
  type: 'message_start',
  message: {
    id: expect.stringMatching(/^msg_./),
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 5, output_tokens: 0 },
  },
}
const PING = { type: 'ping' }
const begin = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block })
const delta = (index: number, piece: object) => ({ type: 'content_block_delta', index, delta: piece })
const stop = (index: number) => ({ type: 'content_block_stop', index })
const end = (stop_reason: string) => [
  {
    type: 'message_delta',
    delta: { stop_reason, stop_sequence: null },
    usage: { input_tokens: 5, output_tokens: expect.any(Number) },
  },
  { type: 'message_stop' },
]

/** The events of the format for each behaviour of a model. */
const STREAMS: readonly (readonly [string, MockBehaviour, readonly unknown[]])[] = [
  [
    'text',
    { pieces: ['Hel', 'lo'] },
    [
      begin(0, { type: 'text', text: '' }),
      delta(0, { type: 'text_delta', text: 'Hel' }),
      delta(0, { type: 'text_delta', text: 'lo' }),
      stop(0),
      ...end('end_turn'),
    ],
  ],
  [
    'thoughts, then text',
    { reasoning: 'Hm.', pieces: ['Yes.'], via: 'deltas' },
    [
      begin(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'Hm.' }),
      delta(0, { type: 'signature_delta', signature: expect.stringMatching(/./) }),
      stop(0),
      begin(1, { type: 'text', text: '' }),
      delta(1, { type: 'text_delta', text: 'Yes.' }),
      stop(1),
      ...end('end_turn'),
    ],
  ],
  [
    'text, then two calls',
    {
      pieces: ['Look.'],
      toolCalls: [
        { id: 'c1', name: 'weather', arguments: { city: 'Rome' } },
        { id: 'c2', name: 'weather', arguments: {} },
      ],
      via: 'deltas',
    },
    [
      begin(0, { type: 'text', text: '' }),
      delta(0, { type: 'text_delta', text: 'Look.' }),
      stop(0),
      begin(1, { type: 'tool_use', id: 'c1', name: 'weather', input: {} }),
      delta(1, { type: 'input_json_delta', partial_json: '{"city":' }),
      delta(1, { type: 'input_json_delta', partial_json: '"Rome"}' }),
      stop(1),
      begin(2, { type: 'tool_use', id: 'c2', name: 'weather', input: {} }),
      delta(2, { type: 'input_json_delta', partial_json: '{' }),
      delta(2, { type: 'input_json_delta', partial_json: '}' }),
      stop(2),
      ...end('tool_use'),
    ],
  ],
]

describe('a stream', () => {
  it.each(STREAMS)('of %s is exactly these events', async (_, behaviour, events) => {
    await using server = await answering({ promptTokens: 5, ...behaviour })
    const reply = await send(server, { stream: true, tools: [WEATHER], thinking: { type: 'adaptive' } })
    expect(reply.status).toBe(200)
    expect(reply.headers['content-type']).toBe('text/event-stream')
    expect(readEvents(reply)).toEqual([START, PING, ...events])
  })

  it('leaves out unknown figures', async () => {
    await using server = await answering({ text: 'Hi', promptTokens: 0 })
    const events = readEvents(await send(server, { stream: true }))
    expect(events.at(-2)).toEqual({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 1 },
    })
  })

  it('that breaks off ends with an error event and nothing after it', async () => {
    await using server = await answering({
      pieces: ['a', 'b', 'c'],
      failure: { status: 'INTERNAL', message: 'no more', afterPieces: 2 },
    })
    const events = readEvents(await send(server, { stream: true }))
    expect(events.at(-1)).toEqual({
      type: 'error',
      error: { type: 'api_error', message: 'prediction failed: no more' },
    })
    expect(events.filter(({ type }) => type === 'message_stop' || type === 'message_delta')).toEqual([])
  })

  it('that fails before its first event has a status', async () => {
    await using server = await answering({ failure: { status: 'INTERNAL', message: 'no start' } })
    const reply = await send(server, { stream: true })
    expect([reply.status, reply.headers['content-type']]).toEqual([500, 'application/json'])
  })
})

describe('errors', () => {
  const envelope = (type: string, message: unknown) => ({ type: 'error', error: { type, message } })

  verifies(
    ['messages:error:no-model', 'messages:error:unknown-model', 'messages:error:bad-request-type'],
    'of the model have their own texts: none is chosen for the client',
    async () => {
      await using server = await answering({ text: 'Hi' })
      for (const path of ['/v1/messages', '/v1/messages/count_tokens']) {
        const unnamed = await server.post(path, { max_tokens: 5, messages: HELLO })
        expect([unnamed.status, unnamed.json()]).toEqual([400, envelope('invalid_request_error', 'model is required')])
        const unknown = await server.post(path, { model: 'nobody', max_tokens: 5, messages: HELLO })
        expect([unknown.status, unknown.json()]).toEqual([
          400,
          envelope('invalid_request_error', 'model configuration not found'),
        ])
      }
      expect(asked(server)).toBeUndefined()
    },
  )

  verifies('messages:error:max-tokens', 'of a limit that is missing or not positive name it', async () => {
    await using server = await answering({ text: 'Hi' })
    for (const max_tokens of [undefined, null, 0, -1, -0.5]) {
      const reply = await send(server, { max_tokens })
      expect([reply.status, reply.json()]).toEqual([
        400,
        envelope('invalid_request_error', 'max_tokens is required and must be greater than 0'),
      ])
    }
  })

  verifies(
    ['messages:error:inference', 'messages:error:failure-type'],
    'of a model that cannot be loaded begin with the words for it',
    async () => {
      await using server = await startTestServer()
      for (const [model, stream] of [
        ['m', false],
        ['other', true],
      ] as const) {
        await server.model(model, { rules: [{ rpc: 'LoadModel', do: { refuse: 'no such architecture' } }] })
        const reply = await send(server, { model, stream })
        expect([reply.status, reply.json()]).toEqual([
          500,
          envelope('api_error', expect.stringMatching(/^model inference failed: could not load model "(m|other)": /)),
        ])
      }
    },
  )

  verifies(
    ['messages:error:prediction', 'messages:error:failure-type'],
    'of a prediction begin with the words for it',
    async () => {
      await using server = await answering({ failure: { status: 'INTERNAL', message: 'out of luck' } })
      const reply = await send(server)
      expect([reply.status, reply.json()]).toEqual([500, envelope('api_error', 'prediction failed: out of luck')])
    },
  )

  verifies('errors:envelope:messages', 'of gates and limits come in the same envelope', async () => {
    await using server = await startTestServer({ flags: ['--api-keys=k', '--upload-limit=1'] })
    const key = { 'x-api-key': 'k' }
    await server.model('m', { rules: [{ rpc: 'Predict', do: { hang: true } }] }, { limits: { max_concurrent: 1 } })
    await server.model('off', {}, { disabled: true })

    const refused = await send(server)
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Bearer'])
    expect(refused.json()).toEqual(envelope('invalid_request_error', expect.any(String)))

    const disabled = await send(server, { model: 'off' }, key)
    expect([disabled.status, disabled.json()]).toEqual([
      403,
      envelope('invalid_request_error', 'model "off" is disabled'),
    ])

    const large = await send(server, { system: 'x'.repeat(1_100_000) }, key)
    expect([large.status, large.json()]).toEqual([413, envelope('invalid_request_error', expect.any(String))])

    const left = new AbortController()
    const held = fetch(`${server.url}/v1/messages`, {
      method: 'POST',
      headers: { ...key, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', max_tokens: 5, messages: HELLO }),
      signal: left.signal,
    }).catch(() => undefined)
    await expect.poll(() => asked(server)).toBeDefined()
    const busy = await send(server, {}, key)
    expect([busy.status, busy.headers['retry-after']]).toEqual([429, expect.stringMatching(/^[1-9]\d*$/)])
    expect(busy.json()).toEqual(envelope('rate_limit_error', expect.stringContaining('at capacity')))
    left.abort()
    await held
  })

  it('of a wrong method come in the same envelope', async () => {
    await using server = await startTestServer()
    const reply = await server.call('/v1/messages')
    expect([reply.status, reply.headers.allow]).toEqual([405, 'POST, OPTIONS'])
    expect(reply.json()).toEqual(envelope('invalid_request_error', expect.stringContaining('GET is not allowed')))
  })

  it('of a conversation that is not kept have the word that makes clients send all of it', async () => {
    await using server = await answering({ text: 'Hi' })
    const thread = { type: 'continue', previous_message_id: 'msg_1' }
    const reply = await send(server, { thread })
    expect([reply.status, reply.json()]).toEqual([
      404,
      {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: expect.stringContaining('thread'),
          details: { error_code: 'thread_not_found' },
        },
      },
    ])
    expect((await send(server, { thread: { type: 'create' } })).status).toBe(200)
  })

  it.each([
    [{ messages: [] }, 'messages'],
    [{ messages: undefined }, 'messages'],
    [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages[0].role'],
    [{ messages: [{ role: 'user', content: 5 }] }, 'messages[0].content'],
    [{ messages: [{ role: 'user', content: [{ type: 'text', text: 5 }] }] }, 'messages[0].content[0].text'],
    [{ messages: [{ role: 'user', content: [{ type: 'hologram' }] }] }, 'messages[0].content[0]'],
    [
      { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'https://x.test/' } }] }] },
      'messages[0].content[0]',
    ],
    [
      { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'file', file_id: 'f' } }] }] },
      'messages[0].content[0].source',
    ],
    [
      { messages: [{ role: 'assistant', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'x' }] }] },
      'messages[0].content',
    ],
    [
      { messages: [{ role: 'user', content: [{ type: 'tool_use', id: 'c', name: 'f', input: {} }] }] },
      'messages[0].content',
    ],
    [{ messages: [{ role: 'user', content: [{ type: 'thinking', thinking: 'x' }] }] }, 'messages[0].content'],
    [{ system: 5 }, 'system'],
    [{ tools: [{ type: 'mcp_toolset', mcp_server_name: 'x' }] }, 'tools[0].mcp_server_name'],
    [{ mcp_servers: [{ type: 'stdio', name: 'x', url: 'https://x.test' }] }, 'mcp_servers[0].type'],
    [{ messages: [{ role: 'assistant', content: [{ type: 'mcp_tool_use', id: 'c' }] }] }, 'messages[0].content[0]'],
    [{ tool_choice: { type: 'any' } }, 'tool_choice'],
    [{ tools: [WEATHER], tool_choice: { type: 'tool', name: 'other' } }, 'tool_choice.name'],
    [{ thinking: { type: 'sometimes' } }, 'thinking'],
    [{ stop_sequences: 'x' }, 'stop_sequences'],
    [{ stop_sequences: ['x'.repeat(5000)] }, 'stop_sequences[0]'],
    [{ max_tokens: 'many' }, 'max_tokens'],
    [{ output_config: { format: { type: 'yaml' } } }, 'output_config.format'],
  ])('of a request name the field: %j', async (extra, field) => {
    await using server = await answering({ text: 'Hi' })
    const reply = await send(server, extra)
    expect(reply.status).toBe(400)
    expect(reply.json()).toEqual(envelope('invalid_request_error', expect.stringContaining(field)))
    expect(asked(server)).toBeUndefined()
  })
})

describe('POST /v1/messages/count_tokens', () => {
  const count = (server: TestServer, extra: Readonly<Record<string, unknown>> = {}, path = '/v1/messages') =>
    server.post(`${path}/count_tokens`, { model: 'm', messages: HELLO, ...extra })

  it('counts the messages when the backend renders its own template, and predicts nothing', async () => {
    await using server = await startTestServer()
    await server.model('m')
    for (const path of ['/v1/messages', '/messages']) {
      expect((await count(server, { system: 'Be brief.', tools: [WEATHER] }, path)).json()).toEqual({ input_tokens: 4 })
    }
    const [record] = server.records('m').filter(({ rpc, event }) => rpc === 'TokenizeString' && event === 'start')
    expect(record?.request).toMatchObject({
      UseTokenizerTemplate: true,
      Messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello there' },
      ],
      Tools: expect.stringContaining('weather'),
    })
    expect(asked(server)).toBeUndefined()
  })

  it('counts the prompt that our templates make', async () => {
    await using server = await startTestServer()
    const template = { chat_message: '<{{.RoleName}}> {{.Content}}', chat: 'Begin {{.Input}} end' }
    await server.model('m', {}, { template })
    expect((await count(server)).json()).toEqual({ input_tokens: 5 })
    const [record] = server.records('m').filter(({ rpc, event }) => rpc === 'TokenizeString' && event === 'start')
    expect(record?.request).toMatchObject({ Prompt: 'Begin <user> Hello there end' })
  })

  it('is 501 where the backend cannot tell', async () => {
    await using server = await startTestServer()
    await server.model('m', { without: ['TokenizeString'] })
    const reply = await count(server)
    expect([reply.status, reply.json()]).toMatchObject([501, { type: 'error', error: { type: 'api_error' } }])
  })
})
