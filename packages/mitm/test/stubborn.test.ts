import { once } from 'node:events'
import { connect as connectTcp, createServer, type Socket } from 'node:net'
import { eventually, listenOnFreePort, trackSockets, watchAccepted } from '@svc/test-kit'
import { expect, it, onTestFinished } from 'vitest'
import { OTHER, startWorld, tlsThrough, type World } from './world.ts'

// verifies limits:connections:given-back
// Clients that neither read nor close, at every point of a connection. Each is given back at its limit.

const LIMITS = {
  askMs: 300,
  handshakeMs: 300,
  connectMs: 300,
  headerMs: 300,
  bodyMs: 300,
  filterMs: 300,
  replyMs: 300,
  idleMs: 300,
}
/** More than the buffers of all systems on the way take. */
const LARGE = Buffer.alloc(40_000_000, 'x')
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
const SETTINGS = '\0\0\0\x04\0\0\0\0\0'
/** Settings that let the other side send nothing. */
const NO_WINDOW = '\0\0\x06\x04\0\0\0\0\0\0\x04\0\0\0\0'

type Open = (world: World, flooding: { readonly port: number }) => Promise<Socket>

/** A client that sends bytes to the listener. */
const sending =
  (bytes: string): Open =>
  async (world) => {
    const socket = connectTcp({ port: world.proxy.port, host: '127.0.0.1', allowHalfOpen: true })
    await once(socket, 'connect')
    socket.write(bytes, 'latin1')
    return socket
  }

const connecting = (target: string): string => `CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n\r\n`

/** A client that opens a connection through the proxy and sends bytes in it. */
const through =
  (find: (world: World, flooding: { readonly port: number }) => string, bytes = ''): Open =>
  async (world, flooding) => {
    const socket = await sending(connecting(find(world, flooding)))(world, flooding)
    const [reply] = (await once(socket, 'data')) as [Buffer]
    expect(reply.toString('latin1')).toMatch(/^HTTP\/1\.1 200 /)
    socket.write(bytes, 'latin1')
    return socket
  }

/** A client that speaks TLS with the proxy and sends bytes in it. */
const speaking =
  (protocol: 'http/1.1' | 'h2', bytes: string | ((world: World) => string)): Open =>
  async (world) => {
    const tls = await tlsThrough(world.proxy, world.target, { ca: world.authority.certificate, protocols: [protocol] })
    tls.removeAllListeners('error')
    tls.write(typeof bytes === 'string' ? bytes : bytes(world), 'latin1')
    return tls
  }

const asking = (path: string, lines = ''): ((world: World) => string) => {
  return ({ target }) => `GET ${path} HTTP/1.1\r\nhost: ${target}\r\n${lines}\r\n`
}

