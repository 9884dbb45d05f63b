import { connect, createServer, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { createDeferred, listenOnFreePort, trackSockets } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { Http1Upstream } from './h1.ts'
import type { UpstreamRequest } from './upstream.ts'

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'
const HINT = 'HTTP/1.1 103 Early Hints\r\n\r\n'
const REQUEST: UpstreamRequest = { method: 'GET', target: '/', authority: 'a.example', headers: [], hasBody: false }

/** A host that answers each request as it is told. */
async function startHost(...answers: readonly ((socket: Socket) => void)[]) {
  let count = 0
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', () => answers[count++]?.(socket))
  })
  const { close } = trackSockets(server)
  const port = await listenOnFreePort(server)
  const agent = new Http1Upstream(async () => connect(port, '127.0.0.1') as TLSSocket)
  return {
    /** Sends a request, and gives what comes back once its connection is free again. */
    async ask() {
      const came = createDeferred<{ readonly informed: number; readonly result: unknown }>()
      let informed = 0
      const listener = {
        information() {
          informed += 1
        },
        reply: ({ status }: { status: number }, { stream }: { stream: NodeJS.ReadableStream }) =>
          void stream.once('end', () => came.resolve({ informed, result: status })).resume(),
        fail: (_error: unknown, isUnprocessed: boolean) => came.resolve({ informed, result: isUnprocessed }),
      }
      const sent = await agent.start(REQUEST, listener, () => true)
      sent.stream.end()
      return came.promise
    },
    async [Symbol.asyncDispose]() {
      agent.destroy()
      await close()
    },
  }
}

const reset = (socket: Socket): void => void socket.resetAndDestroy()
const say = (text: string) => (socket: Socket) => void socket.write(text)

describe('a request that fails', () => {
  it.each([
    ['on a new connection that is reset', [reset], false],
    ['on a kept connection that is reset', [say(OK), reset], true],
    ['on a kept connection with a reply that is not HTTP', [say(OK), say('no HTTP\r\n\r\n')], false],
    ['on a kept connection with too many informational replies', [say(OK), say(HINT.repeat(101))], false],
  ])('%s', async (_, answers, isUnprocessed) => {
    await using host = await startHost(...answers)
    let last: unknown
    for (const _each of answers) last = (await host.ask()).result
    expect(last).toBe(isUnprocessed)
  })
})

it('takes up to 100 informational replies', async () => {
  await using host = await startHost(say(HINT.repeat(100) + OK))
  expect(await host.ask()).toEqual({ informed: 100, result: 200 })
})
