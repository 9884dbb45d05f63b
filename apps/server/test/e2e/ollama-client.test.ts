import { eventually } from '@svc/test-kit'
import { type ChatResponse, type GenerateResponse, Ollama, type Tool } from 'ollama'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BuiltServer, startBuiltServer } from '../support/built-server.ts'

let server: BuiltServer
let client: Ollama
beforeAll(async () => {
  server = await startBuiltServer({ mock: {}, env: { SVC_DEMO_MODEL: 'true', SVC_THREADS: '1' } })
  client = new Ollama({ host: server.url })
  await server.model(
    'scripted',
    { rules: [{ rpc: 'Predict*', do: { text: 'Hello to you', promptTokens: 5 } }] },
    native,
  )
  await server.model('vectors', { embeddingDimension: 16 }, { known_usecases: ['embeddings'], embeddings: true })
})
afterAll(() => server[Symbol.asyncDispose]())

/** A model with its own chat template, so that the backend gets the conversation itself. */
const native = { template: { use_tokenizer_template: true } }
const messages = [{ role: 'user', content: 'Hello!' }]
const options = { temperature: 0, seed: 1 }
const weather: Tool = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}

/** Gives the request of a model's first prediction. */
const findRequest = (model: string): unknown =>
  server.records(model).find(({ rpc, event }) => rpc.startsWith('Predict') && event === 'start')?.request

async function gather<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const pieces: T[] = []
  for await (const piece of stream) pieces.push(piece)
  return pieces
}

/** Gives the error of a failed call of the client. */
const catchError = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    (value) => expect.fail(`answered: ${JSON.stringify(value)}`),
    (error: unknown) => error,
  )

const FIGURES = {
  done: true,
  total_duration: expect.any(Number),
  load_duration: expect.any(Number),
  prompt_eval_count: expect.any(Number),
  prompt_eval_duration: expect.any(Number),
  eval_count: expect.any(Number),
  eval_duration: expect.any(Number),
}

