import { eventually } from '@svc/test-kit'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { type BuiltServer, startBuiltServer } from '../support/built-server.ts'

const ENDLESS = { pieces: ['tick '], repeat: 1_000_000, pieceDelayMs: 5 }
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hello!' }]

let server: BuiltServer
const connect = (options: { maxRetries?: number; timeout?: number; apiKey?: string } = {}): OpenAI =>
  new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0, ...options })
const create = (model: string, client = connect(), options = {}) =>
  client.chat.completions.create({ model, messages }, options)
/** Gives the error of a failed call of the client. */
const catchError = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    (value) => expect.fail(`answered: ${JSON.stringify(value)}`),
    (error: unknown) => error,
  )
/** Lists the recorded events of predictions, as `rpc event`. */
const seen = (model: string): string[] =>
  server
    .records(model)
    .filter(({ rpc }) => rpc.startsWith('Predict'))
    .map(({ rpc, event, outcome }) => [rpc, event, outcome].filter((part) => part !== undefined).join(' '))
const predictions = (model: string): number => seen(model).filter((line) => line.endsWith('start')).length

beforeAll(async () => {
  server = await startBuiltServer({ mock: {} })
  await server.model('fine', { rules: [{ do: { text: 'Fine.' } }] })
})
afterAll(() => server[Symbol.asyncDispose]())