const CLIENTS: readonly (readonly [name: string, open: Open])[] = [
  ['says nothing', sending('')],
  ['says half of a head', sending('CONN')],
  ['asks for a page', sending('GET / HTTP/1.1\r\nhost: a\r\n\r\n')],
  ['asks for pages without end', sending('GET / HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(20_000))],
  ['sends half of a body', sending('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 50\r\n\r\nab')],
  [
    'asks for another protocol',
    sending('GET / HTTP/1.1\r\nhost: a\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'),
  ],
  ['sends what is not a request', sending('no request\r\n\r\n')],
  ['begins TLS', sending('\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03')],
  ['sends a large head', sending(`GET / HTTP/1.1\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`)],
  ['is refused: no host', sending(connecting('nowhere'))],
  ['is refused: an unknown host', sending(connecting('nowhere.invalid:443'))],
  [
    'is refused: the proxy itself',
    async (world, flooding) => sending(connecting(`127.0.0.1:${world.proxy.port}`))(world, flooding),
  ],
  [
    'is refused and sends on',
    async (world, flooding) => sending(connecting('nowhere') + 'x'.repeat(1_000_000))(world, flooding),
  ],
  ['has gone round', sending('CONNECT a.example:1 HTTP/1.1\r\nhost: a\r\nx-svc-hop: 9\r\n\r\n')],
  ['says nothing in a tunnel', through((_, { port }) => `${OTHER}:${port}`)],
  ['takes nothing of a tunnel', through((_, { port }) => `${OTHER}:${port}`, 'flood')],
  ['says nothing to a listed host', through(({ target }) => target)],
  ['speaks no TLS to a listed host', through(({ target }) => target, 'GET / HTTP/1.1\r\n\r\n')],
  ['says half of a ClientHello to a listed host', through(({ target }) => target, '\x16\x03\x01')],
  ['says nothing in TLS', speaking('http/1.1', '')],
  ['says half of a head in TLS', speaking('http/1.1', 'GET / HT')],
  ['sends what is not a request in TLS', speaking('http/1.1', 'no request\r\n\r\n')],
  ['says no more after a reply', speaking('http/1.1', asking('/x'))],
  ['says no more after the last reply', speaking('http/1.1', asking('/x', 'connection: close\r\n'))],
  ['takes nothing of a reply', speaking('http/1.1', asking('/large'))],
  ['takes nothing of the last reply', speaking('http/1.1', asking('/large', 'connection: close\r\n'))],
  ['is refused in TLS', speaking('http/1.1', 'GET /x HTTP/1.1\r\nhost: elsewhere\r\n\r\n')],
  ['is refused twice in TLS', speaking('http/1.1', asking('/x', 'host: elsewhere\r\n'))],
  [
    'is refused another protocol in TLS',
    speaking('http/1.1', asking('/x', 'upgrade: other\r\nconnection: upgrade\r\n')),
  ],
  [
    'sends half of a scanned body',
    speaking(
      'http/1.1',
      ({ target }) => `POST /v1/messages HTTP/1.1\r\nhost: ${target}\r\ncontent-length: 50\r\n\r\nab`,
    ),
  ],
  [
    'sends half of another body',
    speaking('http/1.1', ({ target }) => `POST /x HTTP/1.1\r\nhost: ${target}\r\ncontent-length: 50\r\n\r\nab`),
  ],
  ['says nothing in HTTP/2', speaking('h2', '')],
  ['says half of the preface of HTTP/2', speaking('h2', PREFACE.slice(0, 10))],
  ['only greets in HTTP/2', speaking('h2', PREFACE + SETTINGS)],
  ['opens no window in HTTP/2', speaking('h2', PREFACE + NO_WINDOW)],
  ['breaks HTTP/2', speaking('h2', `${PREFACE}${SETTINGS}\0\0\x01\x08\0\0\0\0\0x`)],
]

/** A host that floods its client when it is asked to. */
async function startFlood() {
  const server = createServer((socket) => socket.on('data', () => void socket.write(LARGE)))
  const sockets = trackSockets(server)
  return { port: await listenOnFreePort(server), [Symbol.asyncDispose]: sockets.close }
}

it.each(['stays open', 'ends its half'] as const)(
  'every client that neither reads nor closes is given back: it %s',
  async (how) => {
    await using flooding = await startFlood()
    await using world = await startWorld({ limits: LIMITS })
    world.upstream.replyWith(({ path }) => ({ body: path === '/large' ? LARGE : '{}' }))
    const accepted = watchAccepted(world.proxy.port)
    onTestFinished(() => accepted.close())
    const held = new Map<Socket, string>()
    for (const [name, open] of CLIENTS) {
      const before = accepted.sockets.length
      const socket = await open(world, flooding)
      onTestFinished(() => void socket.destroy())
      socket.on('error', () => undefined).pause()
      if (how === 'ends its half') socket.end()
      await eventually(() => expect(accepted.sockets.length).toBe(before + 1))
      const [given] = accepted.sockets.slice(-1)
      if (given !== undefined) held.set(given, name)
    }
    const listHeld = () => [...held].filter(([socket]) => !socket.destroyed).map(([, name]) => name)
    await eventually(() => expect(listHeld()).toEqual([]))
    await eventually(() => expect(world.proxy.counts).toMatchObject({ tunnels: 0, intercepted: 0 }))
  },
)