describe.each([
  ['the demo model on llama', 'demo', /^\p{Lu}.*\p{L}/su],
  ['a scripted model on the mock', 'scripted', /^Hello to you$/],
])('%s', (_, model, text) => {
  it('chat: the same answer whole and streamed, with figures', async () => {
    const whole = await client.chat({ model, messages, options })
    expect(whole.message).toEqual({ role: 'assistant', content: expect.stringMatching(text) })
    expect(whole).toMatchObject({ model, done_reason: 'stop', ...FIGURES })
    expect(whole.eval_count).toBeGreaterThan(1)
    expect(whole.prompt_eval_count).toBeGreaterThan(1)
    const parts: ChatResponse[] = await gather(await client.chat({ model, messages, options, stream: true }))
    expect(parts.map((part) => part.message.content).join('')).toBe(whole.message.content)
    expect(parts.slice(0, -1).every(({ done }) => !done)).toBe(true)
    expect(parts.at(-1)).toMatchObject({
      ...FIGURES,
      done_reason: 'stop',
      eval_count: whole.eval_count,
      prompt_eval_count: whole.prompt_eval_count,
    })
  })

  it('generate: the same answer whole and streamed, with figures and a context to continue with', async () => {
    const ask = { model, prompt: 'Hello!', system: 'Be kind.', options }
    const whole = await client.generate(ask)
    expect(whole.response).toMatch(text)
    expect(whole).toMatchObject({ model, done_reason: 'stop', ...FIGURES })
    const parts: GenerateResponse[] = await gather(await client.generate({ ...ask, stream: true }))
    expect(parts.map((part) => part.response).join('')).toBe(whole.response)
    expect(parts.at(-1)).toMatchObject({ ...FIGURES, context: whole.context })
    const next = await client.generate({ model, prompt: 'And you?', context: whole.context, options })
    expect(next.response).not.toBe('')
    expect(next.prompt_eval_count).toBeGreaterThanOrEqual(whole.prompt_eval_count)
  })

  it('options: num_predict ends an answer as length, stop before its text', async () => {
    const short = await client.chat({ model, messages, options: { ...options, num_predict: 2 } })
    expect(short).toMatchObject({ done_reason: 'length', eval_count: 2 })
    const bounded = await client.chat({ model, messages, options: { ...options, num_ctx: 2 } })
    expect(bounded.eval_count).toBeLessThanOrEqual(2)
    const { message } = await client.chat({ model, messages, options })
    const stop = ` ${message.content.split(' ')[1]}`
    const stopped = await client.chat({ model, messages, options: { ...options, stop: [stop] } })
    expect(stopped.done_reason).toBe('stop')
    expect(stopped.message.content).toBe(message.content.slice(0, message.content.indexOf(stop)))
  })

  it('logprobs: an entry for each token, whole and streamed', async () => {
    const ask = { model, messages, options, logprobs: true, top_logprobs: 2 }
    const whole = await client.chat(ask)
    expect(whole.logprobs?.map(({ token }) => token).join('')).toBe(whole.message.content)
    for (const entry of whole.logprobs ?? []) expect(entry.top_logprobs).toHaveLength(2)
    const parts = await gather(await client.chat({ ...ask, stream: true }))
    expect(parts.flatMap(({ logprobs }) => logprobs ?? [])).toHaveLength(whole.logprobs?.length ?? -1)
  })

  it('keep_alive, an empty prompt, ps: a model is loaded, shown, and let go', async () => {
    const names = async (): Promise<string[]> => (await client.ps()).models.map(({ name }) => name)
    const loaded = await client.generate({ model, prompt: '', keep_alive: '5m' })
    expect(loaded).toMatchObject({ response: '', done: true, done_reason: 'load' })
    const { models } = await client.ps()
    const running = models.find(({ name }) => name === `${model}:latest`)
    expect(running).toMatchObject({ model: `${model}:latest`, size_vram: expect.any(Number) })
    expect(Date.parse(String(running?.expires_at))).toBeGreaterThan(Date.now())
    expect(await client.generate({ model, prompt: '', keep_alive: 0 })).toMatchObject({ done_reason: 'unload' })
    await eventually(async () => expect(await names()).not.toContain(`${model}:latest`))
    expect((await client.chat({ model, messages, options })).message.content).toMatch(text)
  })

  it('list and show: by the name they are listed under', async () => {
    const { models } = await client.list()
    const listed = models.find(({ name }) => name === `${model}:latest`)
    expect(listed).toMatchObject({ model: `${model}:latest`, digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) })
    expect(new Date(String(listed?.modified_at)).getTime()).toBeGreaterThan(0)
    const shown = await client.show({ model: `${model}:latest` })
    expect(shown.capabilities).toEqual(expect.arrayContaining(['completion', 'tools']))
    expect(shown.details).toEqual(listed?.details)
    expect((await client.chat({ model: `${model}:latest`, messages, options })).message.content).toMatch(text)
  })
})

describe.each([
  ['the demo model on llama', 'demo-embed', 256],
  ['a scripted model on the mock', 'vectors', 16],
])('embeddings of %s', (_, model, length) => {
  it('embed: one vector an input; truncate, dimensions; the older route gives the same', async () => {
    const { embeddings, ...rest } = await client.embed({ model, input: ['one two', 'three'], truncate: true })
    expect(embeddings.map((embedding) => embedding.length)).toEqual([length, length])
    expect(rest).toEqual({
      model,
      total_duration: expect.any(Number),
      load_duration: expect.any(Number),
      prompt_eval_count: expect.any(Number),
    })
    expect(rest.prompt_eval_count).toBeGreaterThan(2)
    expect((await client.embed({ model, input: 'one two', dimensions: 8 })).embeddings[0]).toHaveLength(8)
    const older = await client.embeddings({ model, prompt: 'three' })
    const alone = await client.embed({ model, input: 'three' })
    expect([older.embedding]).toEqual(alone.embeddings)
  })
})

