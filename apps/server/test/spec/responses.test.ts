import type { MockBehaviour } from '@svc/backend-mock/script'
import { type ResponseEvent, type ResponseResource, responseEvent, responseResource } from '@svc/wire/responses'
import { describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const TOOLS = ['weather', 'time'].map((name) => ({
  type: 'function',
  name,
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
}))

async function world(behaviour: MockBehaviour = { text: 'Hello to you' }): Promise<TestServer> {
  const server = await startTestServer()
  await server.model('m', { rules: [{ rpc: 'Predict*', do: { promptTokens: 5, completionTokens: 3, ...behaviour } }] })
  return server
}

async function create(server: TestServer, body: object = {}): Promise<ResponseResource> {
  const reply = await server.post('/v1/responses', { model: 'm', input: 'Hello there', ...body })
  expect(reply.status, reply.text).toBe(200)
  return responseResource.parse(reply.json())
}

/** Reads the events of a stream; each must be one of the format, named by its type and numbered in order. */
function readEvents(text: string): ResponseEvent[] {
  const blocks = text.split('\n\n').filter((block) => block !== '')
  expect(blocks.pop()).toBe('data: [DONE]')
  return blocks.map((block, index) => {
    const [name = '', data = ''] = block.split('\n')
    const event = responseEvent.parse(JSON.parse(data.slice('data: '.length)))
    expect(name).toBe(`event: ${event.type}`)
    expect(event.sequence_number).toBe(index)
    return event
  })
}

async function stream(server: TestServer, body: object = {}): Promise<ResponseEvent[]> {
  const reply = await server.post('/v1/responses', { model: 'm', input: 'Hello there', stream: true, ...body })
  expect(reply.status, reply.text).toBe(200)
  expect(reply.headers['content-type']).toBe('text/event-stream')
  return readEvents(reply.text)
}

/** Gives the response of the last event. */
function readFinal(events: readonly ResponseEvent[]): ResponseResource {
  const last = events.at(-1)
  if (last === undefined || !('response' in last)) throw new Error('no last event')
  return last.response as ResponseResource
}

/** Gathers the done items of a stream as a client does; their places must be those of the final output. */
function gathered(events: readonly ResponseEvent[]): unknown[] {
  const items: unknown[] = []
  for (const event of events) {
    if (event.type === 'response.output_item.added') expect(event.output_index).toBe(items.push(event.item) - 1)
    if (event.type === 'response.output_item.done') {
      expect(items[event.output_index]).toMatchObject({ id: event.item.id, type: event.item.type })
      items[event.output_index] = event.item
    }
  }
  return items
}

const listTypes = (events: readonly ResponseEvent[]): string[] => events.map(({ type }) => type)
const START = ['response.created', 'response.in_progress']
const MESSAGE = ['response.output_item.added', 'response.content_part.added']
const MESSAGE_DONE = ['response.output_text.done', 'response.content_part.done', 'response.output_item.done']

describe('POST /v1/responses', () => {
  it('answers whole, with usage and all fields of the request', async () => {
    await using server = await world()
    const response = await create(server, { metadata: { a: 'b' }, temperature: 0.5, max_output_tokens: 50 })
    expect(response).toEqual({
      id: expect.stringMatching(/^resp_[0-9a-f]{32}$/),
      object: 'response',
      created_at: expect.any(Number),
      completed_at: expect.any(Number),
      status: 'completed',
      model: 'm',
      output: [
        {
          type: 'message',
          id: expect.stringMatching(/^msg_/),
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'Hello to you', annotations: [], logprobs: [] }],
        },
      ],
      error: null,
      incomplete_details: null,
      previous_response_id: null,
      instructions: null,
      tools: [],
      tool_choice: 'auto',
      parallel_tool_calls: true,
      max_tool_calls: null,
      temperature: 0.5,
      top_p: 1,
      presence_penalty: 0,
      frequency_penalty: 0,
      top_logprobs: 0,
      max_output_tokens: 50,
      text: { format: { type: 'text' } },
      truncation: 'disabled',
      reasoning: null,
      usage: {
        input_tokens: 5,
        input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
        output_tokens: 3,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 8,
      },
      metadata: { a: 'b' },
      store: true,
      background: false,
      service_tier: 'default',
      safety_identifier: null,
      prompt_cache_key: null,
    })
    expect((await server.post('/responses', { model: 'm', input: 'Hi' })).status).toBe(200)
  })

  it('streams a message: each event once and in order, with ids and text of the final response', async () => {
    await using server = await world({ pieces: ['Hel', 'lo'] })
    const events = await stream(server)
    const deltas = ['response.output_text.delta', 'response.output_text.delta']
    expect(listTypes(events)).toEqual([...START, ...MESSAGE, ...deltas, ...MESSAGE_DONE, 'response.completed'])
    const final = readFinal(events)
    expect(gathered(events)).toEqual(final.output)
    expect(events.flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : []))).toEqual([
      'Hel',
      'lo',
    ])
    expect(final).toMatchObject({ status: 'completed', output: [{ content: [{ text: 'Hello' }] }] })
    const ids = events.flatMap((event) => ('response' in event ? [(event.response as ResponseResource).id] : []))
    expect(new Set(ids)).toEqual(new Set([final.id]))
    expect(events[0]).toMatchObject({ response: { status: 'in_progress', output: [] } })
  })

  it('streams thoughts, a message and calls, each under the place it has in the output', async () => {
    await using server = await world({
      reasoning: 'hm',
      text: 'Let me see',
      toolCalls: [
        { id: 'call_a', name: 'weather', arguments: { city: 'Rome' } },
        { id: 'call_b', name: 'time', arguments: {} },
      ],
      via: 'deltas',
    })
    const events = await stream(server, { tools: TOOLS })
    const final = readFinal(events)
    expect(final.output).toMatchObject(
      [
        { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'hm' }] },
        { type: 'message', content: [{ text: 'Let me see' }] },
        { type: 'function_call', call_id: 'call_a', name: 'weather', arguments: '{"city":"Rome"}' },
        { type: 'function_call', call_id: 'call_b', name: 'time', arguments: '{}' },
      ].map((item) => ({ ...item, status: 'completed', id: expect.any(String) })),
    )
    expect(gathered(events)).toEqual(final.output)
    expect(listTypes(events)).toEqual(
      expect.arrayContaining([
        'response.reasoning_text.delta',
        'response.reasoning_text.done',
        'response.function_call_arguments.delta',
        'response.function_call_arguments.done',
      ]),
    )
    const whole = await create(server, { tools: TOOLS })
    const shape = ({ output }: ResponseResource) => output.map((item) => ({ ...item, id: '' }))
    expect(shape(whole)).toEqual(shape(final))
  })

  it('says that a limit of tokens cut the answer off', async () => {
    await using server = await world({ text: 'Hello to you', completionTokens: 3 })
    const whole = await create(server, { max_output_tokens: 3 })
    expect(whole).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ status: 'incomplete' }],
    })
    const events = await stream(server, { max_output_tokens: 3 })
    expect(events.at(-1)?.type).toBe('response.incomplete')
    expect(readFinal(events)).toMatchObject({ status: 'incomplete', output: [{ status: 'incomplete' }] })
  })

  it('gives the log-probabilities that are asked for', async () => {
    await using server = await world()
    const [item] = (await create(server, { top_logprobs: 2 })).output
    if (item?.type !== 'message') throw new Error('no message')
    expect(item.content[0]?.logprobs.map(({ token }) => token).join('')).toBe('Hello to you')
    const events = await stream(server, { include: ['message.output_text.logprobs'] })
    const done = events.find((event) => event.type === 'response.output_text.done')
    expect(done?.logprobs.length).toBeGreaterThan(0)
  })

  it('tells a failure after the first event in the stream, and ends it', async () => {
    await using server = await world({
      pieces: ['Hel', 'lo'],
      failure: { status: 'INTERNAL', message: 'no more', afterPieces: 1 },
    })
    const events = await stream(server)
    expect(listTypes(events).slice(-2)).toEqual(['error', 'response.failed'])
    expect(events.at(-2)).toMatchObject({ code: 'server_error', message: 'prediction failed: no more' })
    expect(readFinal(events)).toMatchObject({
      status: 'failed',
      error: { code: 'server_error', message: 'prediction failed: no more', type: 'model_error' },
      output: [{ status: 'incomplete', content: [{ text: 'Hel' }] }],
    })
    expect(gathered(events)).toEqual(readFinal(events).output)
  })
})

