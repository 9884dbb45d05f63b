import { createHash } from 'node:crypto'
import { eventually } from '@svc/test-kit'
import {
  ollamaChatReply,
  ollamaEmbedReply,
  ollamaGenerateReply,
  ollamaPsReply,
  ollamaShowReply,
  ollamaTagsReply,
} from '@svc/wire/ollama'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { startTestServer, type TestServer } from '../support/server.ts'
import type { RawReply } from '../support/test-app.ts'
import { verifies } from './verifies.ts'

const CHAT = '/api/chat'
const GENERATE = '/api/generate'
const EMBED = '/api/embed'
const messages = [{ role: 'user', content: 'Hello there' }]
const embeds = { known_usecases: ['embeddings'], embeddings: true }

const DURATIONS = {
  total_duration: expect.any(Number),
  load_duration: expect.any(Number),
  prompt_eval_duration: expect.any(Number),
  eval_duration: expect.any(Number),
}

/** Parses the lines of a streamed reply. */
function readLines(reply: RawReply): Record<string, unknown>[] {
  expect(reply.headers['content-type']).toBe('application/x-ndjson')
  return reply.text
    .trimEnd()
    .split('\n')
    .map((line) => Object(JSON.parse(line)))
}

/** Reads a reply with status 200 by a schema. */
function readBody<S extends z.ZodType>(reply: RawReply, schema: S): z.output<S> {
  expect(reply.status, reply.text).toBe(200)
  return schema.parse(reply.json())
}

/** Gives the request of the mock's first prediction. */
function asked(server: TestServer, model: string): unknown {
  return server.records(model).find(({ rpc, event }) => rpc.startsWith('Predict') && event === 'start')?.request
}