describe('on a real engine', () => {
  it('format holds an answer to a schema', async () => {
    const format = {
      type: 'object',
      properties: { mood: { enum: ['good', 'bad'] }, age: { type: 'integer', minimum: 0, maximum: 9 } },
      required: ['mood', 'age'],
      additionalProperties: false,
    }
    for (const ask of [{ format }, { format: 'json', options: { ...options, num_predict: 200 } }]) {
      const { message, done_reason: reason } = await client.chat({ model: 'demo', messages, options, ...ask })
      if (reason === 'stop') expect(typeof JSON.parse(message.content)).toBe('object')
      if (typeof ask.format === 'object') {
        expect(JSON.parse(message.content)).toEqual({
          mood: expect.stringMatching(/^(good|bad)$/),
          age: expect.any(Number),
        })
      }
    }
  })

  it('raw continues a text', async () => {
    const { response, context } = await client.generate({ model: 'demo', prompt: 'Once upon a', raw: true, options })
    expect(response).not.toBe('')
    expect(context).toBeUndefined()
  })
})

describe('between client and backend', () => {
  it('tools: calls are complete, with objects as arguments, streamed too', async () => {
    const text = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>'
    await server.model('caller', { rules: [{ do: { text, split: 'characters' } }] }, native)
    const ask = { model: 'caller', messages, tools: [weather] }
    const call = { function: { name: 'get_weather', arguments: { city: 'Rome' } } }
    expect((await client.chat(ask)).message.tool_calls).toMatchObject([call])
    const parts = await gather(await client.chat({ ...ask, stream: true }))
    expect(parts.flatMap(({ message }) => message.tool_calls ?? [])).toMatchObject([call])
    await server.model('listener', {}, native)
    const history = [
      ...messages,
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool', content: 'rain', tool_name: 'get_weather' },
    ]
    await client.chat({ model: 'listener', messages: history, tools: [weather] })
    const request = Object(findRequest('listener'))
    expect(JSON.parse(String(request.Tools))).toEqual([weather])
    expect(request.Messages).toMatchObject([{ role: 'user' }, { role: 'assistant' }, { role: 'tool', content: 'rain' }])
  })

  it('think: thoughts stand beside the text', async () => {
    await server.model('thinker', { rules: [{ do: { reasoning: 'Hm.', text: 'Yes.', via: 'deltas' } }] }, native)
    for (const think of [true, 'high'] as const) {
      const { message } = await client.chat({ model: 'thinker', messages, think })
      expect(message).toMatchObject({ thinking: 'Hm.', content: 'Yes.' })
    }
    expect(await client.generate({ model: 'thinker', prompt: 'Hi', think: true })).toMatchObject({
      thinking: 'Hm.',
      response: 'Yes.',
    })
    const parts = await gather(await client.chat({ model: 'thinker', messages, think: true, stream: true }))
    expect(parts.map(({ message }) => message.thinking ?? '').join('')).toBe('Hm.')
  })

  it('images: as bytes or in base64', async () => {
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    await server.model('seer', {}, { ...native, known_usecases: ['chat', 'vision'] })
    const images = [Buffer.from(png, 'base64')]
    await client.chat({ model: 'seer', messages: [{ role: 'user', content: 'Look', images }] })
    expect(findRequest('seer')).toMatchObject({ Images: [png] })
    const blind = await catchError(client.generate({ model: 'scripted', prompt: 'Look', images: [png] }))
    expect(blind).toMatchObject({ status_code: 400, message: expect.stringContaining('images[0]') })
  })

  it('template and suffix: the prompt is made of them', async () => {
    await server.model('filler', {}, native)
    const template = '<pre>{{ .Prompt }}<suf>{{ .Suffix }}<mid>{{ .Response }}<end>'
    await client.generate({ model: 'filler', prompt: 'a = ', suffix: ' + 1', template })
    expect(findRequest('filler')).toMatchObject({ Prompt: '<pre>a = <suf> + 1<mid>' })
  })

  it('options reach the backend, except those of loading', async () => {
    await server.model('steered', {}, native)
    await client.chat({
      model: 'steered',
      messages,
      options: { temperature: 0.5, top_k: 7, top_p: 0.25, min_p: 0.125, typical_p: 0.5, repeat_last_n: 32 },
    })
    expect(findRequest('steered')).toMatchObject({ Temperature: 0.5, TopK: 7, TopP: 0.25, MinP: 0.125, Repeat: 32 })
    const loading = { num_gpu: 99, num_thread: 64, num_batch: 1, use_mmap: false, numa: true, main_gpu: 1, mirostat: 2 }
    const { message } = await client.chat({ model: 'scripted', messages, options: loading })
    expect(message.content).toBe('Hello to you')
  })
})

