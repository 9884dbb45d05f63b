import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { type BuiltServer, startBuiltServer } from '../support/built-server.ts'

let server: BuiltServer
let client: OpenAI
beforeAll(async () => {
  server = await startBuiltServer({ mock: {}, env: { SVC_DEMO_MODEL: 'true', SVC_THREADS: '1' } })
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 })
  await server.model('scripted', { rules: [{ rpc: 'Predict*', do: { text: 'Hello to you', promptTokens: 5 } }] })
})
afterAll(() => server[Symbol.asyncDispose]())

type Message = OpenAI.ChatCompletionMessageParam
const hello: Message[] = [{ role: 'user', content: 'Hello!' }]
const FIXED = { messages: hello, temperature: 0, seed: 1 }

describe.each([
  ['the demo model on llama', 'demo', /^\p{Lu}.*\p{L}/su],
  ['a scripted model on the mock', 'scripted', /^Hello to you$/],
])('chat.completions of %s', (_, model, text) => {
  it('create: a whole reply, with usage and the id of the request', async () => {
    const { data, response, request_id } = await client.chat.completions.create({ model, ...FIXED }).withResponse()
    expect(data).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-/),
      object: 'chat.completion',
      model,
      choices: [{ index: 0, finish_reason: 'stop', logprobs: null }],
    })
    expect(data.choices).toHaveLength(1)
    expect(data.choices[0]?.message).toEqual({ role: 'assistant', refusal: null, content: expect.stringMatching(text) })
    const { prompt_tokens = 0, completion_tokens = 0, total_tokens } = data.usage ?? {}
    expect(prompt_tokens).toBeGreaterThan(1)
    expect(completion_tokens).toBeGreaterThan(1)
    expect(total_tokens).toBe(prompt_tokens + completion_tokens)
    expect(request_id).toBe(response.headers.get('x-request-id'))
    expect(data).toHaveProperty('_request_id', request_id)
  })

  it('create with stream: the same text in chunks of one reply, and no usage unless asked for', async () => {
    const whole = await client.chat.completions.create({ model, ...FIXED })
    const chunks: OpenAI.ChatCompletionChunk[] = []
    for await (const chunk of await client.chat.completions.create({ model, ...FIXED, stream: true }))
      chunks.push(chunk)
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe(
      whole.choices[0]?.message.content,
    )
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' })
    expect(chunks.map((chunk) => chunk.choices[0]?.finish_reason)).toEqual([...chunks.slice(1).map(() => null), 'stop'])
    expect(new Set(chunks.map(({ id, created, object }) => `${id} ${created} ${object}`)).size).toBe(1)
    expect(chunks.filter((chunk) => chunk.usage !== undefined)).toEqual([])
  })

  it('stream_options: usage in one last chunk without choices', async () => {
    const whole = await client.chat.completions.create({ model, ...FIXED })
    const body = { model, ...FIXED, stream: true, stream_options: { include_usage: true } } as const
    const chunks: OpenAI.ChatCompletionChunk[] = []
    for await (const chunk of await client.chat.completions.create(body)) chunks.push(chunk)
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage })
    expect(chunks.slice(0, -1).filter((chunk) => chunk.choices.length !== 1 || chunk.usage)).toEqual([])
  })

  it('stream(): its events in order, and a final completion like the whole one', async () => {
    const whole = await client.chat.completions.create({ model, ...FIXED })
    const order: string[] = []
    const stream = client.chat.completions.stream({ model, ...FIXED, stream_options: { include_usage: true } })
    let grown = ''
    stream.on('connect', () => order.push('connect'))
    stream.on('content', (delta, snapshot) => {
      grown += delta
      expect(snapshot).toBe(grown)
    })
    const last = ['content.done', 'chatCompletion', 'finalChatCompletion', 'finalContent', 'end'] as const
    for (const event of last) stream.on(event, () => order.push(event))
    const final = await stream.finalChatCompletion()
    await stream.done()
    expect(order).toEqual(['connect', ...last])
    expect(final.choices[0]?.finish_reason).toBe('stop')
    expect(final.choices[0]?.message.content).toBe(whole.choices[0]?.message.content)
    expect(grown).toBe(whole.choices[0]?.message.content)
    expect(await stream.totalUsage()).toMatchObject(whole.usage ?? {})
  })

  it('n: gives this many choices, whole and streamed', async () => {
    const whole = await client.chat.completions.create({ model, ...FIXED, n: 2 })
    expect(whole.choices.map((choice) => choice.index)).toEqual([0, 1])
    const stream = client.chat.completions.stream({ model, ...FIXED, n: 2 })
    const final = await stream.finalChatCompletion()
    expect(final.choices.map((choice) => [choice.index, choice.finish_reason])).toEqual([
      [0, 'stop'],
      [1, 'stop'],
    ])
    for (const choice of final.choices) expect(choice.message.content).toMatch(text)
  })

  it('max_tokens and max_completion_tokens end an answer as length, stop before its text', async () => {
    const short = await client.chat.completions.create({ model, ...FIXED, max_completion_tokens: 2, max_tokens: 3 })
    expect(short.choices[0]?.finish_reason).toBe('length')
    expect(short.usage?.completion_tokens).toBe(2)
    const whole = await client.chat.completions.create({ model, ...FIXED })
    const content = whole.choices[0]?.message.content ?? ''
    const stop = ` ${content.split(' ')[1]}`
    const stopped = await client.chat.completions.create({ model, ...FIXED, stop: [stop] })
    expect(stopped.choices[0]?.finish_reason).toBe('stop')
    expect(stopped.choices[0]?.message.content).toBe(content.slice(0, content.indexOf(stop)))
  })

  it('accepts fields that have no effect here', async () => {
    const ignored = {
      user: 'u',
      store: false,
      service_tier: 'auto',
      metadata: { team: 'a' },
      modalities: ['text'],
      verbosity: 'low',
      prompt_cache_key: 'k',
      safety_identifier: 's',
      prediction: { type: 'content', content: 'x' },
      parallel_tool_calls: true,
      response_format: { type: 'text' },
      logit_bias: null,
      tool_choice: 'none',
    } as const
    const reply = await client.chat.completions.create({ model, ...FIXED, ...ignored, modalities: ['text'] })
    expect(reply.choices[0]?.message.content).toMatch(text)
  })
})