describe('POST /api/chat', () => {
  it('streams a line a piece, then one with the reason and the figures', async () => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ do: { text: 'Hello to you', promptTokens: 4 } }] })
    const lines = readLines(await server.post(CHAT, { model: 'm', messages }))
    for (const line of lines) expect(ollamaChatReply.parse(line)).toMatchObject({ model: 'm' })
    expect(lines.map((line) => line.done)).toEqual([...lines.slice(1).map(() => false), true])
    expect(lines.map((line) => ollamaChatReply.parse(line).message.content).join('')).toBe('Hello to you')
    expect(lines.at(-1)).toEqual({
      model: 'm',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      message: { role: 'assistant', content: '' },
      done: true,
      done_reason: 'stop',
      prompt_eval_count: 4,
      eval_count: 3,
      ...DURATIONS,
    })
  })

  it('with `stream: false` is one object with the same text and figures', async () => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ do: { text: 'Hello to you', promptTokens: 4 } }] })
    const reply = await server.post(CHAT, { model: 'm', messages, stream: false })
    expect(reply.headers['content-type']).toContain('application/json')
    const body = readBody(reply, ollamaChatReply)
    expect(body).toMatchObject({
      message: { role: 'assistant', content: 'Hello to you' },
      done: true,
      done_reason: 'stop',
      prompt_eval_count: 4,
      eval_count: 3,
      ...DURATIONS,
    })
    const { total_duration = 0, load_duration = 0, prompt_eval_duration = 0, eval_duration = 0 } = body
    expect(total_duration).toBeGreaterThan(0)
    for (const part of [load_duration, prompt_eval_duration, eval_duration]) expect(part).toBeGreaterThanOrEqual(0)
  })

  it('reads the body as JSON with any media type, or without one', async () => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ do: { text: 'Yes' } }] })
    for (const headers of [
      {},
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-type': 'text/plain' },
    ]) {
      const body = JSON.stringify({ model: 'm', messages, stream: false })
      const reply = await server.call(CHAT, { method: 'POST', body, headers })
      expect(readBody(reply, ollamaChatReply).message.content).toBe('Yes')
    }
  })

  it('hands options on to the backend, each under its name there', async () => {
    await using server = await startTestServer()
    await server.model('m')
    const options = {
      temperature: 0.5,
      top_k: 7,
      top_p: 0.25,
      min_p: 0.125,
      typical_p: 0.5,
      num_predict: 9,
      num_keep: 3,
      repeat_last_n: 32,
      repeat_penalty: 1.5,
      presence_penalty: 0.75,
      frequency_penalty: 0.5,
      seed: 7,
      stop: ['END'],
      num_gpu: 99,
      num_thread: 64,
    }
    await server.post(CHAT, { model: 'm', messages, options })
    expect(asked(server, 'm')).toMatchObject({
      Temperature: 0.5,
      TopK: 7,
      TopP: 0.25,
      MinP: 0.125,
      TypicalP: 0.5,
      Tokens: 9,
      NKeep: 3,
      Repeat: 32,
      Penalty: 1.5,
      PresencePenalty: 0.75,
      FrequencyPenalty: 0.5,
      Seed: 7,
      StopPrompts: ['END'],
      Messages: [{ role: 'user', content: 'Hello there' }],
    })
  })

  it('gives the backend the same conversation as chat completions, with the same usage', async () => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ do: { text: 'Yes indeed' } }] })
    const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }]
    const message = fc.record({ role: fc.constantFrom('system', 'user', 'assistant'), content: fc.string() })
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        async (conversation, hasTools) => {
          const ask = { model: 'm', messages: conversation, ...(hasTools ? { tools } : {}) }
          const compatible = await server.post('/v1/chat/completions', {
            ...ask,
            seed: 1,
            temperature: 0.5,
            max_tokens: 5,
          })
          const options = { seed: 1, temperature: 0.5, num_predict: 5 }
          const body = readBody(await server.post(CHAT, { ...ask, options, stream: false }), ollamaChatReply)
          const [before, after] = server
            .records('m')
            .filter(({ rpc, event }) => rpc === 'Predict' && event === 'start')
            .slice(-2)
            .map(({ request }) => ({ ...Object(request), CorrelationId: '' }))
          expect(after).toEqual(before)
          expect(compatible.json()).toMatchObject({
            choices: [{ message: { content: body.message.content } }],
            usage: { prompt_tokens: body.prompt_eval_count, completion_tokens: body.eval_count },
          })
        },
      ),
      { numRuns: 25 },
    )
  })

  it("num_ctx only lowers the model's context, num_predict below 1 is no limit", async () => {
    await using server = await startTestServer()
    const tokensFor = async (name: string, options: object, keys: object = {}): Promise<unknown> => {
      await server.model(name, {}, { context_size: 100, ...keys })
      expect((await server.post(CHAT, { model: name, messages, options })).status).toBe(200)
      return Object(asked(server, name)).Tokens ?? 0
    }
    const own = { parameters: { model: 'w', max_tokens: 50 } }
    expect(await tokensFor('lowered', { num_ctx: 20 })).toBe(20)
    expect(await tokensFor('raised', { num_ctx: 8192.0 }, own)).toBe(50)
    expect(await tokensFor('both', { num_ctx: 40, num_predict: 10 })).toBe(10)
    expect(await tokensFor('unlimited', { num_predict: -1 }, own)).toBe(0)
  })

  it("shows thinking beside the text, and passes the client's choice on", async () => {
    await using server = await startTestServer()
    const script = { rules: [{ do: { reasoning: 'Hm.', text: 'Yes.', via: 'deltas' as const } }] }
    for (const [name, think] of [
      ['on', true],
      ['off', false],
      ['high', 'high'],
    ] as const) {
      await server.model(name, script)
      const body = readBody(await server.post(CHAT, { model: name, messages, think, stream: false }), ollamaChatReply)
      expect(body.message).toEqual({ role: 'assistant', content: 'Yes.', thinking: 'Hm.' })
    }
    expect(asked(server, 'on')).toMatchObject({ Metadata: { enable_thinking: 'true' } })
    expect(asked(server, 'off')).toMatchObject({ Metadata: { enable_thinking: 'false' } })
    expect(asked(server, 'high')).toMatchObject({ Metadata: { enable_thinking: 'true', reasoning_effort: 'high' } })
    const lines = readLines(await server.post(CHAT, { model: 'on', messages }))
    const thoughts = lines.map((line) => ollamaChatReply.parse(line).message.thinking ?? '')
    expect(thoughts.join('')).toBe('Hm.')
  })

  it('calls are complete, with an object as arguments, streamed too', async () => {
    await using server = await startTestServer()
    const call = '<tool_call>\n{"name": "weather", "arguments": {"city": "Rome", "days": [1, 2]}}\n</tool_call>'
    await server.model('m', { rules: [{ do: { text: call, split: 'characters' } }] })
    const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }]
    const expected = {
      id: expect.any(String),
      function: { index: 0, name: 'weather', arguments: { city: 'Rome', days: [1, 2] } },
    }
    const whole = readBody(await server.post(CHAT, { model: 'm', messages, tools, stream: false }), ollamaChatReply)
    expect(whole).toMatchObject({ done_reason: 'stop', message: { content: '', tool_calls: [expected] } })
    const lines = readLines(await server.post(CHAT, { model: 'm', messages, tools }))
    const calling = lines.filter((line) => ollamaChatReply.parse(line).message.tool_calls !== undefined)
    expect(calling).toEqual([
      expect.objectContaining({ done: false, message: { role: 'assistant', content: '', tool_calls: [expected] } }),
    ])
    expect(lines.at(-1)).toMatchObject({ done: true, done_reason: 'stop' })
  })

  it('a call whose arguments are no object is an error; the server invents none', async () => {
    await using server = await startTestServer()
    const toolCalls = [{ id: 'c', name: 'weather', arguments: '["Rome"]' }]
    await server.model('m', { rules: [{ do: { toolCalls, via: 'deltas' } }] })
    const tools = [{ type: 'function', function: { name: 'weather' } }]
    const whole = await server.post(CHAT, { model: 'm', messages, tools, stream: false })
    expect([whole.status, whole.json()]).toEqual([
      500,
      { error: expect.stringContaining('weather'), type: 'server_error' },
    ])
    const streamed = await server.post(CHAT, { model: 'm', messages, tools })
    expect(streamed.text).not.toContain('tool_calls')
    expect(streamed.text.trim().split('\n').at(-1)).toContain('"error":"')
  })

  it('a call that is cut off by the limit of the answer is left out, and the reason says so', async () => {
    await using server = await startTestServer()
    const toolCalls = [
      { id: 'c1', name: 'weather', arguments: { city: 'Rome' } },
      { id: 'c2', name: 'weather', arguments: '{"city": "Par' },
    ]
    await server.model('m', { rules: [{ do: { toolCalls, via: 'deltas', completionTokens: 5 } }] })
    const tools = [{ type: 'function', function: { name: 'weather' } }]
    const ask = { model: 'm', messages, tools, options: { num_predict: 5 } }
    const whole = readBody(await server.post(CHAT, { ...ask, stream: false }), ollamaChatReply)
    const lines = readLines(await server.post(CHAT, ask)).map((line) => ollamaChatReply.parse(line))
    for (const calls of [whole.message.tool_calls, lines.flatMap(({ message }) => message.tool_calls ?? [])]) {
      expect(calls).toMatchObject([{ function: { arguments: { city: 'Rome' } } }])
    }
    expect([whole.done_reason, lines.at(-1)?.done_reason]).toEqual(['length', 'length'])
  })

  it('tools, calls and their results reach the backend as any other chat has them', async () => {
    await using server = await startTestServer()
    await server.model('m')
    const history = [
      { role: 'system', content: 'Be brief.' },
      ...messages,
      { role: 'assistant', content: '', tool_calls: [{ function: { name: 'weather', arguments: { city: 'Rome' } } }] },
      { role: 'tool', content: 'rain', tool_name: 'weather' },
    ]
    const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }]
    await server.post(CHAT, { model: 'm', messages: history, tools })
    const request = Object(asked(server, 'm'))
    expect(JSON.parse(request.Tools)).toEqual(tools)
    expect(request.Messages).toMatchObject([
      { role: 'system', content: 'Be brief.' },
      { role: 'user' },
      { role: 'assistant' },
      { role: 'tool', content: 'rain', name: 'weather' },
    ])
    expect(JSON.parse(request.Messages[2].toolCalls)).toMatchObject([
      { function: { name: 'weather', arguments: '{"city":"Rome"}' } },
    ])
  })

  it('format holds the answer to JSON, or to a schema', async () => {
    await using server = await startTestServer()
    for (const [name, format] of [
      ['json', 'json'],
      ['schema', { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] }],
      ['none', ''],
    ] as const) {
      await server.model(name, { rules: [{ do: { text: '{"age":3}' } }] })
      const body = readBody(await server.post(CHAT, { model: name, messages, format, stream: false }), ollamaChatReply)
      expect(JSON.parse(body.message.content)).toEqual({ age: 3 })
      expect(Boolean(Object(asked(server, name)).Grammar), name).toBe(name !== 'none')
    }
    const refused = await server.post(CHAT, { model: 'schema', messages, format: { type: 'nothing' } })
    expect([refused.status, refused.json()]).toEqual([
      400,
      { error: expect.any(String), type: 'invalid_request_error' },
    ])
  })

  it('images reach a model that sees, in base64 as they came', async () => {
    await using server = await startTestServer()
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    const seeing = { known_usecases: ['chat', 'vision'] }
    await server.model('chat', {}, seeing)
    await server.model('generate', {}, seeing)
    await server.post(CHAT, { model: 'chat', messages: [{ role: 'user', content: 'Look', images: [png, png] }] })
    expect(asked(server, 'chat')).toMatchObject({ Images: [png, png] })
    await server.post(GENERATE, { model: 'generate', prompt: 'Look', images: [png] })
    expect(asked(server, 'generate')).toMatchObject({ Images: [png] })
    for (const extra of [{ raw: true }, { images: ['?'] }]) {
      const refused = await server.post(GENERATE, { model: 'generate', prompt: 'Look', images: [png], ...extra })
      expect([refused.status, refused.json()]).toEqual([
        400,
        { error: expect.stringContaining('images'), type: 'invalid_request_error' },
      ])
    }
  })

  it('logprobs have an entry a token, with as many alternatives as were asked for', async () => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ do: { text: 'Hello to you' } }] })
    const ask = { model: 'm', messages, logprobs: true }
    const body = readBody(await server.post(CHAT, { ...ask, top_logprobs: 2, stream: false }), ollamaChatReply)
    expect(body.logprobs?.map(({ token }) => token).join('')).toBe('Hello to you')
    for (const entry of body.logprobs ?? []) expect(entry.top_logprobs).toHaveLength(2)
    const lines = readLines(await server.post(CHAT, ask))
    const streamed = lines.flatMap((line) => ollamaChatReply.parse(line).logprobs ?? [])
    expect(streamed.map(({ token }) => token).join('')).toBe('Hello to you')
    for (const entry of streamed) expect(entry).not.toHaveProperty('top_logprobs')
  })

  it('without messages only loads the model, and says so', async () => {
    await using server = await startTestServer()
    await server.model('m')
    for (const body of [{ model: 'm' }, { model: 'm', messages: [], stream: false }]) {
      const reply = await server.post(CHAT, body)
      expect(reply.json()).toEqual({
        model: 'm',
        created_at: expect.any(String),
        message: { role: 'assistant', content: '' },
        done: true,
        done_reason: 'load',
      })
    }
    expect(readBody(await server.call('/api/ps'), ollamaPsReply).models).toMatchObject([{ name: 'm:latest' }])
    expect(asked(server, 'm')).toBeUndefined()
  })
})

