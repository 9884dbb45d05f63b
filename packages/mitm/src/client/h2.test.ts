import { once } from 'node:events'
import { type ClientHttp2Session, connect } from 'node:http2'
import { type Duplex, duplexPair } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { LINGER_MS } from '@svc/http-reader'
import { eventually } from '@svc/test-kit'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { resolveLimits } from '../limits/limits.ts'
import { readHttp2 } from './h2.ts'
import type { ClientRequest } from './request.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A session of a client, and its requests at the reader. */
function open() {
  const [near, side]: Duplex[] = duplexPair()
  const requests: ClientRequest[] = []
  // The reader uses only members of a TLS socket that every duplex stream has.
  const socket = side as TLSSocket
  const session = readHttp2(socket, resolveLimits(), (request) => void requests.push(request))
  const client = connect('https://a.example', { createConnection: () => near as Duplex })
  client.on('error', () => {})
  onTestFinished(() => {
    client.destroy()
    socket.destroy()
  })
  return { session, socket, client, requests }
}

/** Sends a request. @returns the end of its reply */
async function ask(client: ClientHttp2Session): Promise<unknown> {
  const stream = client.request({ ':path': '/x' })
  stream.on('error', () => {})
  stream.resume()
  return once(stream, 'close')
}

async function answer(request: ClientRequest | undefined): Promise<void> {
  const over = new Promise((resolve) => request?.reply.onceClosed(resolve))
  request?.reply.start({ status: 200, statusText: undefined, headers: [] }, true)
  request?.reply.finish([])
  await over
}

const reach = (requests: readonly unknown[], count: number) => eventually(() => expect(requests).toHaveLength(count))

it('keeps a session open after its requests, for more', async () => {
  const { client, requests, socket } = open()
  for (const count of [1, 2]) {
    const asked = ask(client)
    await reach(requests, count)
    await answer(requests.at(-1))
    await asked
    await vi.advanceTimersByTimeAsync(2 * LINGER_MS)
    expect(socket.destroyed).toBe(false)
  }
})

it('cuts a closed session some time after its last request, and not before', async () => {
  const { client, requests, session, socket } = open()
  const asked = [ask(client), ask(client)]
  await reach(requests, 2)
  session.close()
  await answer(requests[0])
  await asked[0]
  await vi.advanceTimersByTimeAsync(2 * LINGER_MS)
  expect(socket.destroyed).toBe(false)
  await answer(requests[1])
  await eventually(async () => {
    await vi.advanceTimersByTimeAsync(LINGER_MS)
    expect(socket.destroyed).toBe(true)
  })
})