/** Gives the request of a model's first prediction. */
const findRequest = (model: string): unknown =>
  server.records(model).find(({ rpc, event }) => rpc === 'Predict' && event === 'start')?.request

describe('between client and backend', () => {
  it('tool calls that a backend has parsed come as the helper wants them', async () => {
    await server.model('tools', {
      rules: [{ do: { toolCalls: [{ id: 'c1', name: 'weather', arguments: { city: 'Rome' } }], via: 'deltas' } }],
    })
    const body = {
      model: 'tools',
      messages: hello,
      tools: [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }],
    } satisfies OpenAI.ChatCompletionCreateParams
    const call = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } }
    const whole = await client.chat.completions.create(body)
    expect(whole.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: null, tool_calls: [call] },
    })
    const stream = client.chat.completions.stream(body)
    const done = stream.emitted('tool_calls.function.arguments.done')
    expect((await stream.finalChatCompletion()).choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { tool_calls: [call] },
    })
    expect(await done).toMatchObject({ name: 'weather', arguments: '{"city":"Rome"}' })
  })

  it('reasoning stands beside the content', async () => {
    await server.model('thinker', { rules: [{ do: { reasoning: 'Hm. ', text: 'Yes.', via: 'deltas' } }] })
    const { choices } = await client.chat.completions.create({ model: 'thinker', messages: hello })
    expect(choices[0]?.message).toMatchObject({ content: 'Yes.', reasoning: 'Hm. ', reasoning_content: 'Hm. ' })
  })

  it('logprobs have an entry a token with its alternatives, and their text is the answer', async () => {
    const body = { model: 'scripted', ...FIXED, logprobs: true, top_logprobs: 2 }
    const { choices } = await client.chat.completions.create(body)
    const entries = choices[0]?.logprobs?.content ?? []
    expect(entries.length).toBeGreaterThan(1)
    for (const entry of entries) {
      expect(entry.logprob).toBeLessThanOrEqual(0)
      expect(entry.top_logprobs).toHaveLength(2)
    }
    expect(entries.map((entry) => entry.token).join('')).toBe(choices[0]?.message.content)
  })

  it("generation options reach the backend, in the format's names and those of local engines", async () => {
    await server.model('steered')
    const engineWords = { top_k: 7, min_p: 0.125, typical_p: 0.5, repeat_penalty: 1.5, repeat_last_n: 32, n_keep: 4 }
    await client.chat.completions.create({
      model: 'steered',
      messages: hello,
      temperature: 0.5,
      top_p: 0.25,
      seed: 7,
      frequency_penalty: 0.5,
      presence_penalty: -0.5,
      logit_bias: { 3: -1 },
      reasoning_effort: 'low',
      ...engineWords,
    })
    expect(findRequest('steered')).toMatchObject({
      Temperature: 0.5,
      TopP: 0.25,
      Seed: 7,
      FrequencyPenalty: 0.5,
      PresencePenalty: -0.5,
      LogitBias: '{"3":-1}',
      Metadata: { reasoning_effort: 'low' },
      TopK: 7,
      MinP: 0.125,
      TypicalP: 0.5,
      Penalty: 1.5,
      Repeat: 32,
      NKeep: 4,
    })
  })

  it('a conversation reaches the backend message by message', async () => {
    await server.model('listener', {}, { template: { use_tokenizer_template: true } })
    const messages: Message[] = [
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Weather?' }] },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'rain' },
      { role: 'user', content: 'Thanks', name: 'Ann' },
    ]
    await client.chat.completions.create({ model: 'listener', messages })
    expect(findRequest('listener')).toMatchObject({
      Messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Weather?' },
        { role: 'assistant', content: '' },
        { role: 'tool', content: 'rain', toolCallId: 'c1' },
        { role: 'user', content: 'Thanks', name: 'Ann' },
      ],
    })
  })
})

describe('models', () => {
  verifies('models:list:both-paths', 'list: every model in byte order; retrieve: one of them', async () => {
    await server.model('a/b')
    const models: OpenAI.Model[] = []
    for await (const model of client.models.list()) models.push(model)
    const ids = models.map((model) => model.id)
    expect(ids).toEqual([...ids].sort())
    expect(ids).toEqual(expect.arrayContaining(['a/b', 'demo', 'scripted']))
    for (const model of models) {
      expect(model).toEqual({
        id: model.id,
        object: 'model',
        created: expect.any(Number),
        owned_by: expect.any(String),
      })
      expect(await client.models.retrieve(model.id)).toEqual(model)
    }
    const other = new OpenAI({ baseURL: server.url, apiKey: 'none' })
    expect((await other.models.list()).data).toEqual(models)
  })
})
