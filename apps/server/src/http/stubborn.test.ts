import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { eventually, watchAccepted } from '@svc/test-kit'
import { expect, it, onTestFinished } from 'vitest'
import { startTestApp } from '../../test/support/test-app.ts'
import { systemClock } from '../clock.ts'
import { openDiagnostics } from '../features/diagnostics.ts'
import { createBodyReader } from './body.ts'
import { ALREADY_SENT } from './http-reply.ts'
import { json } from './json.ts'
import { createReplyWriter } from './reply-writer.ts'
import { defineRoute } from './route.ts'

// verifies limits:connections:given-back
// Clients that neither read nor close, at every point of a connection. Each is given back at its limit.

const LIMITS = { headersMs: 300, requestMs: 300, keepAliveMs: 300, unreadMs: 300 }
/** More than the buffers of all systems on the way take. */
const LARGE = Buffer.alloc(20_000_000, 'x')

const HOST = 'Host: 127.0.0.1\r\n'
const WEBSOCKET =
  'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n'

const get = (path: string, lines = '', version = '1.1'): string => `GET ${path} HTTP/${version}\r\n${HOST}${lines}\r\n`
const post = (path: string, body: string, lines = '', version = '1.1'): string =>
  `POST ${path} HTTP/${version}\r\n${HOST}Content-Length: ${body.length}\r\n${lines}\r\n${body}`

/** A frame of a client, masked with zeros. */
const frame = (opcode: number, payload: string): string =>
  String.fromCharCode(0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0) + payload

