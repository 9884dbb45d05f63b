import type { MockBehaviour } from '@svc/backend-mock/script'
import { messagesEvent } from '@svc/wire/messages'
import { decodeNdjson } from '@svc/wire/ndjson'
import { ollamaChatReply, ollamaGenerateReply } from '@svc/wire/ollama'
import { chatCompletionChunk, completionChunk } from '@svc/wire/openai'
import { responseEvent } from '@svc/wire/responses'
import { decodeSse } from '@svc/wire/sse'
import { describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { startTestServer, type TestServer } from '../support/server.ts'
import type { RawReply } from '../support/test-app.ts'

const HELLO = [{ role: 'user', content: 'Hello there' }]
const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } } }
const CHAT_TOOLS = [{ type: 'function', function: { name: 'weather', parameters: PARAMETERS } }]
const RESPONSE_TOOLS = [{ type: 'function', name: 'weather', parameters: PARAMETERS }]

const TEXT: MockBehaviour = { pieces: ['Hel', 'lo'] }
const THOUGHTS: MockBehaviour = { reasoning: 'Hm.', pieces: ['Yes.'], via: 'deltas' }
const CALLS: MockBehaviour = {
  pieces: ['Look.'],
  toolCalls: [
    { id: 'c1', name: 'weather', arguments: { city: 'Rome' } },
    { id: 'c2', name: 'weather', arguments: {} },
  ],
  via: 'deltas',
}
const BROKEN: MockBehaviour = {
  pieces: ['a', 'b', 'c'],
  failure: { status: 'INTERNAL', message: 'no more', afterPieces: 2 },
}

/** A stream: the model's behaviour, the client's request, and the expected events. */
type StreamCase = readonly [name: string, says: MockBehaviour, asks: object, events: readonly unknown[]]

/** A server whose model `m` has the given behaviour, with 5 prompt tokens and 3 answer tokens. */
async function answering(behaviour: MockBehaviour): Promise<TestServer> {
  const server = await startTestServer()
  await server.model('m', { rules: [{ rpc: 'Predict*', do: { promptTokens: 5, completionTokens: 3, ...behaviour } }] })
  return server
}

/** Reads the events of a stream: their names, and their data as values except `[DONE]`. */
async function read(chunks: readonly Uint8Array[]): Promise<[name: string | undefined, data: unknown][]> {
  const events: [string | undefined, unknown][] = []
  for await (const { event, data } of decodeSse(chunks))
    events.push([event, data === '[DONE]' ? data : JSON.parse(data)])
  return events
}

function expectStream(reply: RawReply): void {
  expect(reply.status, reply.text).toBe(200)
  expect(reply.headers['content-type']).toBe('text/event-stream')
}

const DONE = '[DONE]'
const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 }
const chunk = (...choices: object[]) => ({
  id: expect.stringMatching(/^chatcmpl-./),
  object: 'chat.completion.chunk',
  created: expect.any(Number),
  model: 'm',
  choices,
})
/** A chunk of one choice; the last one has a reason. */
const delta = (piece: object, finish_reason: string | null = null, index = 0) =>
  chunk({ index, delta: piece, finish_reason })
const ROLE = delta({ role: 'assistant', content: '' })
const callStart = (index: number, id: string) =>
  delta({ tool_calls: [{ index, id, type: 'function', function: { name: 'weather', arguments: '' } }] })
const callPiece = (index: number, piece: string) => delta({ tool_calls: [{ index, function: { arguments: piece } }] })
const logprob = (token: string, top: readonly unknown[]) => ({
  token,
  logprob: expect.any(Number),
  bytes: [...Buffer.from(token)],
  top_logprobs: top,
})