describe('errors come as the classes of the client', () => {
  verifies(
    ['errors:credentials:status', 'errors:credentials:message', 'errors:credentials:type'],
    'AuthenticationError without the right key, and none with it',
    async () => {
      await using locked = await startBuiltServer({ env: { SVC_API_KEY: 'first,second', SVC_DEMO_MODEL: 'true' } })
      const at = (apiKey: string): OpenAI => new OpenAI({ baseURL: `${locked.url}/v1`, apiKey, maxRetries: 0 })
      const calls = [
        () => at('wrong').models.list(),
        () => at('wrong').chat.completions.create({ model: 'demo', messages }),
      ]
      for (const call of calls) {
        const error = await catchError(call())
        expect(error).toBeInstanceOf(OpenAI.AuthenticationError)
        expect(error).toMatchObject({
          status: 401,
          message: '401 An authentication key is required',
          type: 'invalid_request_error',
          requestID: expect.any(String),
        })
      }
      for (const key of ['first', 'second']) {
        expect((await at(key).models.list()).data.map(({ id }) => id)).toContain('demo')
      }
    },
  )

  verifies('errors:status:model-not-found', 'NotFoundError for a model that is not there, by any way', async () => {
    const client = connect()
    const calls = [
      () => create('nobody', client),
      () => client.chat.completions.create({ model: 'nobody', messages, stream: true }),
      () => client.models.retrieve('nobody'),
    ]
    for (const call of calls) {
      const error = await catchError(call())
      expect(error).toBeInstanceOf(OpenAI.NotFoundError)
      expect(error).toMatchObject({
        status: 404,
        code: 'model_not_found',
        param: 'model',
        type: 'invalid_request_error',
      })
    }
  })

  verifies('errors:status:bad-request', 'BadRequestError that names the field', async () => {
    const client = connect()
    const wrong: [object, string][] = [
      [{ messages: [] }, 'messages'],
      [{ temperature: -1 }, 'temperature'],
      [{ n: 0 }, 'n'],
      [{ stop: 5 }, 'stop'],
      [{ response_format: { type: 'xml' } }, 'response_format.type'],
      [{ tool_choice: 'required' }, 'tool_choice'],
      [{ messages: [{ role: 'wizard', content: 'x' }] }, 'messages[0].role'],
      [
        {
          messages: [
            { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }] },
          ],
        },
        'messages[0].content[0]',
      ],
    ]
    for (const [fields, param] of wrong) {
      const error = await catchError(client.chat.completions.create({ model: 'fine', messages, ...fields }))
      expect(error).toBeInstanceOf(OpenAI.BadRequestError)
      expect(error).toMatchObject({ status: 400, param, type: 'invalid_request_error' })
    }
    expect(predictions('fine')).toBe(0)
  })

  verifies('errors:status:saturated', 'RateLimitError at the model limit', async () => {
    await server.model('busy', { rules: [{ do: { hang: true } }] }, { max_concurrent: 1 })
    const held = new AbortController()
    const holding = catchError(create('busy', connect(), { signal: held.signal }))
    await eventually(() => expect(predictions('busy')).toBe(1))
    const error = await catchError(create('busy'))
    expect(error).toBeInstanceOf(OpenAI.RateLimitError)
    expect(error).toMatchObject({ status: 429, type: 'rate_limit_error', code: 'admission_rejected' })
    expect(error instanceof OpenAI.RateLimitError && error.headers.get('retry-after')).toBe('1')
    held.abort()
    expect(await holding).toBeInstanceOf(OpenAI.APIUserAbortError)
  })

  verifies(
    ['cooldown:refusal:status', 'cooldown:refusal:retry-after'],
    'InternalServerError for a model that cannot be loaded, 503 while it rests',
    async () => {
      await server.model('broken', { rules: [{ rpc: 'LoadModel', do: { refuse: 'no such architecture' } }] })
      const failed = await catchError(create('broken'))
      expect(failed).toBeInstanceOf(OpenAI.InternalServerError)
      expect(failed).toMatchObject({ status: 500, type: 'server_error' })
      const resting = await catchError(create('broken'))
      expect(resting).toBeInstanceOf(OpenAI.InternalServerError)
      expect(resting).toMatchObject({ status: 503 })
      expect(
        Number(resting instanceof OpenAI.InternalServerError && resting.headers.get('retry-after')),
      ).toBeGreaterThan(0)
    },
  )

  verifies('chat:stream:later-failure', 'APIError from a stream that breaks, after its earlier text', async () => {
    const failure = { status: 'INTERNAL', message: 'engine broke', afterPieces: 2 } as const
    await server.model('cracking', { rules: [{ do: { pieces: ['one ', 'two ', 'three '], failure } }] })
    const heard: string[] = []
    const read = async (): Promise<void> => {
      const stream = await connect().chat.completions.create({ model: 'cracking', messages, stream: true })
      for await (const chunk of stream) heard.push(chunk.choices[0]?.delta.content ?? '')
    }
    const error = await catchError(read())
    expect(error).toBeInstanceOf(OpenAI.APIError)
    expect(error).toMatchObject({ message: 'prediction failed: engine broke', type: 'server_error' })
    expect(heard).toEqual(['', 'one ', 'two '])
    expect(await catchError(connect().chat.completions.stream({ model: 'cracking', messages }).done())).toBeInstanceOf(
      OpenAI.APIError,
    )
  })
})

describe('an abort', () => {
  it('of a whole reply reaches the backend', async () => {
    await server.model('slow', { rules: [{ do: { hang: true } }] })
    const leaving = new AbortController()
    const call = catchError(create('slow', connect(), { signal: leaving.signal }))
    await eventually(() => expect(seen('slow')).toEqual(['Predict start']))
    leaving.abort()
    expect(await call).toBeInstanceOf(OpenAI.APIUserAbortError)
    await eventually(() => expect(seen('slow')).toEqual(['Predict start', 'Predict cancel', 'Predict end cancelled']))
  })

  it.each(['break', 'controller', 'signal'])('of a stream by %s reaches the backend', async (way) => {
    const model = `endless-${way}`
    await server.model(model, { rules: [{ do: ENDLESS }] })
    const leaving = new AbortController()
    const { signal } = leaving
    const stream = await connect().chat.completions.create({ model, messages, stream: true }, { signal })
    let chunks = 0
    for await (const _ of stream) {
      chunks += 1
      if (chunks < 5) continue
      if (way === 'break') break
      if (way === 'signal') leaving.abort()
      else stream.controller.abort()
    }
    await eventually(() =>
      expect(seen(model)).toEqual(['PredictStream start', 'PredictStream cancel', 'PredictStream end cancelled']),
    )
  })

  it('of the stream helper is told as one, and reaches the backend', async () => {
    await server.model('endless-helper', { rules: [{ do: ENDLESS }] })
    const stream = connect().chat.completions.stream({ model: 'endless-helper', messages })
    stream.on('content', (_, snapshot) => {
      if (snapshot.length > 20) stream.abort()
    })
    expect(await catchError(stream.done())).toBeInstanceOf(OpenAI.APIUserAbortError)
    await eventually(() => expect(seen('endless-helper').at(-1)).toBe('PredictStream end cancelled'))
  })
})