describe('POST /api/generate', () => {
  it('answers a prompt as a conversation of one message, with a system text, whole and streamed', async () => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ do: { text: 'Hello to you' } }] })
    const ask = { model: 'm', prompt: 'Hi', system: 'Be brief.' }
    const body = readBody(await server.post(GENERATE, { ...ask, stream: false }), ollamaGenerateReply)
    expect(body).toMatchObject({ response: 'Hello to you', done: true, done_reason: 'stop', ...DURATIONS })
    expect(asked(server, 'm')).toMatchObject({
      Messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
    })
    const lines = readLines(await server.post(GENERATE, ask))
    expect(lines.map((line) => ollamaGenerateReply.parse(line).response).join('')).toBe('Hello to you')
    expect(lines.at(-1)).toMatchObject({ response: '', done: true, context: body.context })
  })

  it('context carries the conversation on, and is refused when it is not ours', async () => {
    await using server = await startTestServer()
    await server.model('m', {
      rules: [{ contains: 'Again', do: { text: 'Once more ü😀' } }, { do: { text: 'Ciao ü😀' } }],
    })
    const first = readBody(
      await server.post(GENERATE, { model: 'm', prompt: 'Hi', system: 'Be brief.', stream: false }),
      ollamaGenerateReply,
    )
    await server.model('n')
    await server.post(GENERATE, { model: 'n', prompt: 'Again', context: first.context })
    expect(asked(server, 'n')).toMatchObject({
      Messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Ciao ü😀' },
        { role: 'user', content: 'Again' },
      ],
    })
    await server.model('other')
    await server.post(GENERATE, { model: 'other', prompt: 'Again', context: first.context, system: 'Be long.' })
    expect(asked(server, 'other')).toMatchObject({
      Messages: [{ role: 'system', content: 'Be long.' }, { role: 'user' }, { role: 'assistant' }, { role: 'user' }],
    })
    for (const context of [[1, 2, 3], [91, 49, 93], first.context?.slice(1)]) {
      const reply = await server.post(GENERATE, { model: 'm', prompt: 'Again', context })
      expect([reply.status, reply.json()]).toEqual([
        400,
        { error: expect.stringContaining('context'), type: 'invalid_request_error' },
      ])
    }
  })

  it('raw hands the prompt to the model as it is', async () => {
    await using server = await startTestServer()
    const keys = { template: { chat: 'CHAT {{.Input}}', completion: 'COMPLETION {{.Input}}' } }
    for (const [name, raw] of [
      ['raw', true],
      ['templated', false],
    ] as const) {
      await server.model(name, {}, keys)
      const reply = await server.post(GENERATE, { model: name, prompt: '<s>Hi', raw, stream: false })
      expect(readBody(reply, ollamaGenerateReply).context === undefined).toBe(raw)
    }
    expect(asked(server, 'raw')).toMatchObject({ Prompt: '<s>Hi' })
    expect(Object(asked(server, 'templated')).Prompt).toContain('CHAT ')
  })

  it('template takes the place of that of the model, up to where the answer stands', async () => {
    await using server = await startTestServer()
    await server.model('m')
    const template = '{{ if .System }}[{{ .System }}]{{ end }} {{ .Prompt }}|{{ .Suffix }} => {{ .Response }}<end>'
    await server.post(GENERATE, { model: 'm', prompt: 'Hi', system: 'S', suffix: 'tail', template })
    expect(asked(server, 'm')).toMatchObject({ Prompt: '[S] Hi|tail => ' })
    for (const bad of ['{{ .Prompt', '{{ fail "x" }}', '{{ range until 9999999 }}x{{ end }}']) {
      const reply = await server.post(GENERATE, { model: 'm', prompt: 'Hi', template: bad })
      expect([reply.status, reply.json()], bad).toEqual([
        400,
        { error: expect.stringMatching(/^template: /), type: 'invalid_request_error' },
      ])
    }
  })

  it('a suffix needs a template that can place it', async () => {
    await using server = await startTestServer()
    await server.model('m')
    const reply = await server.post(GENERATE, { model: 'm', prompt: 'a', suffix: 'b' })
    expect([reply.status, reply.json()]).toEqual([
      400,
      { error: expect.stringContaining('insert'), type: 'invalid_request_error' },
    ])
    expect(asked(server, 'm')).toBeUndefined()
  })

  it('without a prompt only loads the model; keep_alive 0 unloads it without loading it first', async () => {
    await using server = await startTestServer()
    await server.model('m')
    await server.model('cold')
    const loadedNames = async (): Promise<string[]> =>
      readBody(await server.call('/api/ps'), ollamaPsReply).models.map(({ name }) => name)
    const loaded = readBody(await server.post(GENERATE, { model: 'm', prompt: '', stream: false }), ollamaGenerateReply)
    expect(loaded).toEqual({
      model: 'm',
      created_at: expect.any(String),
      response: '',
      done: true,
      done_reason: 'load',
    })
    expect(await loadedNames()).toEqual(['m:latest'])
    for (const model of ['m', 'cold']) {
      const reply = await server.post(GENERATE, { model, keep_alive: 0, stream: false })
      expect(readBody(reply, ollamaGenerateReply)).toMatchObject({ response: '', done: true, done_reason: 'unload' })
    }
    await eventually(async () => expect(await loadedNames()).toEqual([]))
    expect(server.records('cold')).toEqual([])
  })
})