describe('errors, aborts and the rest', () => {
  it('an error is a text with its status', async () => {
    await server.model(
      'failing',
      { rules: [{ do: { failure: { status: 'INTERNAL', message: 'out of luck' } } }] },
      native,
    )
    const cases = [
      [() => client.chat({ model: 'nobody', messages }), 404, /not found/],
      [() => client.show({ model: 'nobody' }), 404, /^model 'nobody' not found$/],
      [() => client.chat({ model: '', messages }), 400, /^model is required$/],
      [() => client.chat({ model: 'failing', messages, stream: true }), 500, /out of luck/],
      [() => client.generate({ model: 'failing', prompt: 'Hi' }), 500, /out of luck/],
      [() => client.embed({ model: 'nobody', input: 'a' }), 404, /not found/],
    ] as const
    for (const [call, status, text] of cases) {
      expect(await catchError(call())).toMatchObject({
        name: 'ResponseError',
        status_code: status,
        error: expect.stringMatching(text),
      })
    }
  })

  it('a failure in the middle of a stream is thrown after the earlier pieces', async () => {
    const failure = { status: 'INTERNAL', message: 'out of luck', afterPieces: 2 } as const
    await server.model('breaking', { rules: [{ do: { text: 'one two three', failure } }] }, native)
    const parts: string[] = []
    const read = async (): Promise<void> => {
      for await (const part of await client.chat({ model: 'breaking', messages, stream: true })) {
        parts.push(part.message.content)
      }
    }
    expect(await catchError(read())).toMatchObject({ message: expect.stringContaining('out of luck') })
    expect(parts.join('')).toContain('one')
  })

  it('abort of one stream, and of all, ends the predictions', async () => {
    await server.model(
      'endless',
      { rules: [{ do: { pieces: ['tick '], repeat: 1_000_000, pieceDelayMs: 5 } }] },
      native,
    )
    const outcomes = (): (string | undefined)[] =>
      server
        .records('endless')
        .flatMap(({ rpc, event, outcome }) => (rpc === 'PredictStream' && event === 'end' ? [outcome] : []))
    for (const [index, abort] of [(stream: { abort(): void }) => stream.abort(), () => client.abort()].entries()) {
      const stream = await client.chat({ model: 'endless', messages, stream: true })
      const read = async (): Promise<void> => {
        for await (const part of stream) if (part.message.content !== '') abort(stream)
      }
      expect(await catchError(read())).toMatchObject({ name: 'AbortError' })
      await eventually(() => expect(outcomes()).toHaveLength(index + 1))
    }
    expect(outcomes()).toEqual(['cancelled', 'cancelled'])
  })

  it('version; and models are neither made nor pushed by this format', async () => {
    expect(await client.version()).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/) })
    const calls = [() => client.create({ model: 'x', from: 'demo' }), () => client.push({ model: 'demo' })]
    for (const call of calls) expect(await catchError(call())).toMatchObject({ status_code: 501 })
  })

  it('a key goes in the headers', async () => {
    await using locked = await startBuiltServer({ mock: {}, env: { SVC_API_KEY: 'k' } })
    expect(await catchError(new Ollama({ host: locked.url }).list())).toMatchObject({ status_code: 401 })
    const { models } = await new Ollama({ host: locked.url, headers: { authorization: 'Bearer k' } }).list()
    expect(models.map(({ name }) => name)).toContain('demo:latest')
  })
})
