import { connect, type Socket as NetSocket } from 'node:net'
import { createDeferred, eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { type ClientOptions, WebSocket } from 'ws'
import { toPerson } from '../../test/support/people.ts'
import { rawCall, startTestApp, type TestApp } from '../../test/support/test-app.ts'
import { createBodyReader } from './body.ts'
import { HttpReply } from './http-reply.ts'
import type { Route } from './route.ts'
import { type Socket, upgradeRequired } from './websocket.ts'

const LIMIT = 64 * 1024

/** A route whose socket answers each message through `answer`. */
function socketRoute(answer: (text: string, socket: Socket) => Promise<void>, fields: Partial<Route> = {}): Route {
  return {
    method: 'GET',
    path: '/echo',
    access: 'any',
    family: 'responses',
    tag: 'test',
    summary: '',
    socket: { protocols: ['plain'] },
    handler: (call) => {
      throw upgradeRequired(call)
    },
    async serveSocket(socket) {
      const forever = new AbortController().signal
      for await (const { bytes } of socket.messages({ until: forever })) {
        await answer(Buffer.from(bytes).toString('utf8'), socket)
      }
    },
    ...fields,
  }
}

const echo = socketRoute((text, socket) => socket.send(`echo ${text}`))

interface Client {
  readonly socket: WebSocket
  readonly heard: string[]
  readonly handshake: Promise<Record<string, string | string[] | undefined>>
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  hears(count: number): Promise<string[]>
}

function open(app: TestApp, options: ClientOptions = {}, protocols: string[] = [], path = '/echo'): Client {
  const socket = new WebSocket(`${app.url.replace('http', 'ws')}${path}`, protocols, options)
  const heard: string[] = []
  socket.on('message', (data) => heard.push(String(data)))
  socket.on('error', () => undefined)
  return {
    socket,
    heard,
    handshake: new Promise((resolve) => socket.once('upgrade', ({ headers }) => resolve(headers))),
    closed: new Promise((resolve) => {
      socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }))
    }),
    hears: (count) =>
      eventually(() => {
        expect(heard.length).toBeGreaterThanOrEqual(count)
        return heard
      }),
  }
}

/** Status, headers and body of an answer that is not a handshake. */
function refusal(app: TestApp, options: ClientOptions = {}, path = '/echo') {
  return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
    const socket = new WebSocket(`${app.url.replace('http', 'ws')}${path}`, options)
    socket.once('open', () => reject(new Error('it opened')))
    socket.on('error', () => undefined)
    socket.once('unexpected-response', (_request, reply) => {
      let text = ''
      reply.on('data', (chunk) => (text += String(chunk)))
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text }))
    })
  })
}