describe('keep_alive', () => {
  const stay = async (server: TestServer, keep_alive: unknown): Promise<number> => {
    const before = Date.now()
    const reply = await server.post(CHAT, { model: 'm', messages, keep_alive, stream: false })
    expect(reply.status, reply.text).toBe(200)
    const [running] = readBody(await server.call('/api/ps'), ollamaPsReply).models
    return (Date.parse(running?.expires_at ?? '') - before) / 60_000
  }

  it('0 lets the model go after the call, however it is written', async () => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ do: { text: 'Bye' } }] })
    for (const keep_alive of [0, '0', '0s']) {
      const reply = await server.post(CHAT, { model: 'm', messages, keep_alive, stream: false })
      expect(readBody(reply, ollamaChatReply).message.content).toBe('Bye')
      await eventually(async () => expect(readBody(await server.call('/api/ps'), ollamaPsReply).models).toEqual([]))
    }
  })

  it('is seconds or a duration; the last word holds; -1 and silence leave it to the server', async () => {
    await using server = await startTestServer()
    await server.model('m')
    expect(Math.round(await stay(server, '10m'))).toBe(10)
    expect(Math.round(await stay(server, 1800))).toBe(30)
    expect(Math.round(await stay(server, '1h30m'))).toBe(90)
    for (const keep_alive of [-1, '-1', '-1m', undefined]) {
      expect(Math.round(await stay(server, keep_alive)), String(keep_alive)).toBe(24 * 60)
    }
    const refused = await server.post(CHAT, { model: 'm', messages, keep_alive: 'soon' })
    expect([refused.status, refused.json()]).toEqual([
      400,
      { error: expect.stringContaining('keep_alive'), type: 'invalid_request_error' },
    ])
  })

  it('a pinned model stays', async () => {
    await using server = await startTestServer()
    await server.model('m', {}, { pinned: true })
    await server.model('free')
    await server.post(CHAT, { model: 'm', messages, keep_alive: 0 })
    await server.post(CHAT, { model: 'free', messages, keep_alive: 0 })
    const names = async (): Promise<string[]> =>
      readBody(await server.call('/api/ps'), ollamaPsReply).models.map(({ name }) => name)
    await eventually(async () => expect(await names()).toEqual(['m:latest']))
  })
})

