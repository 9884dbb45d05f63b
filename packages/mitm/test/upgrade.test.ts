import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { listenOnFreePort, trackSockets } from '@svc/test-kit'
import { expect, it } from 'vitest'
import WebSocket, { WebSocketServer } from 'ws'
import { connectThrough, http2Through, LISTED, startWorld, tlsThrough, type World } from './world.ts'

/** A host that echoes the messages of WebSockets. */
async function startEcho(world: World) {
  const server = createServer(world.upstreamCa.issue([LISTED]), (_request, response) => {
    response.writeHead(426, { 'x-why': 'no upgrade' })
    response.end('upgrade needed')
  })
  const sockets = trackSockets(server)
  server.on('secureConnection', (socket) => socket.on('error', () => {}))
  const websockets = new WebSocketServer({ noServer: true })
  const seen: IncomingMessage[] = []
  server.on('upgrade', (request, socket, head) => {
    seen.push(request)
    if (request.url === '/refused') {
      socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno')
      return
    }
    if (request.url === '/silent') return
    if (request.url?.startsWith('/switch') === true) {
      const accept = decodeURIComponent(request.url.slice('/switch'.length))
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n${accept}\r\n`)
      return
    }
    websockets.handleUpgrade(request, socket, head, (websocket) => {
      websocket.send('welcome')
      websocket.on('message', (message) => websocket.send(`echo ${message}`))
    })
  })
  const port = await listenOnFreePort(server)
  return { seen, world: { ...world, target: `${LISTED}:${port}` }, [Symbol.asyncDispose]: sockets.close }
}

it('a WebSocket over HTTP/1.1 works both ways, and is reported', async () => {
  await using world = await startWorld()
  await using echo = await startEcho(world)
  const { socket } = await connectThrough(world.proxy, echo.world.target)
  const websocket = new WebSocket(`wss://${echo.world.target}/live?x`, {
    createConnection: (options: object) =>
      connectTls({ ...options, socket, ca: world.authority.certificate, servername: LISTED }),
  })
  const messages: string[] = []
  websocket.on('message', (message) => messages.push(String(message)))
  await once(websocket, 'open')
  websocket.send('hi')
  while (messages.length < 2) await once(websocket, 'message')
  expect(messages).toEqual(['welcome', 'echo hi'])
  expect(echo.seen[0]?.url).toBe('/live?x')
  websocket.close()
  expect(await world.event('traffic')).toMatchObject({
    upgraded: true,
    status: 101,
    outcome: 'relayed',
    scanned: undefined,
  })
  expect(world.proxy.counts.intercepted).toBe(0)
})

it('a WebSocket over HTTP/2 works both ways, and leaves other streams alone', async () => {
  await using world = await startWorld()
  await using echo = await startEcho(world)
  const session = await http2Through(echo.world)
  await once(session, 'remoteSettings')
  expect(session.remoteSettings.enableConnectProtocol).toBe(true)
  const stream: Duplex = session.request({
    ':method': 'CONNECT',
    ':protocol': 'websocket',
    ':path': '/live',
    'sec-websocket-version': '13',
  })
  const [headers] = await once(stream, 'response')
  expect([headers[':status'], headers['sec-websocket-accept']]).toEqual([200, undefined])
  // Masked text frame: `hi`.
  stream.write(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69]))
  let received = ''
  stream.on('data', (bytes) => {
    received += bytes
  })
  while (!received.includes('echo hi')) await once(stream, 'data')
  const other = session.request({ ':path': '/plain' })
  other.resume()
  expect((await once(other, 'response'))[0][':status']).toBe(426)
  stream.destroy()
  expect(await world.event('traffic', 1)).toMatchObject({
    upgraded: true,
    clientProtocol: 'h2',
    upstreamProtocol: 'http/1.1',
  })
  session.destroy()
})