describe('fields of a responses request that reach the backend', () => {
  interface Asked {
    readonly Messages: readonly Record<string, unknown>[]
    readonly Tools?: string
    readonly Grammar?: string
    readonly Tokens?: number
  }
  const readAsked = (server: TestServer): Asked =>
    server.records('m').findLast(({ rpc, event }) => event === 'start' && rpc.startsWith('Predict'))
      ?.request as unknown as Asked

  const items = [
    { role: 'developer', content: 'be brief' },
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'Weather in ' },
        { type: 'input_text', text: 'Rome?' },
      ],
    },
    { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'a tool' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'One moment' }] },
    { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"city":"Rome"}' },
    { type: 'function_call_output', call_id: 'c1', output: 'rain' },
  ]
  const messages = [
    { role: 'system', content: 'speak like a poet' },
    { role: 'developer', content: 'be brief' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Weather in ' },
        { type: 'text', text: 'Rome?' },
      ],
    },
    {
      role: 'assistant',
      reasoning: 'a tool',
      content: [{ type: 'text', text: 'One moment' }],
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'rain' },
  ]

  it('equals the prompt of the same conversation in the compatible format', async () => {
    await using server = await world()
    const form = { type: 'json_schema', name: 'a', schema: { type: 'object', properties: { a: { type: 'string' } } } }
    await create(server, {
      input: items,
      instructions: 'speak like a poet',
      tools: TOOLS,
      max_output_tokens: 9,
      seed: 7,
    })
    const { CorrelationId: _, ...ours } = readAsked(server) as Asked & { CorrelationId: string }
    const chatTools = TOOLS.map(({ type, ...rest }) => ({ type, function: rest }))
    const reply = await server.post('/v1/chat/completions', {
      model: 'm',
      messages,
      tools: chatTools,
      max_tokens: 9,
      seed: 7,
    })
    expect(reply.status).toBe(200)
    const { CorrelationId: __, ...theirs } = readAsked(server) as Asked & { CorrelationId: string }
    expect(ours).toEqual(theirs)
    expect(ours.Messages).toHaveLength(5)
    for (const fields of [{ text: { format: form } }, { text_format: form }]) {
      const told = await server.post('/v1/responses', { model: 'm', input: 'hi', ...fields })
      expect(told.headers['x-svc-warning'], 'the answer of the mock is not JSON').toContain('not JSON')
      expect(readAsked(server).Grammar).toContain('root')
    }
  })

  it('holds the tools that may be called', async () => {
    await using server = await world()
    const names = () =>
      JSON.parse(readAsked(server).Tools || '[]').map((tool: { function: { name: string } }) => tool.function.name)
    const { tools } = await create(server, { tools: [...TOOLS, { type: 'web_search' }] })
    expect(tools).toEqual([...TOOLS.map((tool) => ({ strict: false, ...tool })), { type: 'web_search' }])
    expect(names()).toEqual(['weather', 'time'])
    await create(server, { tools: TOOLS, tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [TOOLS[1]] } })
    expect(names()).toEqual(['time'])
    await create(server, { tools: TOOLS, tool_choice: { type: 'allowed_tools', tools: ['weather'] } })
    expect(names()).toEqual(['weather'])
    await create(server, { tools: TOOLS, tool_choice: 'none' })
    expect(names()).toEqual([])
  })
})