describe('POST /api/embed', () => {
  it('gives one vector an input, with the figures', async () => {
    await using server = await startTestServer()
    await server.model('e', { embeddingDimension: 8 }, embeds)
    const body = readBody(await server.post(EMBED, { model: 'e', input: ['one two', 'three'] }), ollamaEmbedReply)
    expect(body).toEqual({
      model: 'e',
      embeddings: [expect.any(Array), expect.any(Array)],
      total_duration: expect.any(Number),
      load_duration: expect.any(Number),
      prompt_eval_count: 3,
    })
    const same = await server.post('/v1/embeddings', { model: 'e', input: ['one two', 'three'] })
    expect(same.json()).toMatchObject({ data: body.embeddings.map((embedding) => ({ embedding })) })
    for (const ask of [{ input: 'one two' }, { prompt: 'one two' }]) {
      const alone = readBody(await server.post(EMBED, { model: 'e', ...ask }), ollamaEmbedReply)
      expect(alone.embeddings).toEqual(body.embeddings.slice(0, 1))
    }
    const cut = readBody(await server.post(EMBED, { model: 'e', input: 'one', dimensions: 4 }), ollamaEmbedReply)
    expect(cut.embeddings[0]).toHaveLength(4)
  })

  it('of no text gives no vector; an empty text among others is refused', async () => {
    await using server = await startTestServer()
    await server.model('e', {}, embeds)
    for (const ask of [{}, { input: '' }, { input: [] }]) {
      const body = readBody(await server.post(EMBED, { model: 'e', ...ask }), ollamaEmbedReply)
      expect(body).toMatchObject({ embeddings: [], prompt_eval_count: 0 })
    }
    const reply = await server.post(EMBED, { model: 'e', input: ['a', ''] })
    expect([reply.status, reply.json()]).toEqual([
      400,
      { error: expect.stringContaining('input[1]'), type: 'invalid_request_error' },
    ])
  })

  it('long replies are complete JSON too', async () => {
    await using server = await startTestServer()
    await server.model('e', { embeddingDimension: 4096 }, embeds)
    const input = Array.from({ length: 10 }, (_, index) => `text ${index}`)
    const body = readBody(await server.post(EMBED, { model: 'e', input }), ollamaEmbedReply)
    expect(body.embeddings.map(({ length }) => length)).toEqual(input.map(() => 4096))
    expect(body.prompt_eval_count).toBe(20)
  })

  it('/api/embeddings answers one vector in the older shape', async () => {
    await using server = await startTestServer()
    await server.model('e', { embeddingDimension: 8 }, embeds)
    const [embedding] = readBody(await server.post(EMBED, { model: 'e', input: 'one' }), ollamaEmbedReply).embeddings
    expect((await server.post('/api/embeddings', { model: 'e', prompt: 'one' })).json()).toEqual({ embedding })
    expect((await server.post('/api/embeddings', { model: 'e', prompt: '' })).json()).toEqual({ embedding: [] })
  })
})

