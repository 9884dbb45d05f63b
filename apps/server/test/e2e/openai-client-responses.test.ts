import { eventually, tempDir } from '@svc/test-kit'
import OpenAI from 'openai'
import { zodResponsesFunction, zodTextFormat } from 'openai/helpers/zod'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { type BuiltServer, startBuiltServer } from '../support/built-server.ts'

type Event = OpenAI.Responses.ResponseStreamEvent
type Response = OpenAI.Responses.Response

let server: BuiltServer
let client: OpenAI
beforeAll(async () => {
  server = await startBuiltServer({ mock: {}, env: { SVC_DEMO_MODEL: 'true', SVC_THREADS: '1' } })
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 })
  await server.model('scripted', { rules: [{ rpc: 'Predict*', do: { text: 'Hello to you', promptTokens: 5 } }] })
})
afterAll(() => server[Symbol.asyncDispose]())

const FIXED = { input: 'Hello!', temperature: 0, seed: 1 }

/** Gives the texts of the items in a response's input. */
async function readAsked(id: string): Promise<unknown[]> {
  const texts: unknown[] = []
  for await (const item of client.responses.inputItems.list(id, { order: 'asc', limit: 1 })) {
    texts.push(
      'content' in item && Array.isArray(item.content) ? Reflect.get(item.content[0] ?? {}, 'text') : item.type,
    )
  }
  return texts
}

describe.each([
  ['the demo model on llama', 'demo', /^\p{Lu}.*\p{L}/su],
  ['a scripted model on the mock', 'scripted', /^Hello to you$/],
])('responses of %s', (_, model, text) => {
  it('create: a whole response, with its text, usage and the id of the request', async () => {
    const { data, response, request_id } = await client.responses.create({ model, ...FIXED }).withResponse()
    expect(data).toMatchObject({ object: 'response', status: 'completed', model, error: null })
    expect(data.output_text).toMatch(text)
    const { input_tokens = 0, output_tokens = 0, total_tokens } = data.usage ?? {}
    expect(input_tokens).toBeGreaterThan(1)
    expect(output_tokens).toBeGreaterThan(1)
    expect(total_tokens).toBe(input_tokens + output_tokens)
    expect(request_id).toBe(response.headers.get('x-request-id'))
  })

  it('create with stream, and the stream helper: the same text, and the final response', async () => {
    const whole = await client.responses.create({ model, ...FIXED })
    const events: Event[] = []
    for await (const event of await client.responses.create({ model, ...FIXED, stream: true })) events.push(event)
    const deltas = events.flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : []))
    expect(deltas.join('')).toBe(whole.output_text)
    const helper = client.responses.stream({ model, ...FIXED })
    const heard: string[] = []
    helper.on('response.output_text.delta', ({ snapshot }) => heard.push(snapshot))
    const final = await helper.finalResponse()
    expect(final.output_text).toBe(whole.output_text)
    expect(heard.at(-1)).toBe(whole.output_text)
    const stored = await client.responses.retrieve(final.id)
    expect(stored.output).toEqual(final.output.map(({ ...item }) => expect.objectContaining({ id: item.id })))
    expect(stored.output_text).toBe(whole.output_text)
  })

  it('previous_response_id, retrieve, inputItems, delete', async () => {
    const first = await client.responses.create({ model, ...FIXED })
    const second = await client.responses.create({ model, ...FIXED, input: 'And you?', previous_response_id: first.id })
    expect(second.previous_response_id).toBe(first.id)
    expect(second.usage?.input_tokens).toBeGreaterThan(1)
    expect((await client.responses.retrieve(second.id)).output_text).toBe(second.output_text)
    const items = [
      { role: 'user', content: 'One' },
      { role: 'assistant', content: 'Two' },
      { role: 'user', content: 'Three' },
    ] as const
    const third = await client.responses.create({ model, ...FIXED, input: [...items] })
    expect(await readAsked(third.id)).toEqual(['One', 'Two', 'Three'])
    await client.responses.delete(first.id)
    await expect(client.responses.retrieve(first.id)).rejects.toMatchObject({ status: 404, type: 'not_found' })
  })

  it('background: queued, then done; a stream of it is picked up where it was left', async () => {
    const queued = await client.responses.create({ model, ...FIXED, background: true })
    expect(queued.status).toBe('queued')
    let done: Response = queued
    await eventually(async () => {
      done = await client.responses.retrieve(queued.id)
      expect(done.status).toBe('completed')
    })
    expect(done.output_text).toMatch(text)
    const stream = await client.responses.create({ model, ...FIXED, background: true, stream: true })
    let id = ''
    let last = -1
    for await (const event of stream) {
      if (event.type === 'response.created') id = event.response.id
      last = event.sequence_number
      if (event.type === 'response.in_progress') break
    }
    const rest = await client.responses.retrieve(id, { stream: true, starting_after: last })
    const numbers: number[] = []
    let final: Response | undefined
    for await (const event of rest) {
      numbers.push(event.sequence_number)
      if (event.type === 'response.completed') final = event.response
    }
    expect(numbers).toEqual(numbers.map((_, index) => last + 1 + index))
    expect(final?.status).toBe('completed')
    const helper = client.responses.stream({ response_id: id })
    expect((await helper.finalResponse()).output_text).toBe(done.output_text)
  })

  it('inputTokens.count: as many tokens as create() then reads', async () => {
    const { input_tokens, object } = await client.responses.inputTokens.count({ model, input: FIXED.input })
    expect(object).toBe('response.input_tokens')
    expect(input_tokens).toBeGreaterThan(0)
    if (model !== 'demo') return
    const { usage } = await client.responses.create({ model, ...FIXED })
    expect(usage?.input_tokens).toBe(input_tokens)
  })

  it('accepts fields that have no effect', async () => {
    const untyped = { max_tool_calls: 3 }
    const response = await client.responses.create({
      model,
      ...FIXED,
      metadata: { a: 'b' },
      truncation: 'auto',
      service_tier: 'default',
      prompt_cache_key: 'k',
      safety_identifier: 's',
      user: 'u',
      include: ['reasoning.encrypted_content'],
      ...untyped,
      parallel_tool_calls: false,
      store: false,
      text: { verbosity: 'low' },
    })
    expect(response).toMatchObject({
      status: 'completed',
      metadata: { a: 'b' },
      truncation: 'auto',
      max_tool_calls: 3,
      parallel_tool_calls: false,
      prompt_cache_key: 'k',
      safety_identifier: 's',
    })
  })
})

