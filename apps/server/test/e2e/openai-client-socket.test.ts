import { eventually } from '@svc/test-kit'
import OpenAI from 'openai'
import { ResponsesWS } from 'openai/resources/responses/ws'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BuiltServer, startBuiltServer } from '../support/built-server.ts'

type Request = Omit<OpenAI.Responses.ResponsesClientEvent, 'type'>
type Response = OpenAI.Responses.Response

let server: BuiltServer
let client: OpenAI
beforeAll(async () => {
  server = await startBuiltServer({
    mock: {},
    flags: ['--api-keys=k'],
    env: { SVC_DEMO_MODEL: 'true', SVC_THREADS: '1' },
  })
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'k', maxRetries: 0 })
  await server.model('scripted', { rules: [{ rpc: 'Predict*', do: { text: 'Hello to you', promptTokens: 5 } }] })
})
afterAll(() => server[Symbol.asyncDispose]())

/** A socket of the client that closes with its scope. */
function openSocket(caller: OpenAI = client): ResponsesWS & Disposable {
  const socket = new ResponsesWS(caller)
  return Object.assign(socket, { [Symbol.dispose]: () => socket.close() })
}

/** Sends a request and reads the events of its response. */
async function ask(socket: ResponsesWS, request: Request) {
  const events = socket.stream()
  socket.send({ type: 'response.create', ...request })
  const types: string[] = []
  let text = ''
  for await (const event of events) {
    if (event.type === 'error') throw event.error
    if (event.type !== 'message') continue
    const { message } = event
    types.push(message.type)
    if (message.type === 'response.output_text.delta') text += message.delta
    if (message.type === 'response.completed') return { types, text, response: message.response }
  }
  throw new Error(`the socket closed after ${types.join()}`)
}

const readText = ({ output }: Response): string =>
  output
    .flatMap((item) => (item.type === 'message' ? item.content : []))
    .map((part) => ('text' in part ? part.text : ''))
    .join('')

describe.each([
  ['the demo model on llama', 'demo', /^\p{Lu}.*\p{L}/su],
  ['a scripted model on the mock', 'scripted', /^Hello to you$/],
])('ResponsesWS and %s', (_, model, text) => {
  it('gets the same answer as from create(), and retrieve() finds it', async () => {
    using socket = openSocket()
    const fixed = { model, input: 'Hello!', temperature: 0, seed: 1 }
    const whole = await client.responses.create(fixed)
    const answer = await ask(socket, fixed)
    expect(answer.text).toMatch(text)
    expect([answer.text, readText(answer.response)]).toEqual([whole.output_text, whole.output_text])
    expect(answer.types[0]).toBe('response.created')
    expect((await client.responses.retrieve(answer.response.id)).output_text).toBe(whole.output_text)
  })

  it('goes on with a conversation, stored or not', async () => {
    using socket = openSocket()
    const stored = await ask(socket, { model, input: 'Hello!' })
    const second = await ask(socket, {
      model,
      input: 'And you?',
      store: false,
      previous_response_id: stored.response.id,
    })
    const third = await ask(socket, { model, input: 'Why?', store: false, previous_response_id: second.response.id })
    expect(third.response.previous_response_id).toBe(second.response.id)
    expect(third.response.usage?.input_tokens).toBeGreaterThan(1)
    await expect(client.responses.retrieve(third.response.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError)
  })
})

describe('errors', () => {
  it('is an error of the client, and the socket is still of use', async () => {
    using socket = openSocket()
    const refused = (fields: object) => ask(socket, { model: 'scripted', input: 'hi', ...fields })
    await expect(refused({ model: 'nobody' })).rejects.toMatchObject({
      error: {
        type: 'error',
        status: 400,
        error: { type: 'invalid_request', message: 'model configuration not found' },
      },
    })
    await expect(refused({ previous_response_id: 'resp_x' })).rejects.toMatchObject({
      error: { error: { code: 'previous_response_not_found' } },
    })
    expect((await refused({})).text).toBe('Hello to you')
  })

  it('a wrong key opens no socket', async () => {
    const stranger = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'wrong', maxRetries: 0 })
    using socket = openSocket(stranger)
    await expect(ask(socket, { model: 'scripted', input: 'hi' })).rejects.toThrow('401')
  })

  it('a failure while it is made is an error event, then a failed response', async () => {
    await server.model('dying', {
      rules: [{ rpc: 'Predict*', do: { pieces: ['a', 'b'], crash: { how: 'kill', afterPieces: 1 } } }],
    })
    using socket = openSocket()
    const failed = new Promise<Response>((resolve) => {
      socket.on('response.failed', ({ response }) => resolve(response))
    })
    const errors: unknown[] = []
    socket.on('error', (error) => errors.push(error.error))
    socket.send({ type: 'response.create', model: 'dying', input: 'hi' })
    expect((await failed).error?.code).toBe('server_error')
    expect(errors).toMatchObject([{ type: 'error', code: 'server_error' }])
    expect((await ask(socket, { model: 'scripted', input: 'hi' })).text).toBe('Hello to you')
  })

  it('a client that closes its socket stops the prediction', async () => {
    await server.model('hanging', { rules: [{ rpc: 'Predict*', do: { pieces: ['a', 'b'], hang: 1 } }] })
    const socket = new ResponsesWS(client)
    const heard = new Promise<void>((resolve) => {
      socket.on('response.output_text.delta', () => resolve())
    })
    socket.send({ type: 'response.create', model: 'hanging', input: 'hi' })
    await heard
    socket.close()
    await eventually(() => expect(server.records('hanging').some(({ event }) => event === 'cancel')).toBe(true))
  })
})

describe('a stop of the server', () => {
  it('closes after its time limit, with a code after which the client opens another socket', async () => {
    await using own = await startBuiltServer({ mock: {} })
    await own.model('hanging', { rules: [{ rpc: 'Predict*', do: { pieces: ['a', 'b'], hang: 1 } }] })
    const caller = new OpenAI({ baseURL: `${own.url}/v1`, apiKey: 'none', maxRetries: 0 })
    const sockets = [new ResponsesWS(caller), new ResponsesWS(caller)]
    const [busy] = sockets
    const codes = sockets.map(
      (socket) =>
        new Promise<number>((resolve) => {
          socket.on('close', (code) => resolve(code))
        }),
    )
    await Promise.all(
      sockets.map(
        (socket) =>
          new Promise<void>((resolve) => {
            socket.socket?.on('open', () => resolve())
            socket.on('error', () => undefined)
          }),
      ),
    )
    const heard = new Promise<void>((resolve) => {
      busy?.on('response.output_text.delta', () => resolve())
    })
    const failed = new Promise<Response>((resolve) => {
      busy?.on('response.failed', ({ response }) => resolve(response))
    })
    busy?.send({ type: 'response.create', model: 'hanging', input: 'hi' })
    await heard
    const end = await own.stop()
    expect(end.code).toBe(0)
    expect((await failed).status).toBe('failed')
    expect(await Promise.all(codes)).toEqual([1001, 1001])
  })
})