describe('the models', () => {
  const q4 = { parameters: { model: 'tiny-1.5B.Q4_K_M.gguf', temperature: 0.5, top_k: 3 }, stopwords: ['<end>'] }

  it('are listed with a tag, a digest of their own, and their capabilities', async () => {
    await using server = await startTestServer()
    expect((await server.call('/api/tags')).json()).toEqual({ models: [] })
    await server.model('chat', {}, q4)
    await server.model('e', {}, embeds)
    await server.model('off', {}, { disabled: true })
    await server.model('tagged:8b')
    await server.writeModelFile('alias.yaml', 'name: other\nalias: chat\n')
    const { models } = readBody(await server.call('/api/tags'), ollamaTagsReply)
    expect(models.map(({ name }) => name)).toEqual(['chat:latest', 'e:latest', 'other:latest', 'tagged:8b'])
    expect(models[0]).toMatchObject({
      model: 'chat:latest',
      digest: `sha256:${createHash('sha256').update('chat:latest').digest('hex')}`,
      details: { format: 'gguf', parameter_size: '1.5B', quantization_level: 'Q4_K_M', families: [] },
      capabilities: ['completion', 'tools'],
    })
    expect(models[1]?.capabilities).toEqual(['embedding'])
    expect(models[2]).toMatchObject({ details: models[0]?.details, capabilities: models[0]?.capabilities })
    expect(new Set(models.map(({ digest }) => digest)).size).toBe(4)
    const head = await server.call('/api/tags', { method: 'HEAD' })
    expect([head.status, head.text]).toEqual([200, ''])
  })

  it('are accepted by the names they are listed under, on every route', async () => {
    await using server = await startTestServer()
    await server.model(
      'm',
      { rules: [{ rpc: 'Predict*', do: { text: 'Yes' } }] },
      { known_usecases: ['chat', 'embeddings'] },
    )
    const asks: Record<string, object> = {
      [CHAT]: { messages },
      [GENERATE]: { prompt: 'Hi' },
      [EMBED]: { input: 'Hi' },
      '/api/embeddings': { prompt: 'Hi' },
      '/api/show': {},
    }
    for (const [path, ask] of Object.entries(asks)) {
      const reply = await server.post(path, { model: 'm:latest', stream: false, ...ask })
      expect(reply.status, `${path} ${reply.text}`).toBe(200)
      expect((await server.post(path, { model: 'm:8b', ...ask })).status, path).toBe(404)
    }
    expect((await server.post(CHAT, { model: 'm:latest', messages, stream: false })).json()).toMatchObject({
      model: 'm:latest',
    })
    expect((await server.post('/v1/chat/completions', { model: 'm:latest', messages })).status).toBe(404)
  })

  it('show: parameters, template, details and capabilities; never the system prompt', async () => {
    await using server = await startTestServer()
    const keys = {
      ...q4,
      context_size: 2048,
      system_prompt: 'SECRET',
      template: { chat: 'C {{.Input}}', function: 'F {{.Input}}' },
    }
    await server.model('m', {}, keys)
    const reply = await server.post('/api/show', { name: 'm' })
    const body = readBody(reply, ollamaShowReply)
    expect(body).toMatchObject({
      template: 'C {{.Input}}',
      details: { quantization_level: 'Q4_K_M' },
      capabilities: ['completion', 'tools'],
      model_info: {},
    })
    expect(Object.fromEntries(body.parameters.split('\n').map((line) => line.split(/ +/)))).toMatchObject({
      num_ctx: '2048',
      temperature: '0.5',
      top_k: '3',
      stop: '"<end>"',
    })
    expect(body.modelfile).toContain('FROM m\nTEMPLATE """C {{.Input}}"""\nPARAMETER num_ctx 2048')
    expect(reply.text).not.toContain('SECRET')
    for (const ask of [{}, { model: '' }, { name: null }]) {
      const refused = await server.post('/api/show', ask)
      expect([refused.status, refused.json()]).toEqual([
        400,
        { error: 'name is required', type: 'invalid_request_error' },
      ])
    }
    const unknown = await server.post('/api/show', { model: 'nobody' })
    expect([unknown.status, unknown.json()]).toEqual([
      404,
      { error: "model 'nobody' not found", type: 'invalid_request_error' },
    ])
  })

  it('version is one that clients know, with HEAD too', async () => {
    await using server = await startTestServer()
    expect((await server.call('/api/version')).json()).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/) })
    expect((await server.call('/api/version', { method: 'HEAD' })).status).toBe(200)
  })

  it('/ has the answer that clients look for, if the operator wants that', async () => {
    await using server = await startTestServer({ flags: ['--ollama-api-root-endpoint'] })
    expect((await server.call('/')).text).toBe('Ollama is running')
    expect((await server.call('/', { method: 'HEAD' })).status).toBe(200)
    expect((await server.call('/app')).headers['content-type']).toContain('text/html')
    await using plain = await startTestServer()
    expect((await plain.call('/')).headers['content-type']).toContain('text/html')
    await using bare = await startTestServer({ flags: ['--ollama-api-root-endpoint', '--disable-webui'] })
    expect((await bare.call('/')).text).toBe('Ollama is running')
    expect((await bare.call('/app')).status).toBe(404)
  })
})

