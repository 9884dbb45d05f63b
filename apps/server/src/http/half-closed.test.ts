import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createDeferred, eventually, watchAccepted } from '@svc/test-kit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startTestApp } from '../../test/support/test-app.ts'
import { createBodyReader } from './body.ts'
import { ALREADY_SENT } from './http-reply.ts'
import { json } from './json.ts'
import { defineRoute } from './route.ts'

const route = { access: 'any', family: 'compatible', tag: 'test', summary: 'test' } as const
const HOST = 'Host: localhost\r\n'
const WEBSOCKET =
  'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
const CHUNKS = 'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'

/** A server whose replies wait: replies of `/whole` come whole, replies of `/stream` in pieces. */
async function startWorld() {
  const released = createDeferred<void>()
  const served: string[] = []
  const left: string[] = []
  const bodies = createBodyReader({ maxBytes: 100_000, idleMs: 30_000, totalBytes: 1_000_000 })
  const define = (method: 'GET' | 'POST', path: string, reply: 'whole' | 'stream') =>
    defineRoute({
      ...route,
      method,
      path,
      async handler(call) {
        served.push(path)
        call.abort.addEventListener('abort', () => left.push(path))
        if (method === 'POST') (await bodies.read(call)).release()
        await released.promise
        if (reply === 'whole') return json({ answer: 'whole' })
        call.outgoing.writeHead(200, { 'Content-Type': 'text/plain' })
        for (const piece of ['one,', 'two,', 'three']) {
          call.outgoing.write(piece)
          await new Promise((resolve) => setImmediate(resolve))
        }
        call.outgoing.end()
        return ALREADY_SENT
      },
    })
  const app = await startTestApp(
    [
      define('POST', '/whole', 'whole'),
      define('POST', '/stream', 'stream'),
      define('GET', '/page', 'whole'),
      define('GET', '/feed', 'stream'),
      defineRoute({
        ...route,
        method: 'POST',
        path: '/begun',
        async handler(call) {
          call.abort.addEventListener('abort', () => left.push('/begun'))
          call.outgoing.writeHead(200, { 'Content-Type': 'text/plain' })
          call.outgoing.write('first,')
          served.push('/begun')
          await released.promise
          return ALREADY_SENT
        },
      }),
    ],
    { bodies },
  )
  onTestFinished(() => app[Symbol.asyncDispose]())
  const accepted = watchAccepted(Number(new URL(app.url).port))
  onTestFinished(() => accepted.close())
  return { app, served, left, sockets: accepted.sockets, release: () => released.resolve() }
}

async function open(url: string) {
  const socket: Socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
  let text = ''
  socket
    .on('error', () => undefined)
    .on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
    })
  onTestFinished(() => void socket.destroy())
  const ended = once(socket, 'end')
  await once(socket, 'connect')
  return { socket, ended, text: () => text }
}

const WHOLE = /\{"answer":"whole"\}/g
const STREAM = /one,[\s\S]*two,[\s\S]*three/g

