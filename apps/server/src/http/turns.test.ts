import { connect, type Socket } from 'node:net'
import { createDeferred } from '@svc/test-kit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startTestApp, type TestApp } from '../../test/support/test-app.ts'
import { createBodyReader } from './body.ts'
import { ALREADY_SENT } from './http-reply.ts'
import { json } from './json.ts'
import { defineRoute } from './route.ts'

const AHEAD = 65_536
const route = { access: 'any', family: 'compatible', tag: 'test', summary: 'test', method: 'POST' } as const

/** A server whose `/slow` waits to be released, and whose `/begun` begins its reply and then waits. */
async function slowWorld() {
  const served: string[] = []
  const started = createDeferred<void>()
  const released = createDeferred<void>()
  const left = createDeferred<void>()
  const bodies = createBodyReader({ maxBytes: 1_000_000, idleMs: 30_000, totalBytes: 10_000_000 })
  const app = await startTestApp(
    [
      defineRoute({
        ...route,
        path: '/slow',
        async handler(call) {
          served.push('slow')
          ;(await bodies.read(call)).release()
          call.abort.addEventListener('abort', () => left.resolve())
          started.resolve()
          await released.promise
          return json({ slow: true })
        },
      }),
      defineRoute({
        ...route,
        path: '/begun',
        async handler(call) {
          ;(await bodies.read(call)).release()
          call.outgoing.writeHead(200, { 'Content-Type': 'text/plain' })
          call.outgoing.write('first,')
          started.resolve()
          await released.promise
          call.outgoing.end('last')
          return ALREADY_SENT
        },
      }),
      defineRoute({
        ...route,
        path: '/body',
        async handler(call) {
          served.push('body')
          const held = await bodies.read(call)
          held.release()
          return json({ size: held.bytes.length })
        },
      }),
    ],
    { bodies },
  )
  onTestFinished(() => app[Symbol.asyncDispose]())
  return { app, served, started: started.promise, release: () => released.resolve(), left: left.promise }
}

function open(app: TestApp) {
  const socket: Socket = connect(Number(new URL(app.url).port), '127.0.0.1')
  let text = ''
  const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve))
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    socket.emit('heard')
  })
  onTestFinished(() => void socket.destroy())
  return {
    socket,
    closed,
    text: () => text,
    async until(part: string): Promise<string> {
      while (!text.includes(part)) await new Promise((resolve) => socket.once('heard', resolve))
      return text
    },
  }
}

// A length lets the server read the request itself, chunks leave it to Node.
const READERS = [
  ['the server', 'Content-Length: 2\r\n\r\n{}'],
  ['Node', 'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'],
] as const

const request = (path: string, rest: string): string => `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${rest}`

