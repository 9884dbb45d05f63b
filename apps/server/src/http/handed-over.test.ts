import { connect, type Socket } from 'node:net'
import { createDeferred } from '@svc/test-kit'
import { Hono } from 'hono'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type HttpReader, type Listener, type ListenOptions, listen } from './listen.ts'

// Node's HTTP server listens nowhere here: it gets every connection from another server.

const HEAD = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'
/** The bytes with which the reader hands a connection over. */
const ODD_HEAD = 'GET / HTTP/1.1\r\nHost: localhost\r\nX-A: b\r\nX-A: c\r\n\r\n'

async function start(options: ListenOptions, app = new Hono().all('*', (context) => context.text('ok'))) {
  const listener = await listen(app as never, { host: '127.0.0.1', port: 0 }, options)
  onTestFinished(() => listener.destroy())
  return listener
}

async function open({ port }: Listener, bytes = '') {
  const socket: Socket = connect(port, '127.0.0.1')
  let text = ''
  socket
    .on('error', () => undefined)
    .on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      socket.emit('heard')
    })
  onTestFinished(() => void socket.destroy())
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(text)))
  await new Promise((resolve) => socket.once('connect', resolve))
  if (bytes !== '') socket.write(bytes)
  return {
    socket,
    closed,
    async hears(part: string): Promise<string> {
      while (!text.includes(part)) await new Promise((resolve) => socket.once('heard', resolve))
      return text
    },
  }
}

const READERS: readonly HttpReader[] = ['own', 'node']

describe.each(READERS)('a connection of Node, with --http-reader %s', (httpReader) => {
  it.each([
    ['half a head', 'GET / HTTP/1.1\r\nHo', { headersMs: 100 }],
    ['half a head behind a request', `${ODD_HEAD}GET / HT`, { headersMs: 100 }],
    [
      'half a body',
      'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na',
      { headersMs: 100, requestMs: 100 },
    ],
  ])('ends after %s', async (_, bytes, limits) => {
    const waiting = new Hono().all('*', async (context) => context.text(await context.req.text().catch(() => '')))
    const client = await open(await start({ httpReader, limits }, waiting), bytes)
    expect(await client.closed).toMatch(/HTTP\/1\.1 400 Bad Request\r\nConnection: close\r\n/)
  })

  it('ends when it has been idle', async () => {
    const client = await open(await start({ httpReader, limits: { keepAliveMs: 100 } }), ODD_HEAD)
    expect(await client.closed).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*ok$/)
  })

  it('ends at a stop: idle ones now, busy ones with their reply', async () => {
    const released = createDeferred<void>()
    const started = createDeferred<void>()
    const app = new Hono()
      .get('/slow', async (context) => {
        started.resolve()
        await released.promise
        return context.text('slow')
      })
      .all('*', (context) => context.text('ok'))
    const listener = await start({ httpReader }, app)
    const idle = await open(listener, ODD_HEAD)
    await idle.hears('ok')
    const half = await open(listener, 'GET / HT')
    const busy = await open(listener, HEAD.replace('/', '/slow'))
    await started.promise
    const drained = listener.drain()
    await idle.closed
    await half.closed
    released.resolve()
    expect(await busy.closed).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*slow$/)
    await drained
  })

  it('is cut when the server is destroyed', async () => {
    const listener = await start(
      { httpReader },
      new Hono().all('*', () => new Promise<Response>(() => undefined)),
    )
    const clients = [await open(listener, ODD_HEAD), await open(listener, 'GET / HT'), await open(listener)]
    const drained = listener.drain()
    listener.destroy()
    for (const { closed } of clients) await closed
    await drained
  })

  it('may ask for another protocol again and again', async () => {
    const warned = vi.fn()
    process.on('warning', warned)
    onTestFinished(() => void process.off('warning', warned))
    const client = await open(await start({ httpReader }))
    const asking = 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'
    const reply = /HTTP\/1\.1 200 OK\r\n/g
    for (let count = 1; count <= 30; count += 1) {
      client.socket.write(asking)
      while (((await client.hears('ok')).match(reply) ?? []).length < count)
        await new Promise((resolve) => client.socket.once('heard', resolve))
    }
    expect(warned).not.toHaveBeenCalled()
  })
})