describe('the forms of answers', () => {
  const format = zodTextFormat(z.object({ city: z.string(), days: z.number().int() }), 'trip')

  it('parse() on the demo model gives a value of the schema', async () => {
    const body = { model: 'demo', ...FIXED, input: 'A trip to Rome for three days', text: { format } }
    const { output_parsed } = await client.responses.parse({ ...body, max_output_tokens: 200 })
    expect(output_parsed).toEqual({ city: expect.any(String), days: expect.any(Number) })
  })

  it('parse(), and the stream helper with a form, on the mock', async () => {
    await server.model('trip', { rules: [{ rpc: 'Predict*', do: { text: '{"city":"Rome","days":3}' } }] })
    const body = { model: 'trip', input: 'go', text: { format } }
    expect((await client.responses.parse(body)).output_parsed).toEqual({ city: 'Rome', days: 3 })
    const final = await client.responses.stream(body).finalResponse()
    expect(final.output_parsed).toEqual({ city: 'Rome', days: 3 })
  })
})

describe('tools and thoughts', () => {
  const weather = zodResponsesFunction({ name: 'weather', parameters: z.object({ city: z.string() }) })

  it('a call, its arguments as a value, its output, and the answer to it', async () => {
    await server.model('caller', {
      rules: [
        { rpc: 'Predict*', contains: 'sunny', do: { text: 'It is sunny.' } },
        {
          rpc: 'Predict*',
          do: {
            reasoning: 'a tool',
            toolCalls: [{ id: 'call_1', name: 'weather', arguments: { city: 'Rome' } }],
            via: 'deltas',
          },
        },
      ],
    })
    const body = { model: 'caller', input: 'Weather in Rome?', tools: [weather] }
    const whole = await client.responses.parse(body)
    const final = await client.responses.stream(body).finalResponse()
    for (const { output } of [whole, final]) {
      expect(output.map(({ type }) => type)).toEqual(['reasoning', 'function_call'])
      expect(output[1]).toMatchObject({ call_id: 'call_1', name: 'weather', parsed_arguments: { city: 'Rome' } })
    }
    const answered = await client.responses.create({
      model: 'caller',
      previous_response_id: whole.id,
      tools: [weather],
      input: [{ type: 'function_call_output', call_id: 'call_1', output: 'sunny' }],
    })
    expect(answered.output_text).toBe('It is sunny.')
  })
})