describe('errors', () => {
  verifies('errors:envelope:string', 'of these routes are a text', async () => {
    await using server = await startTestServer()
    await server.model('m')
    await server.model('failing', { rules: [{ do: { failure: { status: 'INTERNAL', message: 'out of luck' } } }] })
    const image = [{ role: 'user', content: 'Look', images: ['AAAA'] }]
    const cases: readonly (readonly [string, unknown, number, RegExp])[] = [
      [CHAT, { messages }, 400, /^model is required$/],
      [CHAT, { model: 'nobody', messages }, 404, /"nobody" not found/],
      [CHAT, { model: 'm', messages: 5 }, 400, /messages/],
      [CHAT, { model: 'm', messages, options: { temperature: 'hot' } }, 400, /options\.temperature/],
      [CHAT, { model: 'm', messages: image }, 400, /messages\[0\]\.images/],
      [GENERATE, { model: 'm', prompt: 'Look', images: ['AAAA'] }, 400, /images/],
      [CHAT, { model: 'failing', messages }, 500, /out of luck/],
      [GENERATE, { model: 'failing', prompt: 'Hi', stream: false }, 500, /out of luck/],
      [EMBED, { model: 'nobody', input: 'a' }, 404, /"nobody" not found/],
      [EMBED, [], 400, /JSON object/],
    ]
    for (const [path, body, status, text] of cases) {
      const reply = await server.post(path, body)
      expect([reply.status, reply.json()], JSON.stringify(body)).toEqual([
        status,
        { error: expect.stringMatching(text), type: expect.any(String) },
      ])
    }
  })

  it('after the first line an error is the last line', async () => {
    await using server = await startTestServer()
    const failure = { status: 'INTERNAL', message: 'out of luck', afterPieces: 2 } as const
    await server.model('m', { rules: [{ do: { text: 'one two three', failure } }] })
    for (const [path, ask] of [
      [CHAT, { messages }],
      [GENERATE, { prompt: 'Hi' }],
    ] as const) {
      const reply = await server.post(path, { model: 'm', ...ask })
      expect(reply.status).toBe(200)
      const lines = readLines(reply)
      expect(lines.length).toBeGreaterThan(1)
      expect(lines.at(-1)).toEqual({ error: expect.stringContaining('out of luck') })
      for (const line of lines.slice(0, -1)) expect(line).toMatchObject({ done: false })
    }
  })

  it('of capacity and of the gate are a text too', async () => {
    await using server = await startTestServer({ flags: ['--api-keys=k'] })
    const anonymous = await server.post(CHAT, { model: 'm', messages })
    expect([anonymous.status, anonymous.json()]).toEqual([
      401,
      { error: 'An authentication key is required', type: 'invalid_request_error' },
    ])
    await server.model('m', { rules: [{ do: { hang: true } }] }, { limits: { max_concurrent: 1 } })
    const headers = { authorization: 'Bearer k', 'content-type': 'application/json' }
    const left = new AbortController()
    const held = fetch(`${server.url}${CHAT}`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model: 'm', messages }),
      signal: left.signal,
    }).catch(() => undefined)
    await eventually(() => expect(asked(server, 'm')).toBeDefined())
    const full = await server.post(CHAT, { model: 'm', messages }, headers)
    expect([full.status, full.json()]).toEqual([429, { error: expect.any(String), type: 'rate_limit_error' }])
    expect(full.headers['retry-after']).toBe('1')
    left.abort()
    await held
  })
})
