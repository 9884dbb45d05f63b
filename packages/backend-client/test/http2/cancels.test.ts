import { once } from 'node:events'
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { createBackendClient } from '../../src/index.ts'
import { answerWell, GRPC_HEADERS, replyFrame, resetCode, startHttp2Backend } from './http2-backend.ts'
import { CALL_KINDS, settle } from './outcome.ts'

/** Progress of a backend's reply at which the caller leaves. */
const STEPS: Readonly<Record<string, (stream: ServerHttp2Stream) => void>> = {
  'before the headers': () => {},
  'after the headers': (stream) => stream.respond(GRPC_HEADERS),
  'inside a message': (stream) => {
    stream.respond(GRPC_HEADERS)
    stream.write(replyFrame('hello').subarray(0, 8))
  },
  'after a message': (stream) => {
    stream.respond(GRPC_HEADERS)
    stream.write(replyFrame('hello'))
  },
}

const CANCELLED = { kind: 'cancelled', code: 'cancelled', message: 'the call was cancelled' }

/** The first call stays as it is after `begin`; every other is answered. */
async function startLeavable(begin: (stream: ServerHttp2Stream) => void) {
  let take: (stream: ServerHttp2Stream) => void = () => {}
  const taken = new Promise<ServerHttp2Stream>((resolve) => {
    take = resolve
  })
  let calls = 0
  const backend = await startHttp2Backend((stream) => {
    calls += 1
    if (calls > 1) return answerWell(stream)
    stream.resume()
    begin(stream)
    take(stream)
  })
  return { backend, taken }
}

const RUNS = Object.entries(STEPS).flatMap(([step, begin]) => CALL_KINDS.map((kind) => ({ step, begin, kind })))

it.each(RUNS)('cancels a $kind call $step', async ({ begin, kind }) => {
  const { backend, taken } = await startLeavable(begin)
  await using _backend = backend
  await using client = createBackendClient({ address: backend.address })
  const controller = new AbortController()
  const outcome = settle(client, kind, { signal: controller.signal })
  const stream = await taken
  const closed = resetCode(stream)
  controller.abort()
  expect(await outcome).toMatchObject(CANCELLED)
  expect(await closed).toBe(constants.NGHTTP2_CANCEL)
  await client.health()
  expect(backend.sessions).toHaveLength(1)
})

it.concurrent.each(RUNS)('ends a $kind call at its deadline $step', async ({ begin, kind }) => {
  const { backend, taken } = await startLeavable(begin)
  await using _backend = backend
  await using client = createBackendClient({ address: backend.address })
  const outcome = settle(client, kind, { timeoutMs: 2000 })
  const closed = resetCode(await taken)
  expect(await outcome).toMatchObject({ kind: 'timeout', code: 'backend_timeout' })
  expect(await closed).toBe(constants.NGHTTP2_CANCEL)
})

it.each(CALL_KINDS)('cancels a %s call that waits for a connection', async (kind) => {
  await using mute = await startMute()
  await using client = createBackendClient({ address: mute.address })
  const controller = new AbortController()
  const outcome = settle(client, kind, { signal: controller.signal })
  await mute.connected
  controller.abort()
  expect(await outcome).toMatchObject(CANCELLED)
})

it.each(CALL_KINDS)('ends a %s call that waits for a connection at its deadline', async (kind) => {
  await using mute = await startMute()
  await using client = createBackendClient({ address: mute.address })
  expect(await settle(client, kind, { timeoutMs: 200 })).toMatchObject({ kind: 'timeout', code: 'backend_timeout' })
})

it.each(CALL_KINDS)('fails a %s call that waits for a connection when the client is closed', async (kind) => {
  await using mute = await startMute()
  const client = createBackendClient({ address: mute.address })
  const outcome = settle(client, kind)
  await mute.connected
  client.close()
  expect(await outcome).toMatchObject({ kind: 'unavailable', code: 'backend_cancelled' })
})

it('gives an attempt to connect up when nobody waits for it any more, and starts another for the next call', async () => {
  await using mute = await startMute()
  await using client = createBackendClient({ address: mute.address })
  for (let round = 0; round < 2; round += 1) {
    const controller = new AbortController()
    const outcome = settle(client, 'unary', { signal: controller.signal })
    const socket = await mute.nextSocket()
    const closed = once(socket, 'close')
    controller.abort()
    await closed
    expect(await outcome).toMatchObject(CANCELLED)
  }
})

