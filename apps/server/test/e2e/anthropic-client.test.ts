import Anthropic from '@anthropic-ai/sdk'
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod'
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod'
import { eventually } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { type BuiltServer, startBuiltServer } from '../support/built-server.ts'

let server: BuiltServer
let client: Anthropic
const connect = (options: { maxRetries?: number; timeout?: number; apiKey?: string } = {}): Anthropic =>
  new Anthropic({ baseURL: server.url, apiKey: 'none', maxRetries: 0, ...options })

beforeAll(async () => {
  server = await startBuiltServer({ mock: {}, env: { SVC_DEMO_MODEL: 'true', SVC_THREADS: '1' } })
  client = connect()
  await server.model(
    'scripted',
    { rules: [{ rpc: 'Predict*', do: { text: 'Hello to you' } }] },
    { template: { use_tokenizer_template: true } },
  )
})
afterAll(() => server[Symbol.asyncDispose]())

const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Hello!' }]
const FIXED = { messages, max_tokens: 64, temperature: 0 }

const readText = ({ content }: Anthropic.Message): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('')
/** Gives the error of a failed call of the client. */
const catchError = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    (value) => expect.fail(`answered: ${JSON.stringify(value)}`),
    (error: unknown) => error,
  )
const predictions = (model: string): readonly { readonly outcome?: string | undefined }[] =>
  server.records(model).filter(({ rpc, event }) => rpc.startsWith('Predict') && event === 'start')
/** Gives the request of a model's last prediction. */
const findRequest = (model: string): unknown =>
  server.records(model).findLast(({ rpc, event }) => rpc.startsWith('Predict') && event === 'start')?.request