describe('retries', () => {
  const twice = { maxRetries: 2 }

  verifies('errors:retry:permanent', 'are not made when the server calls the failure permanent', async () => {
    const failure = { status: 'UNIMPLEMENTED', message: 'not here' } as const
    await server.model('never', { rules: [{ rpc: 'Predict*', do: { failure } }] })
    const error = await catchError(create('never', connect(twice)))
    expect(error).toMatchObject({ status: 501 })
    expect(error instanceof OpenAI.APIError && error.headers?.get('x-should-retry')).toBe('false')
    expect(predictions('never')).toBe(1)
  })

  it('are made where it may', async () => {
    const failure = { status: 'INTERNAL', message: 'hiccup' } as const
    await server.model('sometimes', { rules: [{ rpc: 'Predict', call: 1, do: { failure } }, { do: { text: 'Now.' } }] })
    expect((await create('sometimes', connect(twice))).choices[0]?.message.content).toBe('Now.')
    expect(predictions('sometimes')).toBe(2)
  })

  it('wait for as long as a full model says', async () => {
    const rules = [{ rpc: 'Predict', call: 1, do: { hang: true } }, { do: { text: 'Free.' } }]
    await server.model('full', { rules }, { max_concurrent: 1 })
    const held = new AbortController()
    const holding = catchError(create('full', connect(), { signal: held.signal }))
    await eventually(() => expect(predictions('full')).toBe(1))
    // the slot is held until the refusal has arrived
    const statuses: number[] = []
    const client = new OpenAI({
      baseURL: `${server.url}/v1`,
      apiKey: 'none',
      maxRetries: 1,
      fetch: async (input, init) => {
        const reply = await fetch(input, init)
        statuses.push(reply.status)
        held.abort()
        return reply
      },
    })
    expect((await create('full', client)).choices[0]?.message.content).toBe('Free.')
    expect(statuses).toEqual([429, 200])
    expect(await holding).toBeInstanceOf(OpenAI.APIUserAbortError)
  })
})

describe('without an answer', () => {
  it('a timeout of the client is told as one, and cancels the call', async () => {
    await server.model('late', { rules: [{ rpc: 'Predict', do: { hang: true } }] })
    // a stream loads the model first, so that the wait is only for the answer
    for await (const _ of await connect().chat.completions.create({ model: 'late', messages, stream: true }));
    expect(await catchError(create('late', connect({ timeout: 300 })))).toBeInstanceOf(OpenAI.APIConnectionTimeoutError)
    await eventually(() =>
      expect(seen('late').slice(-3)).toEqual(['Predict start', 'Predict cancel', 'Predict end cancelled']),
    )
  })

  it('a server that is gone is a failed connection', async () => {
    const other = await startBuiltServer()
    const client = new OpenAI({ baseURL: `${other.url}/v1`, apiKey: 'none', maxRetries: 0 })
    expect((await client.models.list()).data).not.toEqual([])
    await other[Symbol.asyncDispose]()
    const error = await catchError(client.models.list())
    expect(error).toBeInstanceOf(OpenAI.APIConnectionError)
    expect(error).not.toBeInstanceOf(OpenAI.APIConnectionTimeoutError)
  })
})
