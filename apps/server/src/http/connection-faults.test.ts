import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { startTestApp } from '../../test/support/test-app.ts'
import { json } from './json.ts'
import { defineRoute } from './route.ts'

/** Connections at once. Each must end by itself, so that a fault of one shows; `SVC_LONG=1` opens more for rare races. */
const TIMES = process.env.SVC_LONG === '1' ? 1000 : 250

const route = { access: 'any', family: 'compatible', tag: 'test', summary: 'test' } as const
const routes = [
  defineRoute({ ...route, method: 'GET', path: '/plain', handler: () => json({}) }),
  defineRoute({ ...route, method: 'POST', path: '/plain', handler: () => json({}) }),
  defineRoute({
    ...route,
    method: 'GET',
    path: '/socket',
    socket: { protocols: [] },
    handler: () => json({}),
    async serveSocket(socket) {
      for await (const message of socket.messages({ until: socket.call.signal })) void message
    },
  }),
]

const WEBSOCKET = 'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n'
const KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'

/** Requests with which Node gives a socket away, or gives it up. */
const EVENTS: readonly (readonly [name: string, bytes: string, outcome: 'ends' | 'goes on'])[] = [
  ['connect', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', 'ends'],
  [
    'connect behind a request',
    'GET /plain HTTP/1.1\r\nHost: localhost\r\n\r\nCONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n',
    'ends',
  ],
  ['upgrade to a socket', `GET /socket HTTP/1.1\r\nHost: localhost\r\n${WEBSOCKET}${KEY}\r\n`, 'goes on'],
  ['upgrade with a faulty handshake', `GET /socket HTTP/1.1\r\nHost: localhost\r\n${WEBSOCKET}\r\n`, 'ends'],
  ['upgrade where nothing is', `GET /nothing HTTP/1.1\r\nHost: localhost\r\n${WEBSOCKET}${KEY}\r\n`, 'ends'],
  ['upgrade of a plain path', `GET /plain HTTP/1.1\r\nHost: localhost\r\n${WEBSOCKET}${KEY}\r\n`, 'ends'],
  [
    'upgrade to something else',
    'GET /plain HTTP/1.1\r\nHost: localhost\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n',
    'goes on',
  ],
  [
    'upgrade with a body',
    'POST /plain HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nContent-Length: 9\r\n\r\nab',
    'ends',
  ],
  ['clientError', 'no request\r\n\r\n', 'ends'],
  [
    'clientError in a body',
    'POST /plain HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    'ends',
  ],
  ['clientError of a large head', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 'ends'],
  ['h2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'ends'],
  ['TLS', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03', 'ends'],
]

async function open(url: string): Promise<Socket> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => undefined)
  await new Promise((resolve) => socket.once('connect', resolve))
  return socket
}

function repeat(attack: () => Promise<unknown>): Promise<unknown> {
  return Promise.all(Array.from({ length: TIMES }, attack))
}

/** Writes until the other end says that it is gone altogether, and not only done with its own half. */
function writeUntilReset(socket: Socket): Promise<unknown> {
  const writing = setInterval(() => socket.write('x'), 50)
  return new Promise((resolve) => socket.once('close', resolve)).finally(() => clearInterval(writing))
}

// A fault that reaches the process is an unhandled error of the test run, and fails it.
describe.each(EVENTS)('%s', (_, bytes, outcome) => {
  it('reset at once harms nothing', async () => {
    await using app = await startTestApp(routes)
    await repeat(async () => {
      const socket = await open(app.url)
      await new Promise((resolve) => socket.write(bytes, 'latin1', resolve))
      socket.resetAndDestroy()
    })
    expect((await app.call('/plain')).status).toBe(200)
  })

  it('left half-open gives its descriptor back', async () => {
    await using app = await startTestApp(routes)
    await repeat(async () => {
      const socket = await open(app.url)
      const ended = new Promise((resolve) => socket.once('end', resolve).once('close', resolve))
      const heard = Promise.race([ended, new Promise((resolve) => socket.once('data', resolve))])
      socket.write(bytes, 'latin1')
      await heard
      // These are connections like any other; their client has to end its half.
      if (outcome === 'goes on') socket.end()
      await ended
      if (outcome === 'ends') await writeUntilReset(socket)
      socket.destroy()
    })
    expect((await app.call('/plain')).status).toBe(200)
  })
})