/** Bytes with which nothing, or nothing good, can be asked for. */
const FAULTS: readonly (readonly [name: string, bytes: string])[] = [
  ['says nothing', ''],
  ['says half of a head', 'GET /x HT'],
  ['says half of a line', get('/page').slice(0, -4)],
  ['sends what is not a request', 'no request\r\n\r\n'],
  ['sends a large head', get('/page', `X: ${'y'.repeat(40_000)}\r\n`)],
  ['asks for a tunnel', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n'],
  ['begins TLS', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03'],
  ['greets in HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0'],
  ['asks for HTTP/2', get('/page', 'Upgrade: h2c\r\nConnection: Upgrade\r\n')],
  ['asks for a WebSocket where there is none', get('/page', WEBSOCKET)],
  ['asks for nothing known', get('/nothing')],
]

const API: readonly (readonly [name: string, bytes: string])[] = [
  ...FAULTS,
  ['says no more after a reply', get('/page')],
  ['says no more after a plain reply', post('/json', '{}')],
  ['says no more after the last reply', post('/json', '{}', 'Connection: close\r\n')],
  ['says no more after a reply of HTTP/1.0', get('/page', '', '1.0')],
  ['takes nothing of a reply', get('/large')],
  ['takes nothing of a plain reply', post('/large', '{}')],
  ['takes nothing of the last reply', get('/large', 'Connection: close\r\n')],
  ['takes nothing of the last plain reply', post('/large', '{}', 'Connection: close\r\n')],
  ['takes nothing of a reply in HTTP/1.0', get('/large', '', '1.0')],
  ['takes nothing of replies and sends garbage', `${get('/large')}no request\r\n\r\n`],
  ['takes nothing of many plain replies', post('/large', '{}').repeat(1000)],
  ['takes nothing of many replies', get('/large').repeat(1000)],
  ['takes nothing of a stream', get('/stream')],
  ['takes nothing of a plain stream', post('/stream', '{}')],
  ['takes nothing of a reply instead of a WebSocket', get('/large', WEBSOCKET)],
  ['sends half of a body', post('/json', '{}').slice(0, -1)],
  ['sends half of a chunk', `POST /json HTTP/1.1\r\n${HOST}${CHUNKED}3\r\n{`],
  [
    'does not send the body that was asked for',
    `POST /json HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nContent-Length: 5\r\n\r\n`,
  ],
  ['sends half of a body that nobody reads', post('/large', '{}').slice(0, -1)],
  ['sends half of a body that is too large', `POST /json HTTP/1.1\r\n${HOST}Content-Length: 500000000\r\n\r\nabc`],
  ['names another host', get('/page').replace('127.0.0.1', 'elsewhere.example')],
  ['says nothing on a WebSocket', get('/socket', WEBSOCKET)],
  ['says half of a frame on a WebSocket', get('/socket', WEBSOCKET) + frame(1, 'hello').slice(0, 4)],
  ['breaks the protocol of a WebSocket', `${get('/socket', WEBSOCKET)}\xff\xff\xff\xff`],
  ['sends bytes on a WebSocket', get('/socket', WEBSOCKET) + frame(2, 'hello')],
  ['closes a WebSocket and stays', get('/socket', WEBSOCKET) + frame(8, '\x03\xe8')],
  ['takes nothing on a WebSocket', get('/socket', WEBSOCKET) + frame(1, 'flood')],
  ['is refused a WebSocket', get('/socket', WEBSOCKET.replace('Version: 13', 'Version: 99'))],
]

const DIAGNOSTICS: readonly (readonly [name: string, bytes: string])[] = [
  ...FAULTS,
  ['says no more after a reply', get('/debug/pprof/')],
  ['says no more after the last reply', get('/debug/pprof/runtime', 'Connection: close\r\n')],
  ['takes nothing of many replies', get('/debug/pprof/').repeat(50_000)],
  ['sends half of a body', 'POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 50\r\n\r\nab'],
]

const route = { access: 'any', family: 'compatible', tag: 'test', summary: 'test' } as const

function startApi() {
  const bodies = createBodyReader({ maxBytes: 1000, idleMs: 300, totalBytes: 100_000 })
  const define = (method: 'GET' | 'POST', path: string, handler: Parameters<typeof defineRoute>[0]['handler']) =>
    defineRoute({ ...route, method, path, handler })
  const stream: Parameters<typeof defineRoute>[0]['handler'] = async (call) => {
    const writer = createReplyWriter(call, { compression: { enabled: false, minLength: 0 }, stallMs: 300 })
    writer.startStream('text/plain')
    while (!call.abort.aborted) await writer.write(LARGE.subarray(0, 100_000))
    return ALREADY_SENT
  }
  const large: Parameters<typeof defineRoute>[0]['handler'] = (call) => {
    call.outgoing.writeHead(200, { 'Content-Length': LARGE.length })
    call.outgoing.end(LARGE)
    return ALREADY_SENT
  }
  const routes = [
    define('GET', '/page', () => json({})),
    define('GET', '/large', large),
    define('POST', '/large', large),
    define('GET', '/stream', stream),
    define('POST', '/stream', stream),
    define('POST', '/json', async (call) => {
      ;(await bodies.read(call)).release()
      return json({})
    }),
    defineRoute({
      ...route,
      method: 'GET',
      path: '/socket',
      socket: { protocols: [] },
      handler: () => json({}),
      async serveSocket(socket) {
        for await (const { bytes } of socket.messages({ until: socket.call.signal })) {
          if (String(bytes) === 'flood') await socket.send(LARGE.toString('latin1'))
        }
      },
    }),
  ]
  return startTestApp(routes, {
    bodies,
    connectionLimits: LIMITS,
    sockets: { pingMs: 150, stallMs: 300, closeMs: 300 },
  })
}

async function startDiagnostics() {
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const listener = await openDiagnostics({
    address: { host: '127.0.0.1', port: 0 },
    clock: systemClock,
    log,
    limits: LIMITS,
  })
  return { url: listener.url, [Symbol.asyncDispose]: () => listener.close() }
}

it.each([
  { name: 'the API', start: startApi, clients: API, how: 'stays open' },
  { name: 'the API', start: startApi, clients: API, how: 'ends its half' },
  { name: 'the profiling listener', start: startDiagnostics, clients: DIAGNOSTICS, how: 'stays open' },
  { name: 'the profiling listener', start: startDiagnostics, clients: DIAGNOSTICS, how: 'ends its half' },
])('$name gives every client back that neither reads nor closes, and $how', async ({ start, clients, how }) => {
  await using listener = await start()
  const port = Number(new URL(listener.url).port)
  const accepted = watchAccepted(port)
  onTestFinished(() => accepted.close())
  const names = new Map<number | undefined, string>()
  for (const [client, bytes] of clients) {
    const socket: Socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    socket.on('error', () => undefined).pause()
    names.set(socket.localPort, client)
    socket.write(bytes, 'latin1')
    if (how === 'ends its half') socket.end()
  }
  await eventually(() => expect(accepted.sockets).toHaveLength(clients.length))
  const seen = accepted.sockets.map((socket) => ({ socket, name: names.get(socket.remotePort) }))
  const listHeld = () => seen.filter(({ socket }) => !socket.destroyed).map(({ name }) => name)
  await eventually(() => expect(listHeld()).toEqual([]))
})