it.each(CALL_KINDS)('fails a %s call that runs when the client is closed', async (kind) => {
  const { backend, taken } = await startLeavable(() => {})
  await using _backend = backend
  const client = createBackendClient({ address: backend.address })
  const outcome = settle(client, kind)
  const stream = await taken
  const gone = once(stream, 'close')
  client.close()
  expect(await outcome).toMatchObject({
    kind: 'unavailable',
    code: 'backend_cancelled',
    message: 'the backend broke the call off',
  })
  await gone
})

it('tells the backend how much time is left', async () => {
  const seen: IncomingHttpHeaders[] = []
  await using backend = await startHttp2Backend((stream, headers) => {
    seen.push(headers)
    answerWell(stream)
  })
  await using client = createBackendClient({ address: backend.address })
  await client.health({ timeoutMs: 60_000 })
  await client.health()
  const amount = Number(/^(\d{1,8})m$/.exec(String(seen[0]?.['grpc-timeout']))?.[1])
  expect(amount).toBeGreaterThan(50_000)
  expect(amount).toBeLessThanOrEqual(60_000)
  expect(seen[1]).not.toHaveProperty('grpc-timeout')
})

it('sends the headers of gRPC', async () => {
  let seen: IncomingHttpHeaders = {}
  await using backend = await startHttp2Backend((stream, headers) => {
    seen = headers
    answerWell(stream)
  })
  await using client = createBackendClient({ address: backend.address, token: 'secret' })
  await client.health({ metadata: { 'X-Trace': 'abc' } })
  expect(seen).toMatchObject({
    ':method': 'POST',
    ':path': '/backend.Backend/Health',
    ':scheme': 'http',
    ':authority': backend.address,
    te: 'trailers',
    'content-type': 'application/grpc',
    'grpc-accept-encoding': 'identity,deflate,gzip',
    authorization: 'Bearer secret',
    'x-trace': 'abc',
  })
})

it.each(CALL_KINDS)('sends the metadata of a %s call whatever the case of its names', async (kind) => {
  const seen: IncomingHttpHeaders[] = []
  await using backend = await startHttp2Backend((stream, headers) => {
    seen.push(headers)
    answerWell(stream)
  })
  await using client = createBackendClient({ address: backend.address, token: 'secret' })
  const names = ['Authorization', 'User-Agent', 'Content-Type', 'AUTHORIZATION', 'X-Trace', 'x-trace', 'Date', 'date']
  for (const name of names)
    expect(await settle(client, kind, { metadata: { [name]: 'mine' } })).toEqual({ texts: ['OK'] })
  await settle(client, kind, { metadata: { 'X-Trace': 'first', 'x-trace': 'last', Date: 'first', date: 'last' } })
  const ours = { authorization: 'Bearer secret', 'user-agent': 'grpc-node-svc/1', 'content-type': 'application/grpc' }
  for (const headers of seen) expect(headers).toMatchObject(ours)
  expect(seen.map((headers) => headers['x-trace'])).toEqual([...Array(4), 'mine', 'mine', undefined, undefined, 'last'])
  expect(seen.map(({ date }) => date)).toEqual([...Array(6), 'mine', 'mine', 'last'])
  expect(backend.sessions).toHaveLength(1)
})

it('takes the authorization of a caller without a token', async () => {
  let seen: IncomingHttpHeaders = {}
  await using backend = await startHttp2Backend((stream, headers) => {
    seen = headers
    answerWell(stream)
  })
  await using client = createBackendClient({ address: backend.address })
  await client.health({ metadata: { Authorization: 'mine' } })
  expect(seen.authorization).toBe('mine')
})

it.each(CALL_KINDS)('refuses a %s call with metadata that cannot be sent', async (kind) => {
  await using backend = await startHttp2Backend((stream) => answerWell(stream))
  await using client = createBackendClient({ address: backend.address })
  const refused = { kind: 'invalid_request', code: 'backend_metadata' }
  const names = [
    'a b',
    'grpc-timeout',
    'Grpc-Timeout',
    'te',
    'TE',
    'content-length',
    'Content-Length',
    ':path',
    'x-bin',
  ]
  for (const metadata of [{ name: 'grüße' }, { name: 'a\nb' }, ...names.map((name) => ({ [name]: '1' }))]) {
    expect(await settle(client, kind, { metadata: { ...metadata } as Record<string, string> })).toMatchObject(refused)
  }
  expect(backend.sessions).toHaveLength(0)
})

/** A server that takes connections and says nothing. */
async function startMute() {
  const server = createServer()
  const sockets: Socket[] = []
  const waiting: ((socket: Socket) => void)[] = []
  server.on('connection', (socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.resume()
    waiting.shift()?.(socket)
  })
  const nextSocket = () => new Promise<Socket>((resolve) => waiting.push(resolve))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  return {
    address: `127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}`,
    connected: once(server, 'connection'),
    nextSocket,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
