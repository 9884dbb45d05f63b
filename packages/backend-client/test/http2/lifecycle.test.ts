import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, type ServerHttp2Stream } from 'node:http2'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { toCodedMethod } from '../../src/codec/codecs.ts'
import { Connection } from '../../src/connection/connection.ts'
import { createBackendClient } from '../../src/index.ts'
import { callUnary } from '../../src/invoke/unary.ts'
import { backendMethods } from '../../src/methods.ts'
import { answerWell, beginReply, GRPC_HEADERS, replyFrame, startHttp2Backend } from './http2-backend.ts'
import { settle } from './outcome.ts'
import { startRawHttp2 } from './raw-http2.ts'

it('finishes a call on a connection that the backend is leaving, and opens another', async () => {
  const streams: ServerHttp2Stream[] = []
  await using backend = await startHttp2Backend((stream) => {
    streams.push(stream)
    if (streams.length > 1) answerWell(stream)
  })
  await using client = createBackendClient({ address: backend.address })
  const replies = client.predictStream({})
  const first = replies.next()
  await expect.poll(() => streams.length).toBe(1)
  const [stream] = streams
  if (stream === undefined) throw new Error('the backend got no call')
  beginReply(stream)
  stream.session?.goaway(constants.NGHTTP2_NO_ERROR)
  stream.write(replyFrame('one'))
  expect((await first).value?.message.toString()).toBe('one')
  await client.health()
  expect(backend.sessions).toHaveLength(2)
  stream.end(replyFrame('two'))
  expect((await replies.next()).value?.message.toString()).toBe('two')
  expect((await replies.next()).done).toBe(true)
})

it('opens another connection after one was cut', async () => {
  await using backend = await startHttp2Backend((stream) => answerWell(stream))
  await using client = createBackendClient({ address: backend.address })
  for (let round = 1; round <= 3; round += 1) {
    await client.waitUntilReady({ signal: AbortSignal.timeout(20_000) })
    expect(backend.sessions).toHaveLength(round)
    backend.cut()
    await expect.poll(() => backend.sessions.every(({ destroyed }) => destroyed)).toBe(true)
  }
})

it('moves on before a backend counts too many calls that were broken off', async () => {
  await using backend = await startHttp2Backend((stream) => {
    stream.resume()
    stream.respond(GRPC_HEADERS)
    stream.write(replyFrame('first'))
  })
  await using client = createBackendClient({ address: backend.address })
  for (let count = 0; count < 1200; count += 1) {
    const replies = client.predictStream({})
    expect((await replies.next()).value?.message.toString()).toBe('first')
    await replies.return()
  }
  expect(backend.sessions.length).toBeGreaterThan(1)
  await expect.poll(() => backend.sessions.filter(({ closed }) => !closed).length).toBe(1)
})

it('counts no answer as broken off', async () => {
  await using backend = await startHttp2Backend((stream) => answerWell(stream))
  await using client = createBackendClient({ address: backend.address })
  for (let count = 0; count < 600; count += 1) await client.health()
  expect(backend.sessions).toHaveLength(1)
})

it('ends calls on a connection that gives no sign of life', async () => {
  await using backend = await startRawHttp2({ onRequest: () => {}, answersPings: false })
  const connection = new Connection({
    address: backend.address,
    token: undefined,
    maxMessageBytes: 1000,
    keepalive: { intervalMs: 20, timeoutMs: 20 },
  })
  const call = callUnary(connection, toCodedMethod(backendMethods.predict), { request: {}, options: {} })
  await expect(call).rejects.toMatchObject({ kind: 'unavailable', code: 'backend_unavailable' })
  connection.close()
})

it('keeps calls on a connection that answers its pings', async () => {
  let answer = () => {}
  let pings = 0
  await using backend = await startRawHttp2({
    onRequest(stream) {
      answer = () => {
        stream.headers()
        stream.data(replyFrame('hello'))
        stream.trailers({ 'grpc-status': '0' })
      }
    },
    onPing: () => {
      pings += 1
      if (pings === 5) answer()
    },
  })
  const connection = new Connection({
    address: backend.address,
    token: undefined,
    maxMessageBytes: 1000,
    keepalive: { intervalMs: 5, timeoutMs: 20_000 },
  })
  const reply = await callUnary(connection, toCodedMethod(backendMethods.predict), { request: {}, options: {} })
  expect(reply).toMatchObject({ message: Buffer.from('hello') })
  connection.close()
})

/** Runs a program over a client that it does not close, and gives its exit code. */
async function runProgram(address: string, calls: string): Promise<number | null> {
  const entry = new URL('../../src/index.ts', import.meta.url)
  const program = `
    import { createBackendClient } from ${JSON.stringify(entry.href)}
    const client = createBackendClient({ address: ${JSON.stringify(address)} })
    ${calls}`
  const tsx = createRequire(import.meta.url).resolve('tsx')
  const cwd = fileURLToPath(new URL('../../', import.meta.url))
  const args = ['--conditions=@svc/source', '--import', tsx, '--input-type=module', '--eval', program]
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] })
  await once(child, 'exit')
  return child.exitCode
}

it('keeps a process alive for a call, and not after it', async () => {
  await using backend = await startHttp2Backend((stream) => setTimeout(() => answerWell(stream), 200))
  expect(await runProgram(backend.address, 'await client.health()')).toBe(0)
  expect(backend.sessions).toHaveLength(1)
})

it('lets a process end whose stream was left', async () => {
  await using backend = await startHttp2Backend((stream) => {
    stream.resume()
    stream.respond(GRPC_HEADERS)
    stream.write(replyFrame('first'))
  })
  expect(await runProgram(backend.address, 'for await (const _ of client.predictStream({})) break')).toBe(0)
})

it('closes its connection when it is closed', async () => {
  await using backend = await startHttp2Backend((stream) => answerWell(stream))
  const client = createBackendClient({ address: backend.address })
  await client.health()
  const [session] = backend.sessions
  if (session === undefined) throw new Error('the backend got no connection')
  const gone = once(session, 'close')
  client.close()
  await gone
  client.close()
  expect(await settle(client, 'unary')).toMatchObject({ kind: 'unavailable', code: 'client_closed' })
})

it('reaches a backend by the name of its host', async () => {
  await using backend = await startHttp2Backend((stream) => answerWell(stream))
  await using client = createBackendClient({ address: backend.address.replace('127.0.0.1', 'localhost') })
  await client.health()
})