/** The chunks of chat completions. */
const CHAT: readonly StreamCase[] = [
  ['text', TEXT, {}, [ROLE, delta({ content: 'Hel' }), delta({ content: 'lo' }), delta({}, 'stop'), DONE]],
  [
    'text with its figures',
    TEXT,
    { stream_options: { include_usage: true } },
    [ROLE, delta({ content: 'Hel' }), delta({ content: 'lo' }), delta({}, 'stop'), { ...chunk(), usage }, DONE],
  ],
  [
    'thoughts, then text',
    THOUGHTS,
    {},
    [ROLE, delta({ reasoning: 'Hm.', reasoning_content: 'Hm.' }), delta({ content: 'Yes.' }), delta({}, 'stop'), DONE],
  ],
  [
    'text, then two calls',
    CALLS,
    { tools: CHAT_TOOLS },
    [
      ROLE,
      delta({ content: 'Look.' }),
      callStart(0, 'c1'),
      callPiece(0, '{"city":'),
      callPiece(0, '"Rome"}'),
      callStart(1, 'c2'),
      callPiece(1, '{'),
      callPiece(1, '}'),
      delta({}, 'tool_calls'),
      DONE,
    ],
  ],
  [
    'a call of the older kind',
    { toolCalls: [{ id: 'c1', name: 'weather', arguments: { city: 'Rome' } }], via: 'deltas' },
    { functions: [{ name: 'weather', parameters: PARAMETERS }] },
    [
      ROLE,
      delta({ function_call: { name: 'weather', arguments: '' } }),
      delta({ function_call: { arguments: '{"city":' } }),
      delta({ function_call: { arguments: '"Rome"}' } }),
      delta({}, 'function_call'),
      DONE,
    ],
  ],
  [
    'text that the limit cuts off',
    { text: 'one two three four' },
    { max_tokens: 3 },
    [
      ROLE,
      delta({ content: 'one' }),
      delta({ content: ' two' }),
      delta({ content: ' three' }),
      delta({}, 'length'),
      DONE,
    ],
  ],
  [
    'text with log-probabilities',
    TEXT,
    { logprobs: true, top_logprobs: 1 },
    [
      ROLE,
      ...['Hel', 'lo'].map((content) =>
        chunk({
          index: 0,
          delta: { content },
          finish_reason: null,
          logprobs: { content: [logprob(content, [expect.any(Object)])], refusal: null },
        }),
      ),
      delta({}, 'stop'),
      DONE,
    ],
  ],
  [
    'two choices',
    TEXT,
    { n: 2 },
    [
      ROLE,
      delta({ role: 'assistant', content: '' }, null, 1),
      ...[0, 1].flatMap((index) => [
        delta({ content: 'Hel' }, null, index),
        delta({ content: 'lo' }, null, index),
        delta({}, 'stop', index),
      ]),
      DONE,
    ],
  ],
  [
    'text that breaks off',
    BROKEN,
    {},
    [
      ROLE,
      delta({ content: 'a' }),
      delta({ content: 'b' }),
      {
        error: {
          message: 'prediction failed: no more',
          type: 'server_error',
          code: 'server_error',
          param: null,
        },
      },
      DONE,
    ],
  ],
]

describe('a stream of chat completions', () => {
  // verifies chat:stream:sse, chat:stream:chunks, chat:stream:later-failure
  it.each(CHAT)('of %s is exactly these chunks', async (_, says, asks, events) => {
    await using server = await answering(says)
    const reply = await server.post('/v1/chat/completions', { model: 'm', messages: HELLO, stream: true, ...asks })
    expectStream(reply)
    expect((await read([reply.body])).map(([name, data]) => [name, data])).toEqual(
      events.map((event) => [undefined, event]),
    )
  })
})

const response = (status: string, output: unknown = []) =>
  expect.objectContaining({ id: expect.stringMatching(/^resp_/), object: 'response', model: 'm', status, output })
const created = { type: 'response.created', response: response('in_progress') }
const inProgress = { type: 'response.in_progress', response: response('in_progress') }
const id = expect.any(String)

type Item = Readonly<Record<string, unknown>>