/** A connection that has shaken hands and then does what the test does. */
async function openRaw(app: TestApp, head = ''): Promise<NetSocket> {
  const { hostname, port, host } = new URL(app.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  socket.write(
    `GET /echo HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\n\r\n${head}`,
    'latin1',
  )
  await new Promise((resolve) => socket.once('data', resolve))
  return socket
}

/** A frame of a client, masked with zeros. */
function frame(opcode: number, payload: Buffer, isLast = true): Buffer {
  const length =
    payload.length < 126 ? [0x80 | payload.length] : [0x80 | 126, payload.length >> 8, payload.length & 255]
  return Buffer.concat([Buffer.from([(isLast ? 0x80 : 0) | opcode, ...length, 0, 0, 0, 0]), payload])
}

describe('the handshake', () => {
  it('opens the socket with the headers of every reply, and never agrees to compress', async () => {
    await using app = await startTestApp([echo], { machineTag: 'box' })
    const client = open(app, { perMessageDeflate: true, headers: { 'x-correlation-id': 'mine' } }, ['other', 'plain'])
    const headers = await client.handshake
    expect(headers).toMatchObject({ 'x-request-id': 'mine', 'machine-tag': 'box', 'sec-websocket-protocol': 'plain' })
    expect(headers).not.toHaveProperty('sec-websocket-extensions')
    client.socket.send('hello')
    expect(await client.hears(1)).toEqual(['echo hello'])
    client.socket.close(1000)
    expect(await client.closed).toMatchObject({ code: 1000 })
    await eventually(() => expect(app.logLines.join('')).toContain('"status":101'))
    expect(await (await app.metrics.registry()).metrics()).toContain('api_call_count{method="GET",path="/echo"} 1')
  })

  it('keeps what a client sends right behind it', async () => {
    const heard = createDeferred<string>()
    await using app = await startTestApp([socketRoute(async (text) => heard.resolve(text))])
    const raw = await openRaw(app, frame(1, Buffer.from('early')).toString('latin1'))
    expect(await heard.promise).toBe('early')
    raw.destroy()
  })

  it('without a wish for a WebSocket is 426, and the connection goes on', async () => {
    await using app = await startTestApp([echo])
    const reply = await app.call('/echo')
    expect([reply.status, reply.headers.upgrade, reply.headers.connection]).toEqual([426, 'websocket', 'Upgrade'])
    expect(reply.json()).toMatchObject({ error: { type: 'invalid_request', message: expect.any(String) } })
    expect((await fetch(`${app.url}/echo`)).status).toBe(426)
  })

  it('that is wrong is 400 in the words of the route', async () => {
    await using app = await startTestApp([echo])
    const ask = (fields: string) =>
      rawCall(
        app.url,
        `GET /echo HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${fields}\r\n`,
      )
    for (const fields of ['', 'Sec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n']) {
      const text = await ask(fields)
      expect(text).toMatch(/^HTTP\/1.1 400 /)
      expect(text).toContain('Sec-WebSocket-Version: 13, 8')
      expect(text).toContain('"type":"invalid_request"')
    }
  })

  it('is refused like a request: no key, a wrong key, another host, a page from elsewhere, another method', async () => {
    await using app = await startTestApp([echo], { keys: ['k'] })
    for (const headers of [{}, { authorization: 'Bearer wrong' }]) {
      const { status, headers: answered, text } = await refusal(app, { headers })
      expect([status, answered['www-authenticate']]).toEqual([401, 'Bearer'])
      expect(JSON.parse(text)).toMatchObject({ error: { message: 'An authentication key is required' } })
    }
    const page = { origin: 'https://evil.test', headers: { cookie: 'token=k' } }
    expect(await refusal(app, page)).toMatchObject({ status: 403 })
    const own = open(app, { origin: app.url, headers: { cookie: 'token=k' } })
    await own.handshake
    own.socket.terminate()
    const keyed = open(app, { origin: 'https://evil.test', headers: { authorization: 'Bearer k' } })
    await keyed.handshake
    keyed.socket.terminate()

    await using bare = await startTestApp([echo])
    expect(await refusal(bare, { headers: { host: 'evil.test' } })).toMatchObject({ status: 421 })
    expect(await refusal(bare, { origin: 'https://evil.test' })).toMatchObject({ status: 403 })
    expect(
      (await bare.call('/echo', { method: 'POST', headers: { connection: 'upgrade', upgrade: 'websocket' } })).status,
    ).toBe(405)
  })

  it('on an address without sockets is an ordinary request', async () => {
    const plain: Route = {
      ...echo,
      path: '/plain',
      socket: undefined,
      serveSocket: undefined,
      handler: () => new HttpReply('hi'),
    }
    await using app = await startTestApp([plain])
    expect(await refusal(app, {}, '/plain')).toMatchObject({ status: 200, text: 'hi' })
    expect(await refusal(app, {}, '/nowhere')).toMatchObject({ status: 404 })
  })

  it('for another protocol is served as if it had not been asked for, its body and what follows too', async () => {
    const bodies = createBodyReader({ maxBytes: LIMIT, idleMs: 1000, totalBytes: LIMIT })
    const post: Route = {
      ...echo,
      method: 'POST',
      path: '/post',
      handler: async (call) => new HttpReply(`${Buffer.from((await bodies.read(call)).bytes)} ${call.header('x-a')};`),
    }
    await using app = await startTestApp([post])
    const ask = (upgrade: string, last: string) =>
      `POST /post HTTP/1.1\r\nHost: localhost\r\nX-A: ä\r\nConnection: ${last}\r\n${upgrade}Content-Length: 5\r\n\r\nhello`
    const h2c = 'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n'
    const text = await rawCall(app.url, ask(h2c, 'Upgrade, HTTP2-Settings') + ask('', 'close'))
    expect(text.match(/HTTP\/1.1 200 OK/g)).toHaveLength(2)
    const [asked, plain] = text.match(/hello [^;]+;/g) ?? []
    expect(asked).toContain('hello ')
    expect(asked).toBe(plain)
  })

  it('behind a request that is still being answered ends the connection, and nothing else', async () => {
    const answered = createDeferred<void>()
    const slow: Route = {
      ...echo,
      path: '/slow',
      socket: undefined,
      serveSocket: undefined,
      handler: async () => {
        await answered.promise
        return new HttpReply('late')
      },
    }
    await using app = await startTestApp([slow, echo])
    const head = 'Host: localhost\r\nConnection: Upgrade\r\n'
    for (const upgrade of ['websocket', 'h2c']) {
      const text = await rawCall(
        app.url,
        `GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\nGET /echo HTTP/1.1\r\n${head}Upgrade: ${upgrade}\r\n\r\n`,
      )
      expect(text).toBe('')
    }
    answered.resolve()
    expect((await app.call('/slow')).text).toBe('late')
  })
})

describe('messages', () => {
  it('are answered one after the other, those that wait in their order', async () => {
    const gates = [createDeferred<void>(), createDeferred<void>()]
    let number = 0
    await using app = await startTestApp([
      socketRoute(async (text, socket) => {
        await gates[number++]?.promise
        await socket.send(text)
      }),
    ])
    const client = open(app)
    await client.handshake
    for (const text of ['one', 'two', 'three']) client.socket.send(text)
    gates[1]?.resolve()
    expect(client.heard).toEqual([])
    gates[0]?.resolve()
    expect(await client.hears(3)).toEqual(['one', 'two', 'three'])
    client.socket.terminate()
  })

  it.each([
    ['too large', 1009, (client: WebSocket) => client.send('x'.repeat(LIMIT + 1))],
    ['binary', 1003, (client: WebSocket) => client.send(Buffer.from('x'))],
    [
      'too many at a time',
      1008,
      (client: WebSocket) => {
        for (let count = 0; count < 40; count += 1) client.send('x')
      },
    ],
    [
      'too much at a time',
      1008,
      (client: WebSocket) => {
        for (let count = 0; count < 4; count += 1) client.send('x'.repeat(LIMIT / 2))
      },
    ],
  ])('that are %s close the socket', async (_, code, send) => {
    await using app = await startTestApp([socketRoute(() => new Promise(() => undefined))])
    const client = open(app)
    await client.handshake
    send(client.socket)
    expect((await client.closed).code).toBe(code)
  })

  it('that are no text, are broken, or come in endless pieces close it too', async () => {
    await using app = await startTestApp([echo])
    for (const [code, bytes] of [
      [1007, frame(1, Buffer.from([0xff, 0xfe]))],
      [1002, frame(3, Buffer.alloc(0))],
      [
        1008,
        Buffer.concat([
          frame(1, Buffer.from('x'), false),
          ...Array.from({ length: 1100 }, () => frame(0, Buffer.from('x'), false)),
        ]),
      ],
    ] as const) {
      const raw = await openRaw(app)
      const chunks: Buffer[] = []
      raw.on('data', (chunk) => chunks.push(chunk))
      raw.write(bytes)
      await new Promise((resolve) => raw.once('close', resolve))
      const answer = Buffer.concat(chunks)
      expect([answer[0], answer.readUInt16BE(2)], String(code)).toEqual([0x88, code])
    }
  })

  it('hold memory from their first piece on, and give it back', async () => {
    const bodies = createBodyReader({ maxBytes: LIMIT, idleMs: 1000, totalBytes: LIMIT })
    await using app = await startTestApp([echo], { bodies })
    const half = await openRaw(app)
    half.write(frame(1, Buffer.alloc(LIMIT / 2, 'x'), false))
    await eventually(() => expect(bodies.heldBytes).toBeGreaterThanOrEqual(LIMIT / 2))
    const other = open(app)
    await other.handshake
    other.socket.send('x'.repeat(LIMIT - 100))
    expect((await other.closed).code).toBe(1013)
    half.destroy()
    await eventually(() => expect(bodies.heldBytes).toBe(0))
    const client = open(app)
    await client.handshake
    client.socket.send('hi')
    expect(await client.hears(1)).toEqual(['echo hi'])
    await eventually(() => expect(bodies.heldBytes).toBe(0))
    client.socket.terminate()
  })
})

describe('a client', () => {
  it('that reads nothing stops whoever writes, and is cut off', async () => {
    let sent = 0
    const ended = createDeferred<unknown>()
    const flood = socketRoute(async (_, socket) => {
      try {
        for (;;) {
          await socket.send('x'.repeat(16 * 1024))
          sent += 16 * 1024
        }
      } catch (error) {
        ended.resolve(error)
      }
    })
    await using app = await startTestApp([flood], { sockets: { stallMs: 300 } })
    const raw = await openRaw(app)
    raw.pause()
    raw.write(frame(1, Buffer.from('go')))
    expect(await ended.promise).toMatchObject({ kind: 'cancelled', code: 'client_stalled' })
    expect(sent).toBeLessThan(32 * 1024 * 1024)
    raw.destroy()
  })

  it('that is far ahead is not taken for gone while its messages wait', async () => {
    const route = socketRoute((text, socket) => socket.send(text), {
      socket: { protocols: ['plain'], waits: true },
      async serveSocket(socket) {
        await new Promise((resolve) => setTimeout(resolve, 300))
        for await (const { bytes } of socket.messages({ until: socket.call.signal }))
          await socket.send(Buffer.from(bytes).toString('utf8'))
      },
    })
    await using app = await startTestApp([route], { sockets: { pingMs: 40 } })
    const client = open(app)
    client.socket.once('open', () => {
      for (let count = 0; count < 40; count += 1) client.socket.send('hello')
    })
    expect(await client.hears(40)).toHaveLength(40)
    client.socket.terminate()
  })

  it('that is silent when it is asked is gone; one that answers is not', async () => {
    const aborted = createDeferred<void>()
    const watching = socketRoute(() => Promise.resolve(), {
      async serveSocket({ call, messages }) {
        call.signal.addEventListener('abort', () => aborted.resolve())
        for await (const _ of messages({ until: call.signal }));
      },
    })
    await using app = await startTestApp([watching], { sockets: { pingMs: 40 } })
    const raw = await openRaw(app)
    const gone = new Promise((resolve) => raw.once('close', resolve))
    raw.resume()
    await gone
    await aborted.promise
    await using second = await startTestApp([echo], { sockets: { pingMs: 20 } })
    const client = open(second)
    let pings = 0
    client.socket.on('ping', () => (pings += 1))
    await eventually(() => expect(pings).toBeGreaterThan(5))
    client.socket.send('still here')
    expect(await client.hears(1)).toEqual(['echo still here'])
    client.socket.terminate()
  })

  it('that leaves while it is answered aborts the call', async () => {
    const started = createDeferred<void>()
    const aborted = createDeferred<unknown>()
    const hanging = socketRoute(async (_, { call }) => {
      started.resolve()
      await new Promise((resolve) => call.signal.addEventListener('abort', resolve, { once: true }))
      aborted.resolve(call.signal.reason)
    })
    for (const leave of [(socket: WebSocket) => socket.terminate(), (socket: WebSocket) => socket.close()]) {
      await using app = await startTestApp([hanging])
      const client = open(app)
      await client.handshake
      client.socket.send('x')
      await started.promise
      leave(client.socket)
      expect(await aborted.promise).toMatchObject({ code: 'client_gone' })
    }
  })

  it('AU-7: that loses its rights while it is let in is closed at once', async () => {
    const [asked, found] = [createDeferred(), createDeferred()]
    const authenticator = {
      isConfigured: true,
      async authenticate() {
        asked.resolve()
        await found.promise
        return toPerson('ada')
      },
      recheck: async () => undefined,
    }
    await using app = await startTestApp([echo], { authenticator })
    const client = open(app)
    await asked.promise
    await app.reauthorize({ kind: 'user', userId: 'ada' })
    found.resolve()
    expect(await client.closed).toEqual({ code: 1008, reason: 'access has ended' })
  })

  it('is refused with 503 when there are too many', async () => {
    await using app = await startTestApp([echo], { sockets: { maxSockets: 1 } })
    const client = open(app)
    await client.handshake
    expect(await refusal(app)).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
    client.socket.terminate()
    await client.closed
    await eventually(async () => {
      const next = open(app)
      await next.handshake
      next.socket.terminate()
    })
  })

  it('learns 1011 when its handler fails, and the log why', async () => {
    await using app = await startTestApp([socketRoute(() => Promise.reject(new Error('broken handler')))])
    const client = open(app)
    await client.handshake
    client.socket.send('x')
    expect(await client.closed).toEqual({ code: 1011, reason: 'internal server error' })
    expect(app.logLines.join('')).toContain('broken handler')
  })
})