it('a refusal of the host is relayed, over both protocols', async () => {
  await using world = await startWorld()
  await using echo = await startEcho(world)
  const tls = await tlsThrough(world.proxy, echo.world.target, { ca: world.authority.certificate })
  const outgoing = httpRequest({
    createConnection: () => tls,
    path: '/refused',
    headers: { host: echo.world.target, connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-key': 'x' },
  })
  outgoing.end()
  const [reply] = (await once(outgoing, 'response')) as [IncomingMessage]
  expect(reply.statusCode).toBe(403)
  for await (const bytes of reply) expect(String(bytes)).toBe('no')
  const session = await http2Through(echo.world)
  await once(session, 'remoteSettings')
  const stream = session.request({ ':method': 'CONNECT', ':protocol': 'websocket', ':path': '/refused' })
  expect((await once(stream, 'response'))[0][':status']).toBe(403)
  session.destroy()
})

it.each(['', 'sec-websocket-accept:%20x%0d%0a'])(
  'over HTTP/2, an answer of the host with the key "%s" is refused',
  async (accept) => {
    await using world = await startWorld()
    await using echo = await startEcho(world)
    const session = await http2Through(echo.world)
    await once(session, 'remoteSettings')
    const path = `/switch${accept}`
    const stream = session.request({ ':method': 'CONNECT', ':protocol': 'websocket', ':path': path })
    stream.on('error', () => {})
    expect((await once(stream, 'response'))[0][':status']).toBe(502)
    expect(String((await once(stream, 'data'))[0])).toContain('the upstream failed: its reply is not valid HTTP')
    session.destroy()
    expect(await world.event('traffic')).toMatchObject({ upgraded: false, status: 502, outcome: 'failed' })
  },
)

it('a host that does not answer a handshake is given up', async () => {
  await using world = await startWorld({ limits: { replyMs: 50 } })
  await using echo = await startEcho(world)
  const session = await http2Through(echo.world)
  await once(session, 'remoteSettings')
  const stream = session.request({ ':method': 'CONNECT', ':protocol': 'websocket', ':path': '/silent' })
  stream.on('error', () => {})
  expect((await once(stream, 'response'))[0][':status']).toBe(502)
  expect(String((await once(stream, 'data'))[0])).toContain('the upstream did not answer in time')
  session.destroy()
})

it.each(['h2c', 'connect-udp', 'tls/1.0'])('the protocol %s is refused', async (protocol) => {
  await using world = await startWorld()
  const session = await http2Through(world)
  await once(session, 'remoteSettings')
  const stream = session.request({ ':method': 'CONNECT', ':protocol': protocol, ':path': '/v1/messages' })
  expect((await once(stream, 'response'))[0][':status']).toBe(400)
  expect(world.upstream.connections).toBe(0)
  session.destroy()
})

it('a CONNECT without a protocol is refused over HTTP/2', async () => {
  await using world = await startWorld()
  const session = await http2Through(world)
  const stream = session.request({ ':method': 'CONNECT', ':authority': world.target })
  expect((await once(stream, 'response'))[0][':status']).toBe(405)
  session.destroy()
})

it('a WebSocket ends on both sides when either leaves', async () => {
  await using world = await startWorld()
  await using echo = await startEcho(world)
  for (const end of ['client', 'proxy'] as const) {
    const tls = await tlsThrough(world.proxy, echo.world.target, { ca: world.authority.certificate })
    const lines = ['GET /live HTTP/1.1', `host: ${echo.world.target}`, 'connection: Upgrade', 'upgrade: websocket']
    tls.write(
      `${lines.join('\r\n')}\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${Buffer.alloc(16).toString('base64')}\r\n\r\n`,
    )
    const [answer] = await once(tls, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1.1 101 /)
    const upstreamSocket = echo.seen.at(-1)?.socket
    const closed = new Promise<void>((resolve) => upstreamSocket?.once('close', () => resolve()))
    if (end === 'client') tls.destroy()
    else await world.proxy.close()
    await closed
  }
})
