import { IncomingMessage } from 'node:http'
import { connect, Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { SvcError } from '@svc/errors'
import { createDeferred, eventually } from '@svc/test-kit'
import { Hono } from 'hono'
import { describe, expect, it, vi } from 'vitest'
import { HTTP_READER } from '../../test/support/http-reader.ts'
import { startTestApp } from '../../test/support/test-app.ts'
import { ALREADY_SENT } from './http-reply.ts'
import { json } from './json.ts'
import { listen } from './listen.ts'
import { defineRoute } from './route.ts'

describe('drain', () => {
  it('ends connections that never carried a request, and lets a running reply finish', async () => {
    let finish = (): void => undefined
    const running = new Promise<void>((resolve) => {
      finish = resolve
    })
    const begun = createDeferred<void>()
    const app = new Hono().get('/slow', async (context) => {
      begun.resolve()
      await running
      return context.text('done')
    })
    const listener = await listen(app as never, { host: '127.0.0.1', port: 0 })
    const unused = connect(listener.port, '127.0.0.1')
    await new Promise((resolve) => unused.once('connect', resolve))
    const reply = fetch(`${listener.url}/slow`)
    await begun.promise
    const closed = new Promise((resolve) => unused.once('close', resolve))
    const drained = listener.drain()
    await closed
    finish()
    expect(await (await reply).text()).toBe('done')
    await drained
  })
})

it('a connection that ends before it has carried a request is forgotten', async () => {
  const listener = await listen(new Hono() as never, { host: '127.0.0.1', port: 0 })
  for (const sent of ['POST / HT', 'no request\r\n\r\n', '']) {
    const socket = connect(listener.port, '127.0.0.1', () => socket.end(sent))
    await new Promise((resolve) => socket.resume().once('close', resolve))
  }
  await wait(20)
  const destroy = vi.spyOn(Socket.prototype, 'destroy')
  await listener.drain()
  expect(destroy).not.toHaveBeenCalled()
  destroy.mockRestore()
})

it('REL-3: a reply that nobody takes ends, also where Node writes it', async () => {
  const text = 'x'.repeat(20_000_000)
  const app = new Hono().get('/large', (context) => context.text(text))
  const listener = await listen(app as never, { host: '127.0.0.1', port: 0 }, { limits: { unreadMs: 50 } })
  const accepted = vi.spyOn(Socket.prototype, 'setTimeout')
  const client = connect(listener.port, '127.0.0.1', () => client.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n'))
  client.pause()
  await eventually(() => expect(accepted).toHaveBeenCalledWith(50))
  const [socket] = accepted.mock.contexts.slice(-1)
  accepted.mockRestore()
  await eventually(() => expect((socket as Socket).destroyed).toBe(true))
  client.resume()
  await new Promise((resolve) => client.on('error', () => undefined).once('close', resolve))
  expect(client.bytesRead).toBeLessThan(text.length)
  await listener.drain()
})

it('--http-reader says who reads a plain request', async () => {
  const seen: boolean[] = []
  const route = { access: 'any', family: 'compatible', tag: 'test', summary: 'test', method: 'POST' } as const
  const handler = ({ incoming }: { incoming: unknown }) => {
    seen.push(incoming instanceof IncomingMessage)
    return json({})
  }
  await using app = await startTestApp([defineRoute({ ...route, path: '/json', handler })])
  await exchange(app.url, ['POST /json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}'])
  expect(seen).toEqual([HTTP_READER === 'node'])
})

// Node reads a head in two pieces; the own reader reads a whole one.
describe('a reply', () => {
  const route = { access: 'any', family: 'compatible', tag: 'test', summary: 'test', method: 'POST' } as const
  const routes = [
    defineRoute({
      ...route,
      path: '/json',
      handler: (call) => json({ query: call.query('a'), header: call.header('x-a') }),
    }),
    defineRoute({
      ...route,
      path: '/chunks',
      handler(call) {
        call.outgoing.writeHead(200, { 'Content-Type': 'text/plain' })
        call.outgoing.write('one, é, ')
        call.outgoing.end('two')
        return ALREADY_SENT
      },
    }),
    defineRoute({
      ...route,
      path: '/fails',
      handler: () => {
        throw new SvcError('rate_limited', 'later', { retryAfterMs: 2000 })
      },
    }),
  ]

  it.each([
    ['/json?a=1', 'X-A: 2\r\n'],
    ['/json', 'Origin: http://localhost:1\r\nAccept-Encoding: gzip\r\n'],
    ['/json', 'Origin: https://elsewhere.example\r\n'],
    ['/json', 'Connection: close\r\n'],
    ['/json', 'Authorization: Bearer wrong\r\n'],
    ['/json', 'Host: elsewhere.example\r\n'],
    ['/chunks', ''],
    ['/fails', ''],
    ['/unknown', ''],
    ['/json/', ''],
  ])('is the same whoever has read the request: %s %j', async (path, lines) => {
    await using app = await startTestApp(routes)
    const host = lines.startsWith('Host') ? '' : 'Host: localhost\r\n'
    const head = `POST ${path} HTTP/1.1\r\n${host}${lines}X-Request-ID: mine\r\nContent-Length: 2\r\n\r\n`
    const whole = await exchange(app.url, [`${head}{}`])
    const inPieces = await exchange(app.url, [head.slice(0, 9), head.slice(9), '{}'])
    expect(whole).toEqual(inPieces)
    expect(whole.lines.length).toBeGreaterThan(5)
  })
})

/** The status line, the header lines in order of the alphabet, and the body as it came. */
async function exchange(
  url: string,
  pieces: readonly string[],
): Promise<{ start: string; lines: string[]; body: string }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let text = ''
  let isClosed = false
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
  })
  socket.on('close', () => {
    isClosed = true
  })
  for (const piece of pieces) {
    socket.write(piece)
    await wait(20)
  }
  await eventually(() => expect(isClosed || isWhole(text)).toBe(true))
  socket.destroy()
  const end = text.indexOf('\r\n\r\n')
  const [start = '', ...lines] = text.slice(0, end).split('\r\n')
  return { start, lines: lines.filter((line) => !line.startsWith('Date: ')).sort(), body: text.slice(end + 4) }
}

/** Whether a reply has come to its end. */
function isWhole(reply: string): boolean {
  const end = reply.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(reply.slice(0, end + 2))?.[1]
  return length === undefined ? reply.endsWith('\r\n0\r\n\r\n') : reply.length >= end + 4 + Number(length)
}