describe('errors of POST /v1/responses', () => {
  const readError = async (server: TestServer, body: object) => {
    const reply = await server.post('/v1/responses', body)
    const { error } = reply.json() as { error: object }
    return { status: reply.status, ...error }
  }

  verifies(
    ['responses:error:no-model', 'responses:error:unknown-model', 'errors:envelope:responses'],
    'a model that is missing or unknown',
    async () => {
      await using server = await world()
      expect(await readError(server, { input: 'hi' })).toEqual({
        status: 400,
        type: 'invalid_request',
        message: 'model is required',
        code: '',
        param: 'model',
      })
      expect(await readError(server, { model: 'nobody', input: 'hi' })).toEqual({
        status: 400,
        type: 'invalid_request',
        message: 'model configuration not found',
        code: '',
        param: 'model',
      })
    },
  )

  verifies('responses:error:input', 'input that cannot be read', async () => {
    await using server = await world()
    const inputs = [
      [undefined, 'input'],
      [5, 'input'],
      [[{ role: 'judge', content: 'hi' }], 'input[0].role'],
      [[{ type: 'item_reference', id: 'msg_none' }], 'input[0]'],
      [[{ id: 'msg_none' }], 'input[0]'],
    ] as const
    for (const [input, param] of inputs) {
      expect(await readError(server, { model: 'm', input })).toEqual({
        status: 400,
        type: 'invalid_request',
        message: expect.stringMatching(/^failed to parse input: input/),
        code: '',
        param,
      })
    }
    expect(await readError(server, { model: 'm', input: 'hi', temperature: 'hot' })).toMatchObject({
      status: 400,
      type: 'invalid_request',
      message: expect.stringMatching(/^failed parsing request body: temperature/),
      param: 'temperature',
    })
    const image = { type: 'input_image', image_url: 'data:image/png;base64,AA==' }
    expect(await readError(server, { model: 'm', input: [{ role: 'user', content: [image] }] })).toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      param: 'input[0].content[0]',
    })
  })

  verifies('responses:error:background', 'a background run that is not stored', async () => {
    await using server = await world()
    expect(await readError(server, { model: 'm', input: 'hi', background: true, store: false })).toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      message: 'background=true requires store=true',
      param: 'background',
    })
  })

  verifies('responses:error:previous', 'a previous response that is unknown', async () => {
    await using server = await world()
    expect(await readError(server, { model: 'm', input: 'hi', previous_response_id: 'resp_none' })).toMatchObject({
      status: 404,
      type: 'not_found',
      message: 'previous response not found: resp_none',
      param: 'previous_response_id',
    })
  })

  verifies(
    ['responses:error:prediction', 'responses:error:inference'],
    'a prediction that fails, a model that cannot be loaded; the same status for a stream that has not begun',
    async () => {
      await using server = await world({ failure: { status: 'INTERNAL', message: 'no more' } })
      await server.model('broken', { rules: [{ rpc: 'LoadModel', do: { refuse: 'no weights' } }] })
      for (const stream of [false, true]) {
        expect(await readError(server, { model: 'm', input: 'hi', stream })).toMatchObject({
          status: 500,
          type: 'model_error',
          message: 'prediction failed: no more',
        })
      }
      expect(await readError(server, { model: 'broken', input: 'hi' })).toMatchObject({
        status: 500,
        type: 'model_error',
        message: expect.stringMatching(/^model inference failed: /),
      })
    },
  )
})