describe('errors', () => {
  it('is an error of the class of its status', async () => {
    const body = { model: 'scripted', input: 'hi' }
    await expect(client.responses.create({ ...body, model: 'nobody' })).rejects.toBeInstanceOf(OpenAI.BadRequestError)
    await expect(client.responses.create({ ...body, previous_response_id: 'resp_x' })).rejects.toBeInstanceOf(
      OpenAI.NotFoundError,
    )
    await expect(client.responses.cancel('resp_x')).rejects.toBeInstanceOf(OpenAI.NotFoundError)
  })

  it('a failure in the stream is an event, and a failed response', async () => {
    await server.model('failing', {
      rules: [
        {
          rpc: 'PredictStream',
          do: { pieces: ['a', 'b'], failure: { status: 'INTERNAL', message: 'no more', afterPieces: 1 } },
        },
      ],
    })
    const events: Event[] = []
    for await (const event of await client.responses.create({ model: 'failing', input: 'hi', stream: true })) {
      events.push(event)
    }
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['error', 'response.failed'])
  })

  it('cancel stops a background response; a client that leaves stops any other', async () => {
    await server.model('hanging', { rules: [{ rpc: 'Predict*', do: { pieces: ['a', 'b'], hang: 1 } }] })
    const listCancels = () => server.records('hanging').filter(({ event }) => event === 'cancel').length
    const { id } = await client.responses.create({ model: 'hanging', input: 'hi', background: true, stream: false })
    await eventually(() => expect(server.records('hanging').some(({ rpc }) => rpc.startsWith('Predict'))).toBe(true))
    expect((await client.responses.cancel(id)).status).toBe('cancelled')
    await eventually(() => expect(listCancels()).toBe(1))
    const stream = await client.responses.create({ model: 'hanging', input: 'hi', stream: true })
    for await (const event of stream) if (event.type === 'response.output_text.delta') break
    await eventually(() => expect(listCancels()).toBe(2))
  })
})

describe('a background response that kill -9 of the server cut', () => {
  it('is reported as failed after the restart, and its events end with that', async () => {
    await using dir = await tempDir()
    const options = { folder: dir.path, mock: {} }
    const rules = [{ rpc: 'Predict*', do: { pieces: Array.from({ length: 100 }, () => 'a '), hang: 90 } }]
    let id = ''
    let seen = -1
    {
      await using first = await startBuiltServer(options)
      await first.model('hanging', { rules })
      const caller = new OpenAI({ baseURL: `${first.url}/v1`, apiKey: 'none', maxRetries: 0 })
      const body = { model: 'hanging', input: 'hi', background: true, stream: true } as const
      for await (const event of await caller.responses.create(body)) {
        if (event.type === 'response.created') id = event.response.id
        seen = event.sequence_number
        if (seen === 80) break
      }
      await first.kill()
    }
    await using second = await startBuiltServer(options)
    const caller = new OpenAI({ baseURL: `${second.url}/v1`, apiKey: 'none', maxRetries: 0 })
    expect(await caller.responses.retrieve(id)).toMatchObject({ status: 'failed', error: { code: 'server_error' } })
    const rest: Event[] = []
    for await (const event of await caller.responses.retrieve(id, { stream: true, starting_after: seen })) {
      rest.push(event)
    }
    // Events that were kept and that nobody has read come first, without a gap.
    const kept = rest.slice(0, -1)
    expect(kept.map(({ type, sequence_number }) => [type, sequence_number])).toEqual(
      kept.map((_, index) => ['response.output_text.delta', seen + 1 + index]),
    )
    expect(rest.at(-1)).toMatchObject({ type: 'response.failed' })
    expect(rest.at(-1)?.sequence_number).toBeGreaterThan(seen + kept.length)
  })
})