/** The events of a message: it is added empty, its text follows in pieces, and it is done. */
function messageEvents(output_index: number, pieces: readonly string[], status = 'completed') {
  const text = pieces.join('')
  const place = { item_id: id, output_index, content_index: 0 }
  const item: Item = { type: 'message', id, role: 'assistant' }
  const part = { type: 'output_text', annotations: [], logprobs: [] }
  const done = { ...item, status, content: [{ ...part, text }] }
  return {
    done,
    events: [
      { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress', content: [] } },
      { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
      ...pieces.map((piece) => ({ type: 'response.output_text.delta', ...place, delta: piece, logprobs: [] })),
      { type: 'response.output_text.done', ...place, text, logprobs: [] },
      { type: 'response.content_part.done', ...place, part: { ...part, text } },
      { type: 'response.output_item.done', output_index, item: done },
    ],
  }
}

function reasoningEvents(output_index: number, text: string) {
  const place = { item_id: id, output_index, content_index: 0 }
  const item: Item = { type: 'reasoning', id, summary: [] }
  const part = { type: 'reasoning_text' }
  const done = { ...item, status: 'completed', content: [{ ...part, text }] }
  return {
    done,
    events: [
      {
        type: 'response.output_item.added',
        output_index,
        item: expect.objectContaining({ ...item, status: 'in_progress' }),
      },
      { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
      { type: 'response.reasoning_text.delta', ...place, delta: text },
      { type: 'response.reasoning_text.done', ...place, text },
      { type: 'response.content_part.done', ...place, part: { ...part, text } },
      { type: 'response.output_item.done', output_index, item: done },
    ],
  }
}

function callEvents(output_index: number, call_id: string, pieces: readonly string[]) {
  const place = { item_id: id, output_index }
  const item: Item = { type: 'function_call', id, call_id, name: 'weather' }
  const text = pieces.join('')
  const done = { ...item, status: 'completed', arguments: text }
  return {
    done,
    events: [
      { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress', arguments: '' } },
      ...pieces.map((piece) => ({ type: 'response.function_call_arguments.delta', ...place, delta: piece })),
      { type: 'response.function_call_arguments.done', ...place, name: 'weather', arguments: text },
      { type: 'response.output_item.done', output_index, item: done },
    ],
  }
}

/** The events of a whole stream, numbered. */
function responseStream(start: readonly object[], items: readonly { events: object[]; done: Item }[], last: string) {
  const status = last.slice('response.'.length)
  const output = items.map(({ done }) => done)
  const events = [
    ...start,
    ...items.flatMap(({ events: some }) => some),
    { type: last, response: response(status, output) },
  ]
  return [...events.map((event, sequence_number) => ({ ...event, sequence_number })), DONE]
}

const broken = messageEvents(0, ['a', 'b'], 'incomplete')

/** The events of responses. */
const RESPONSES: readonly StreamCase[] = [
  [
    'a message',
    TEXT,
    {},
    responseStream([created, inProgress], [messageEvents(0, ['Hel', 'lo'])], 'response.completed'),
  ],
  [
    'thoughts and a message',
    THOUGHTS,
    {},
    responseStream(
      [created, inProgress],
      [reasoningEvents(0, 'Hm.'), messageEvents(1, ['Yes.'])],
      'response.completed',
    ),
  ],
  [
    'a message and a call',
    { ...CALLS, toolCalls: CALLS.toolCalls?.slice(0, 1) },
    { tools: RESPONSE_TOOLS },
    responseStream(
      [created, inProgress],
      [messageEvents(0, ['Look.']), callEvents(1, 'c1', ['{"city":', '"Rome"}'])],
      'response.completed',
    ),
  ],
  [
    'a message that the limit cuts off',
    { text: 'one two three four' },
    { max_output_tokens: 3 },
    responseStream(
      [created, inProgress],
      [messageEvents(0, ['one', ' two', ' three'], 'incomplete')],
      'response.incomplete',
    ),
  ],
  [
    'a message in the background',
    TEXT,
    { background: true },
    responseStream(
      [
        { ...created, response: response('queued') },
        { type: 'response.queued', response: response('queued') },
        inProgress,
      ],
      [messageEvents(0, ['Hel', 'lo'])],
      'response.completed',
    ),
  ],
  [
    'a message that breaks off',
    BROKEN,
    {},
    responseStream(
      [created, inProgress],
      [
        {
          done: broken.done,
          events: [
            ...broken.events,
            { type: 'error', code: 'server_error', message: 'prediction failed: no more', param: null },
          ],
        },
      ],
      'response.failed',
    ),
  ],
]

describe('a stream of a response', () => {
  it.each(RESPONSES)('with %s is exactly these events', async (_, says, asks, events) => {
    await using server = await answering(says)
    const reply = await server.post('/v1/responses', { model: 'm', input: 'Hello there', stream: true, ...asks })
    expectStream(reply)
    const seen = await read([reply.body])
    expect(seen.map(([, data]) => data)).toEqual(events)
    for (const [name, data] of seen) expect(name).toBe(data === DONE ? undefined : (data as { type: string }).type)
  })

  it('with two calls has the events of each in order, for any interleaving', async () => {
    await using server = await answering(CALLS)
    const body = { model: 'm', input: 'Hello there', stream: true, tools: RESPONSE_TOOLS }
    const reply = await server.post('/v1/responses', body)
    expectStream(reply)
    const events = (await read([reply.body])).flatMap(([, data]) => (data === DONE ? [] : [responseEvent.parse(data)]))
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
    const items = [
      messageEvents(0, ['Look.']),
      callEvents(1, 'c1', ['{"city":', '"Rome"}']),
      callEvents(2, 'c2', ['{', '}']),
    ]
    for (const [index, { events: expected }] of items.entries()) {
      const own = events.filter((event) => 'output_index' in event && event.output_index === index)
      expect(own.map(({ sequence_number: _, ...event }) => event)).toEqual(expected)
    }
    const output = items.map(({ done }) => done)
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: response('completed', output) })
  })
})

/** Each streaming format: its route, its requests, and the schema of its events. */
const FORMATS: readonly (readonly [path: string, asks: object, event: z.ZodType])[] = [
  ['/v1/chat/completions', { messages: HELLO, tools: CHAT_TOOLS }, chatCompletionChunk],
  ['/v1/completions', { prompt: 'Hello' }, completionChunk],
  ['/v1/messages', { messages: HELLO, max_tokens: 99, thinking: { type: 'adaptive' } }, messagesEvent],
  ['/v1/responses', { input: 'Hello', tools: RESPONSE_TOOLS }, responseEvent],
  ['/api/chat', { messages: HELLO, tools: CHAT_TOOLS, think: true }, ollamaChatReply],
  ['/api/generate', { prompt: 'Hello' }, ollamaGenerateReply],
]

/** Decodes the events of a stream in any format and checks each one. */
async function decode(chunks: readonly Uint8Array[], isLines: boolean, schema: z.ZodType): Promise<unknown[]> {
  const values: unknown[] = []
  if (isLines) for await (const value of decodeNdjson(chunks)) values.push(schema.parse(value))
  else {
    for (const [name, data] of await read(chunks)) values.push([name, data === DONE ? data : schema.parse(data)])
  }
  return values
}

describe('our decoders read the streams of this server', () => {
  it.each(FORMATS)('of %s the same wherever their bytes are cut', async (path, asks, schema) => {
    await using server = await answering({
      ...(path === '/v1/completions' || path === '/api/generate' ? {} : CALLS),
      reasoning: 'Größe 👩‍👩‍👧',
      pieces: ['Grüße\u2028', ' 漢', '字\n\n'],
      via: 'deltas',
    })
    const reply = await server.post(path, { model: 'm', stream: true, ...asks })
    expect(reply.status, reply.text).toBe(200)
    const isLines = reply.headers['content-type'] === 'application/x-ndjson'
    const whole = await decode([reply.body], isLines, schema)
    expect(whole.length).toBeGreaterThan(3)
    expect(JSON.stringify(whole)).toContain('漢')
    for (let cut = 1; cut < reply.body.length; cut += 1) {
      const pieces = [reply.body.subarray(0, cut), reply.body.subarray(cut)]
      expect(await decode(pieces, isLines, schema), `cut at ${cut}`).toEqual(whole)
    }
    const bytes = [...reply.body].map((byte) => Uint8Array.of(byte))
    expect(await decode(bytes, isLines, schema)).toEqual(whole)
  })
})