describe.each(READERS)('while a reply is awaited on a connection that %s reads', (_, rest) => {
  it.each([
    ['requests', request('/body', rest).repeat(4000)],
    ['one large body', request('/body', `Content-Length: 1000000\r\n\r\n${'x'.repeat(1_000_000)}`)],
    [
      'a large body in chunks',
      request('/body', `Transfer-Encoding: chunked\r\n\r\n${`400\r\n${'x'.repeat(1024)}\r\n`.repeat(500)}`),
    ],
    ['large replies to come', `GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(8000)],
    ['what is not a request', 'x'.repeat(300_000)],
  ])('too much read ahead ends it, and the call: %s', async (_name, ahead) => {
    const { app, served, started, left } = await slowWorld()
    const client = open(app)
    client.socket.write(request('/slow', rest))
    await started
    client.socket.write(ahead)
    await left
    await client.closed
    expect(served).toEqual(['slow'])
    expect(client.text()).toBe('')
  })

  it.each([
    ['a request', request('/body', rest)],
    ['half a request', request('/body', 'Content-Length: 50000\r\n\r\nabc')],
    ['many requests', request('/body', rest).repeat(AHEAD / 2 / request('/body', rest).length)],
    ['a body', request('/body', `Content-Length: 50000\r\n\r\n${'x'.repeat(50_000)}`)],
    ['what is not a request', 'x'.repeat(1000)],
  ])('a client that leaves behind %s is noticed', async (_name, ahead) => {
    const { app, started, left } = await slowWorld()
    const client = open(app)
    client.socket.write(request('/slow', rest))
    await started
    await new Promise((resolve) => client.socket.write(ahead, resolve))
    client.socket.destroy()
    await left
  })

  it('requests are answered in turn', async () => {
    const { app, served, started, release } = await slowWorld()
    const client = open(app)
    client.socket.write(request('/slow', rest))
    await started
    client.socket.write(request('/body', `Content-Length: 40000\r\n\r\n${'x'.repeat(40_000)}`) + request('/body', rest))
    await app.call('/nothing')
    expect(served).toEqual(['slow'])
    release()
    expect(await client.until('{"size":2}')).toMatch(/\{"slow":true\}[\s\S]*\{"size":40000\}[\s\S]*\{"size":2\}$/)
    expect(served).toEqual(['slow', 'body', 'body'])
  })

  it('what is not a request is refused behind the reply, not in it', async () => {
    const { app, started, release } = await slowWorld()
    const client = open(app)
    client.socket.write(request('/begun', rest))
    await started
    client.socket.write('no request\r\n\r\n')
    await app.call('/nothing')
    release()
    await client.closed
    expect(client.text()).toMatch(
      /^HTTP\/1\.1 200 OK[\s\S]*\r\nfirst,\r\n4\r\nlast\r\n0\r\n\r\nHTTP\/1\.1 400 Bad Request\r\n/,
    )
  })

  it('a body is asked for in turn, and where it is wanted', async () => {
    const { app, started, release } = await slowWorld()
    const client = open(app)
    const expecting = (path: string): string => request(path, 'Expect: 100-continue\r\nContent-Length: 3\r\n\r\n')
    client.socket.write(request('/begun', rest) + expecting('/body'))
    await started
    await app.call('/nothing')
    expect(client.text()).not.toContain('100 Continue')
    release()
    expect(await client.until('100 Continue')).toMatch(/last\r\n0\r\n\r\nHTTP\/1\.1 100 Continue\r\n\r\n$/)
    client.socket.write(`abc${expecting('/nothing')}`)
    expect(await client.until('HTTP/1.1 404 ')).toMatch(/100 Continue[\s\S]*\{"size":3\}HTTP\/1\.1 404 /)
    expect(client.text().match(/100 Continue/g)).toHaveLength(1)
    await client.closed
  })

  it('a body that breaks its framing gets one reply', async () => {
    const { app, served } = await slowWorld()
    const client = open(app)
    client.socket.write(request('/body', rest) + request('/body', 'Transfer-Encoding: chunked\r\n\r\nzz\r\n'))
    await client.closed
    expect(client.text()).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*\{"size":2\}HTTP\/1\.1 400 Bad Request\r\n/)
    expect(served.slice(0, 1)).toEqual(['body'])
  })
})

describe('the name of the server', () => {
  const lines = 'POST /body HTTP/1.1\r\nContent-Length: 0\r\n\r\n'

  it.each([
    ['read by the server', [lines]],
    ['read by Node', [lines.slice(0, 9), lines.slice(9)]],
  ])('has to be said in HTTP/1.1: %s', async (_, pieces) => {
    const { app, served } = await slowWorld()
    const client = open(app)
    for (const piece of pieces) await new Promise((resolve) => client.socket.write(piece, resolve))
    expect(await client.until('}}')).toMatch(/^HTTP\/1\.1 400 [\s\S]*an HTTP\/1\.1 request needs a Host header/)
    expect(served).toEqual([])
  })

  it('may lack in HTTP/1.0', async () => {
    const { app } = await slowWorld()
    const client = open(app)
    client.socket.write('GET /nothing HTTP/1.0\r\n\r\n')
    await client.closed
    expect(client.text()).toMatch(/^HTTP\/1\.1 4(?:04|21) /)
  })
})