describe.each([
  ['the demo model on llama', 'demo', /^\p{Lu}.*\p{L}/su],
  ['a scripted model on the mock', 'scripted', /^Hello to you$/],
])('messages of %s', (_, model, text) => {
  it('create: a whole message, with usage and the id of the request', async () => {
    const { data, response, request_id } = await client.messages.create({ model, ...FIXED }).withResponse()
    expect(data).toMatchObject({
      id: expect.stringMatching(/^msg_/),
      type: 'message',
      role: 'assistant',
      model,
      stop_reason: 'end_turn',
      stop_sequence: null,
    })
    expect(data.content.map(({ type }) => type)).toEqual(['text'])
    expect(readText(data)).toMatch(text)
    expect(data.usage.output_tokens).toBeGreaterThan(1)
    expect(request_id).toBe(response.headers.get('request-id'))
    expect(data).toHaveProperty('_request_id', request_id)
  })

  it('create with stream: the events in their order, and the same text', async () => {
    const whole = await client.messages.create({ model, ...FIXED })
    const events: Anthropic.MessageStreamEvent[] = []
    for await (const event of await client.messages.create({ model, ...FIXED, stream: true })) events.push(event)
    const types = events.map(({ type }) => type)
    const deltas = types.filter((type) => type === 'content_block_delta')
    // The client hides pings.
    expect(types).toEqual([
      'message_start',
      'content_block_start',
      ...deltas,
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
    expect(deltas.length).toBeGreaterThan(1)
    const [start] = events
    const usage = start?.type === 'message_start' ? start.message.usage : undefined
    expect(usage?.input_tokens).toBe(whole.usage.input_tokens)
    const said = events.map((event) =>
      event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? event.delta.text : '',
    )
    expect(said.join('')).toBe(readText(whole))
  })

  it('stream(): its own events, and a final message like the whole one', async () => {
    const whole = await client.messages.create({ model, ...FIXED })
    const order: string[] = []
    const stream = client.messages.stream({ model, ...FIXED })
    let grown = ''
    stream.on('connect', () => order.push('connect'))
    stream.on('text', (delta, snapshot) => {
      grown += delta
      expect(snapshot).toBe(grown)
    })
    const last = ['contentBlock', 'message', 'finalMessage', 'end'] as const
    for (const event of last) stream.on(event, () => order.push(event))
    const final = await stream.finalMessage()
    await stream.done()
    expect(order).toEqual(['connect', ...last])
    const { stop_reason, stop_sequence, usage } = whole
    expect(final.content).toMatchObject([{ type: 'text', text: readText(whole) }])
    expect({ stop_reason, stop_sequence, usage }).toEqual({
      stop_reason: final.stop_reason,
      stop_sequence: final.stop_sequence,
      usage: final.usage,
    })
    expect(await stream.finalText()).toBe(readText(whole))
    expect(stream.request_id).toEqual(expect.any(String))
  })

  it('countTokens: as many tokens as the message then takes', async () => {
    const asked = { model, system: 'Be brief.', messages }
    const { input_tokens } = await client.messages.countTokens(asked)
    expect(input_tokens).toBeGreaterThan(1)
    const { usage } = await client.messages.create({ ...asked, max_tokens: 4 })
    expect(input_tokens).toBe(usage.input_tokens)
  })

  it('max_tokens ends a message, stop_sequences before their text', async () => {
    const short = await client.messages.create({ model, ...FIXED, max_tokens: 2 })
    expect([short.stop_reason, short.usage.output_tokens]).toEqual(['max_tokens', 2])
    const whole = readText(await client.messages.create({ model, ...FIXED }))
    const stop = ` ${whole.split(' ')[1]}`
    const stopped = await client.messages.create({ model, ...FIXED, stop_sequences: [stop] })
    expect(readText(stopped)).toBe(whole.slice(0, whole.indexOf(stop)))
    expect([stopped.stop_reason, stopped.stop_sequence]).toEqual(['stop_sequence', stop])
  })

  it('accepts fields that have no effect here', async () => {
    const cache_control = { type: 'ephemeral' } as const
    const reply = await client.messages.create({
      model,
      ...FIXED,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello!', cache_control }] }],
      service_tier: 'auto',
      inference_geo: null,
      container: null,
      cache_control,
      metadata: { user_id: 'u' },
      thinking: { type: 'disabled' },
      tool_choice: { type: 'none' },
    })
    expect(readText(reply)).toMatch(text)
  })
})

const weather: Anthropic.Tool = {
  name: 'weather',
  description: 'The weather of a city',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

describe('tools', () => {
  it('a required call of the demo model has an input of the schema, whole and streamed', async () => {
    const body = {
      model: 'demo',
      ...FIXED,
      messages: [{ role: 'user' as const, content: 'What is the weather in Rome?' }],
      tools: [weather],
      tool_choice: { type: 'tool' as const, name: 'weather' },
    }
    for (const message of [await client.messages.create(body), await client.messages.stream(body).finalMessage()]) {
      expect(message.stop_reason).toBe('tool_use')
      expect(message.content.at(-1)).toMatchObject({
        type: 'tool_use',
        name: 'weather',
        input: { city: expect.any(String) },
      })
    }
  })

  it('calls of a backend come as the helper wants them', async () => {
    const calls = ['Rome', 'Oslo'].map((city, index) => ({ id: `c${index}`, name: 'weather', arguments: { city } }))
    await server.model('caller', { rules: [{ do: { text: 'Let me look.', toolCalls: calls, via: 'deltas' } }] })
    const stream = client.messages.stream({ model: 'caller', ...FIXED, tools: [weather] })
    const inputs: unknown[] = []
    stream.on('inputJson', (_, snapshot) => inputs.push(snapshot))
    const final = await stream.finalMessage()
    expect(final.content).toMatchObject([
      { type: 'text', text: 'Let me look.' },
      { type: 'tool_use', id: 'c0', name: 'weather', input: { city: 'Rome' } },
      { type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Oslo' } },
    ])
    expect(inputs.at(-1)).toEqual({ city: 'Oslo' })
    const first = await client.messages.create({
      model: 'caller',
      ...FIXED,
      tools: [weather],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    })
    expect(first.content.filter(({ type }) => type === 'tool_use')).toHaveLength(1)
  })

  it.each([false, true])(
    'the runner of the client calls them and sends the results back, streamed: %s',
    async (stream) => {
      const model = `runner-${stream}`
      await server.model(
        model,
        {
          rules: [
            { rpc: 'Predict*', contains: 'sun as of noon', do: { text: 'Sun in Rome.' } },
            {
              rpc: 'Predict*',
              do: { toolCalls: [{ id: 'c1', name: 'weather', arguments: { city: 'Rome' } }], via: 'deltas' },
            },
          ],
        },
        { template: { use_tokenizer_template: true } },
      )
      const asked: string[] = []
      const tool = betaZodTool({
        name: 'weather',
        description: 'The weather of a city',
        inputSchema: z.object({ city: z.string() }),
        run({ city }) {
          asked.push(city)
          return 'sun as of noon'
        },
      })
      const final = await client.beta.messages.toolRunner({ model, ...FIXED, tools: [tool], stream, max_iterations: 4 })
      expect(final.content).toMatchObject([{ type: 'text', text: 'Sun in Rome.' }])
      expect(asked).toEqual(['Rome'])
      expect(findRequest(model)).toMatchObject({
        Messages: [
          { role: 'user', content: 'Hello!' },
          { role: 'assistant', toolCalls: expect.stringContaining('"c1"') },
          { role: 'tool', content: 'sun as of noon', toolCallId: 'c1' },
        ],
      })
    },
  )
})

describe('answers with a form and with thoughts', () => {
  it('parse() gives the value of a schema, on the demo model', async () => {
    const format = zodOutputFormat(z.object({ ok: z.boolean() }))
    const message = await client.messages.parse({ model: 'demo', ...FIXED, output_config: { format } })
    expect(message.parsed_output).toEqual({ ok: expect.any(Boolean) })
  })

  it('thoughts are blocks before the text, and go back as they came', async () => {
    await server.model(
      'thinker',
      { rules: [{ do: { reasoning: 'Hm, yes.', text: 'Yes.', via: 'deltas' } }] },
      { template: { use_tokenizer_template: true } },
    )
    const body = { model: 'thinker', ...FIXED, thinking: { type: 'adaptive' } } as const
    const whole = await client.messages.create(body)
    const stream = client.messages.stream(body)
    let thought = ''
    let signature = ''
    stream.on('thinking', (delta) => {
      thought += delta
    })
    stream.on('signature', (given) => {
      signature = given
    })
    const final = await stream.finalMessage()
    expect(final.content).toMatchObject([
      { type: 'thinking', thinking: 'Hm, yes.', signature },
      { type: 'text', text: 'Yes.' },
    ])
    expect([thought, whole.content[0]]).toEqual(['Hm, yes.', final.content[0]])
    await client.messages.create({
      ...body,
      messages: [...messages, { role: 'assistant', content: whole.content }, { role: 'user', content: 'Why?' }],
    })
    expect(findRequest('thinker')).toMatchObject({
      Messages: [{}, { role: 'assistant', content: 'Yes.', reasoningContent: 'Hm, yes.' }, { content: 'Why?' }],
    })
  })
})

describe('errors come as the classes of the client', () => {
  it('AuthenticationError without the right key', async () => {
    await using locked = await startBuiltServer({ env: { SVC_API_KEY: 'first', SVC_DEMO_MODEL: 'true' } })
    const at = (apiKey: string): Anthropic => new Anthropic({ baseURL: locked.url, apiKey, maxRetries: 0 })
    const error = await catchError(at('wrong').messages.create({ model: 'demo', ...FIXED }))
    expect(error).toBeInstanceOf(Anthropic.AuthenticationError)
    expect(error).toMatchObject({ status: 401, type: 'invalid_request_error', requestID: expect.any(String) })
    expect((await at('first').messages.create({ model: 'demo', ...FIXED, max_tokens: 2 })).role).toBe('assistant')
  })

  it('BadRequestError, with the text of the server', async () => {
    const wrong: [object, RegExp][] = [
      [{ model: 'nobody' }, /^model configuration not found$/],
      [{ model: '' }, /^model is required$/],
      [{ max_tokens: 0 }, /^max_tokens is required and must be greater than 0$/],
      [{ messages: [] }, /^failed parsing request body: messages: /],
    ]
    for (const [fields, message] of wrong) {
      for (const stream of [false, true]) {
        const error = await catchError(client.messages.create({ model: 'scripted', ...FIXED, ...fields, stream }))
        expect(error).toBeInstanceOf(Anthropic.BadRequestError)
        expect(error).toMatchObject({
          status: 400,
          error: { type: 'error', error: { type: 'invalid_request_error', message: expect.stringMatching(message) } },
        })
      }
    }
  })

  it('PermissionDeniedError, RateLimitError, InternalServerError', async () => {
    await server.model('off', {}, { disabled: true })
    const disabled = await catchError(client.messages.create({ model: 'off', ...FIXED }))
    expect(disabled).toBeInstanceOf(Anthropic.PermissionDeniedError)

    await server.model('failing', { rules: [{ do: { failure: { status: 'INTERNAL', message: 'out of luck' } } }] })
    const failed = await catchError(client.messages.create({ model: 'failing', ...FIXED }))
    expect(failed).toBeInstanceOf(Anthropic.InternalServerError)
    expect(failed).toMatchObject({ type: 'api_error', apiMessage: 'prediction failed: out of luck' })

    await server.model('narrow', { rules: [{ do: { hang: true } }] }, { max_concurrent: 1 })
    const left = new AbortController()
    const held = catchError(client.messages.create({ model: 'narrow', ...FIXED }, { signal: left.signal }))
    await eventually(() => expect(predictions('narrow')).toHaveLength(1))
    const limited = await catchError(client.messages.create({ model: 'narrow', ...FIXED }))
    expect(limited).toBeInstanceOf(Anthropic.RateLimitError)
    expect(limited).toMatchObject({ status: 429, type: 'rate_limit_error' })
    left.abort()
    expect(await held).toBeInstanceOf(Anthropic.APIUserAbortError)
  })

  it('an error in the middle of a stream is thrown by it, with its type', async () => {
    await server.model('breaking', {
      rules: [{ do: { pieces: ['a', 'b'], failure: { status: 'INTERNAL', message: 'no more', afterPieces: 1 } } }],
    })
    const stream = client.messages.stream({ model: 'breaking', ...FIXED })
    const error = await catchError(stream.finalMessage())
    expect(error).toBeInstanceOf(Anthropic.APIError)
    expect(error).toMatchObject({ status: undefined, type: 'api_error', apiMessage: 'prediction failed: no more' })
  })

  it('retries: failures are retried, refusals are not', async () => {
    await server.model('recovering', {
      rules: [
        { rpc: 'Predict', call: 1, do: { failure: { status: 'INTERNAL', message: 'out of luck' } } },
        { do: { text: 'Fine.' } },
      ],
    })
    const patient = connect({ maxRetries: 2 })
    expect(readText(await patient.messages.create({ model: 'recovering', ...FIXED }))).toBe('Fine.')
    expect(predictions('recovering')).toHaveLength(2)
    const refused = await catchError(patient.messages.create({ model: 'recovering', ...FIXED, max_tokens: -1 }))
    expect(refused).toBeInstanceOf(Anthropic.BadRequestError)
    expect(predictions('recovering')).toHaveLength(2)
  })

  it('an abort ends the prediction', async () => {
    await server.model('endless', { rules: [{ do: { pieces: ['tick '], repeat: 1_000_000, pieceDelayMs: 5 } }] })
    const stream = client.messages.stream({ model: 'endless', ...FIXED })
    await stream.emitted('text')
    stream.abort()
    expect(await catchError(stream.done())).toBeInstanceOf(Anthropic.APIUserAbortError)
    await eventually(() =>
      expect(
        server.records('endless').filter(({ rpc, event }) => rpc === 'PredictStream' && event === 'end'),
      ).toMatchObject([{ outcome: 'cancelled' }]),
    )
  })
})

it('lists models page by page, and one by name', async () => {
  const listed: string[] = []
  for await (const model of client.models.list({ limit: 1 })) {
    expect(model).toMatchObject({ type: 'model', display_name: model.id })
    expect(new Date(model.created_at).getTime()).toBeGreaterThan(0)
    listed.push(model.id)
  }
  expect(listed).toEqual([...listed].sort())
  expect(listed).toEqual(expect.arrayContaining(['demo', 'scripted']))
  const back = await client.models.list({ limit: 1, before_id: listed.at(-1) ?? '' })
  expect(back.data.map(({ id }) => id)).toEqual([listed.at(-2)])
  expect(back.has_more).toBe(listed.length > 2)
  expect(await client.models.retrieve('scripted')).toMatchObject({ type: 'model', id: 'scripted' })
  // a limit that cannot be is like none
  expect((await client.models.list({ limit: 0 })).data.length).toBeGreaterThanOrEqual(listed.length)
  expect(await catchError(client.models.list({ after_id: 'nobody' }))).toMatchObject({ status: 400 })
})