// verifies limits:connections:half-closed
describe('a client that ends its half behind its request', () => {
  it.each<readonly [name: string, sent: string, served: number, reply: RegExp, replies: number]>([
    ['a plain request', `POST /whole HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\n{}`, 1, WHOLE, 1],
    ['a plain request for a stream', `POST /stream HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\n{}`, 1, STREAM, 1],
    ['chunks', `POST /whole HTTP/1.1\r\n${HOST}${CHUNKS}`, 1, WHOLE, 1],
    ['chunks for a stream', `POST /stream HTTP/1.1\r\n${HOST}${CHUNKS}`, 1, STREAM, 1],
    ['GET', `GET /page HTTP/1.1\r\n${HOST}\r\n`, 1, WHOLE, 1],
    ['GET of a stream', `GET /feed HTTP/1.1\r\n${HOST}\r\n`, 1, STREAM, 1],
    ['GET, Connection: close', `GET /page HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`, 1, WHOLE, 1],
    ['HTTP/1.0', `GET /page HTTP/1.0\r\n${HOST}\r\n`, 1, WHOLE, 1],
    ['HTTP/1.0 with a body', `POST /whole HTTP/1.0\r\n${HOST}Content-Length: 2\r\n\r\n{}`, 1, WHOLE, 1],
    [
      'a body that waits to be asked for',
      `POST /whole HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`,
      1,
      WHOLE,
      1,
    ],
    [
      'another protocol in vain',
      `GET /page HTTP/1.1\r\n${HOST}Upgrade: h2c\r\nConnection: Upgrade\r\n\r\n`,
      1,
      WHOLE,
      1,
    ],
    ['a WebSocket where there is none', `GET /page HTTP/1.1\r\n${HOST}${WEBSOCKET}\r\n`, 1, WHOLE, 1],
    ['two at once', `GET /page HTTP/1.1\r\n${HOST}\r\n`.repeat(2), 2, WHOLE, 2],
    ['two plain ones at once', `POST /whole HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\n{}`.repeat(2), 2, WHOLE, 2],
    ['garbage behind it', `GET /page HTTP/1.1\r\n${HOST}\r\nno request\r\n\r\n`, 1, WHOLE, 1],
    ['half a head behind it', `GET /page HTTP/1.1\r\n${HOST}\r\nGET / HT`, 1, WHOLE, 1],
    ['half a body', `POST /whole HTTP/1.1\r\n${HOST}Content-Length: 3\r\n\r\n{}`, 0, WHOLE, 0],
    ['half a chunk', `POST /whole HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3\r\n{}`, 0, WHOLE, 0],
  ])('gets its reply, and the connection ends: %s', async (_, sent, served, reply, replies) => {
    const world = await startWorld()
    const client = await open(world.app.url)
    client.socket.end(sent)
    if (served > 0) await eventually(() => expect(world.served).toHaveLength(1))
    await eventually(() => expect(world.sockets[0]?.readableEnded).toBe(true))
    world.release()
    await client.ended
    expect(client.text().match(reply) ?? []).toHaveLength(replies)
    if (served > 0) expect(world.served).toHaveLength(served)
    await eventually(() => expect(world.sockets.map(({ destroyed }) => destroyed)).toEqual([true]))
  })
})

describe.each([
  ['plain', `POST /whole HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\n{}`],
  ['in chunks', `POST /whole HTTP/1.1\r\n${HOST}${CHUNKS}`],
  ['GET', `GET /page HTTP/1.1\r\n${HOST}\r\n`],
  ['that asked to leave HTTP', `GET /page HTTP/1.1\r\n${HOST}${WEBSOCKET}\r\n`],
])('a half-closed client of a request %s', (_, request) => {
  it('is asked whether it waits', async () => {
    const world = await startWorld()
    const client = await open(world.app.url)
    client.socket.end(request)
    await eventually(() => expect(client.text().startsWith(CONTINUE.repeat(3))).toBe(true))
    expect(world.left).toEqual([])
    world.release()
    await client.ended
    expect(client.text().replaceAll(CONTINUE, '')).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*"whole"/)
  })

  it('is noticed when it leaves', async () => {
    const world = await startWorld()
    const client = await open(world.app.url)
    client.socket.end(request)
    await eventually(() => expect(world.served).toHaveLength(1))
    client.socket.destroy()
    await eventually(() => expect(world.left).toHaveLength(1))
    await eventually(() => expect(world.sockets[0]?.destroyed).toBe(true))
  })
})

it.each([
  ['plain', `POST /begun HTTP/1.1\r\n${HOST}Content-Length: 0\r\n\r\n`],
  ['in chunks', `POST /begun HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
])('a client that ends its half while its reply comes has left: %s', async (_, request) => {
  const world = await startWorld()
  const client = await open(world.app.url)
  client.socket.write(request)
  await eventually(() => expect(client.text()).toContain('first,'))
  client.socket.end()
  await eventually(() => expect(world.left).toEqual(['/begun']))
  await eventually(() => expect(world.sockets[0]?.destroyed).toBe(true))
})
