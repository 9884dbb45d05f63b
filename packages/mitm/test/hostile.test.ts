import { once } from 'node:events'
import { constants } from 'node:http2'
import { connect as connectTcp, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { brotliCompressSync, gzipSync, constants as zlib } from 'node:zlib'
import { createDeferred } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { ask, askHttp2, connectThrough, http2Through, startWorld, tlsThrough, type World } from './world.ts'

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
const DATA = 0
const HEADERS = 1
const RST_STREAM = 3
const SETTINGS = 4
const WINDOW_UPDATE = 8
const CONTINUATION = 9

/** A frame of HTTP/2. */
function frame(type: number, stream: number, payload: Buffer = Buffer.alloc(0), flags = 0): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** Headers without compression. */
function encodeHeaders(headers: Readonly<Record<string, string>>): Buffer {
  return Buffer.concat(
    Object.entries(headers).flatMap(([name, value]) => [Buffer.of(0), encodeText(name), encodeText(value)]),
  )
}

function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text)
  if (bytes.length < 127) return Buffer.concat([Buffer.of(bytes.length), bytes])
  const rest: number[] = []
  let left = bytes.length - 127
  for (; left >= 128; left >>= 7) rest.push((left & 127) | 128)
  return Buffer.concat([Buffer.of(127, ...rest, left), bytes])
}

const requestHeaders = (world: World, path = '/v1/models') =>
  encodeHeaders({ ':method': 'GET', ':scheme': 'https', ':authority': world.target, ':path': path })

async function openRaw(world: World): Promise<TLSSocket> {
  const tls = await tlsThrough(world.proxy, world.target, { ca: world.authority.certificate, protocols: ['h2'] })
  tls.removeAllListeners('error').on('error', () => {})
  tls.resume()
  tls.write(Buffer.concat([Buffer.from(PREFACE), frame(SETTINGS, 0)]))
  return tls
}

/** Writes until the other side ends the connection; true when it did before all was written. */
async function floodUntilClosed(socket: Socket, chunks: Iterable<Buffer>): Promise<boolean> {
  const closed = createDeferred<void>()
  socket.once('close', () => closed.resolve())
  for (const chunk of chunks) {
    if (socket.destroyed) return true
    if (!socket.write(chunk)) {
      const drained = createDeferred<void>()
      socket.once('drain', () => drained.resolve())
      await Promise.race([drained.promise, closed.promise])
    }
  }
  await closed.promise
  return true
}

function* repeat(count: number, make: (index: number) => Buffer): Generator<Buffer> {
  for (let index = 0; index < count; index += 1) yield make(index)
}

const ATTACKS: readonly (readonly [string, (world: World) => Iterable<Buffer>])[] = [
  [
    'rapid resets',
    (world) =>
      repeat(200_000, (index) =>
        Buffer.concat([
          frame(HEADERS, index * 2 + 1, requestHeaders(world), 0x05),
          frame(RST_STREAM, index * 2 + 1, Buffer.from([0, 0, 0, 8])),
        ]),
      ),
  ],
  [
    'CONTINUATION frames without an end',
    function* (world) {
      yield frame(HEADERS, 1, requestHeaders(world), 0x01)
      yield* repeat(100_000, (index) => frame(CONTINUATION, 1, encodeHeaders({ [`x-${index}`]: 'y'.repeat(1000) })))
    },
  ],
  [
    'empty CONTINUATION frames',
    function* (world) {
      yield frame(HEADERS, 1, requestHeaders(world), 0x01)
      yield* repeat(1_000_000, () => frame(CONTINUATION, 1))
    },
  ],
  ['settings', () => repeat(1_000_000, () => frame(SETTINGS, 0, Buffer.from([0, 4, 0, 0, 255, 255])))],
  ['a window that overflows', () => repeat(2, () => frame(WINDOW_UPDATE, 0, Buffer.from([0x7f, 0xff, 0xff, 0xff])))],
  ['data on no stream', () => repeat(100_000, () => frame(DATA, 1, Buffer.alloc(100)))],
  ['a frame larger than announced', () => [frame(DATA, 1, Buffer.alloc(100_000))]],
  ['streams of the server', (world) => [frame(HEADERS, 2, requestHeaders(world), 0x05)]],
]

it.each(ATTACKS)('%s end that connection, and no other', async (_name, write) => {
  // After an error of the protocol, a session reads no more and ends at its idle limit at the latest.
  await using world = await startWorld({ protocol: 'h2', limits: { idleMs: 1000 } })
  const attacker = await openRaw(world)
  const closed = floodUntilClosed(attacker, write(world))
  expect((await ask(world, 'h2', { path: '/x', body: '{}' })).status).toBe(200)
  expect(await closed).toBe(true)
  expect((await ask(world, 'h2', { path: '/x', body: '{}' })).status).toBe(200)
})

it('header bombs are refused, over both protocols', async () => {
  await using world = await startWorld()
  const tls = await tlsThrough(world.proxy, world.target, { ca: world.authority.certificate })
  tls.removeAllListeners('error').on('error', () => {})
  tls.resume()
  const line = Buffer.from(`x: ${'y'.repeat(1000)}\r\n`)
  const head = Buffer.from(`GET / HTTP/1.1\r\nhost: ${world.target}\r\n`)
  expect(await floodUntilClosed(tls, [head, ...repeat(10_000, () => line)])).toBe(true)
  const session = await http2Through(world)
  // beside method, scheme, host and path
  const send = (count: number) => {
    const headers = Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, 'y'.repeat(50)]))
    return askHttp2(session, { path: '/x', method: 'GET', headers })
  }
  for (const count of [300, 253]) await expect(send(count)).rejects.toThrow()
  expect((await send(252)).status).toBe(200)
  expect((await askHttp2(session, { path: '/x', body: '{}' })).status).toBe(200)
  expect(world.upstream.requests).toHaveLength(2)
  session.destroy()
})

it('a client that opens no window does not stop others, and ends at its limit', async () => {
  await using world = await startWorld({ protocol: 'h2', limits: { idleMs: 1500 } })
  world.upstream.replyWith({ body: Buffer.alloc(1_000_000, 'x') })
  const attacker = await openRaw(world)
  attacker.write(frame(SETTINGS, 0, Buffer.from([0, 4, 0, 0, 0, 0])))
  for (const stream of [1, 3, 5]) attacker.write(frame(HEADERS, stream, requestHeaders(world), 0x05))
  await world.upstream.request(2)
  expect((await ask(world, 'h2', { path: '/x', body: '{}' })).body).toHaveLength(1_000_000)
  const stalled = await Promise.all([1, 2, 3].map((index) => world.event('traffic', index)))
  for (const event of stalled) expect(event).toMatchObject({ code: 'idle_timeout' })
})

it('slow handshakes end at their limit while others are served', async () => {
  await using world = await startWorld({ limits: { handshakeMs: 2000 } })
  const slow = await Promise.all(Array.from({ length: 500 }, () => connectThrough(world.proxy, world.target)))
  for (const { socket } of slow) socket.write(Buffer.from([22, 3, 1, 0]))
  expect((await ask(world, 'h2', { path: '/x', body: '{}' })).status).toBe(200)
  await Promise.all(slow.map(async ({ socket }) => socket.destroyed || once(socket.resume(), 'close')))
  await world.event('handshake-failed', 499)
  expect(world.proxy.counts.intercepted).toBe(0)
})

it('a client that sends CONNECT byte by byte, or never, is ended', async () => {
  await using world = await startWorld()
  const socket = connectTcp(world.proxy.port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write('CONN')
  socket.resume()
  await once(socket, 'close')
  expect(world.proxy.counts.connects).toBe(0)
})

it('a half-closed socket at every event ends in peace', async () => {
  const request = (world: World) =>
    `POST /v1/chat/completions HTTP/1.1\r\nhost: ${world.target}\r\ncontent-length: 2\r\n\r\n{}`
  const steps: readonly (readonly [string, (world: World) => Promise<Socket>])[] = [
    ['before CONNECT', async (world) => connectTcp(world.proxy.port, '127.0.0.1')],
    ['after CONNECT', async (world) => (await connectThrough(world.proxy, world.target)).socket],
    ['after TLS', (world) => tlsThrough(world.proxy, world.target, { ca: world.authority.certificate })],
    [
      'within a head',
      async (world) => {
        const tls = await tlsThrough(world.proxy, world.target, { ca: world.authority.certificate })
        tls.write(request(world).slice(0, 40))
        return tls
      },
    ],
    [
      'within a body',
      async (world) => {
        const tls = await tlsThrough(world.proxy, world.target, { ca: world.authority.certificate })
        tls.write(request(world).slice(0, -1))
        return tls
      },
    ],
    [
      'after a request',
      async (world) => {
        const tls = await tlsThrough(world.proxy, world.target, { ca: world.authority.certificate })
        tls.write(request(world))
        await world.upstream.request(0)
        return tls
      },
    ],
  ]
  for (const [name, open] of steps) {
    for (const how of ['end', 'destroy', 'reset'] as const) {
      await using world = await startWorld()
      const never = createDeferred<void>()
      world.upstream.replyWith({ body: ['x', never.promise] })
      const socket = await open(world)
      socket.removeAllListeners('error').on('error', () => {})
      socket.resume()
      const closed = once(socket, 'close')
      if (how === 'end') socket.end()
      else if (how === 'destroy') socket.destroy()
      else if (socket instanceof TLSSocket) socket.destroy()
      else socket.resetAndDestroy()
      await closed
      const sent = world.upstream.requests.length
      expect([name, how, sent]).toEqual([name, how, name === 'after a request' ? 1 : 0])
      if (sent === 1) expect(await world.upstream.requests[0]?.outcome).toBe('aborted')
      never.resolve()
      expect((await ask(world, 'h2', { path: '/x', body: '{}' })).status).toBe(200)
      expect(world.proxy.counts).toMatchObject({ bufferedBytes: 0 })
    }
  }
})

it('a client that pipelines without end is ended', async () => {
  await using world = await startWorld()
  world.upstream.replyWith(() => new Promise(() => {}))
  const tls = await tlsThrough(world.proxy, world.target, { ca: world.authority.certificate })
  tls.removeAllListeners('error').on('error', () => {})
  tls.resume()
  const line = Buffer.from(`GET /x HTTP/1.1\r\nhost: ${world.target}\r\n\r\n`)
  expect(
    await floodUntilClosed(
      tls,
      repeat(10_000, () => line),
    ),
  ).toBe(true)
  expect(world.upstream.requests.length).toBeLessThanOrEqual(1)
})

it.each([
  [32, true],
  [33, false],
])('%i requests at once are answered: %s', async (count, isAnswered) => {
  await using world = await startWorld()
  const gate = createDeferred<void>()
  world.upstream.replyWith(async () => {
    await gate.promise
    return { body: 'ok' }
  })
  const tls = await tlsThrough(world.proxy, world.target, { ca: world.authority.certificate })
  tls.removeAllListeners('error').on('error', () => {})
  let answer = ''
  tls.on('data', (bytes) => {
    answer += bytes
  })
  const closed = once(tls, 'close')
  const one = `GET /x HTTP/1.1\r\nhost: ${world.target}\r\n\r\n`
  tls.write(one.repeat(count - 1) + one.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'))
  if (isAnswered) gate.resolve()
  await closed
  expect(answer.match(/HTTP\/1.1 200/g)?.length ?? 0).toBe(isAnswered ? count : 0)
  gate.resolve()
})

it('a client that cancels request after request is ended', async () => {
  await using world = await startWorld({ protocol: 'h2' })
  world.upstream.replyWith(() => new Promise(() => {}))
  const session = await http2Through(world)
  const closed = once(session, 'close')
  let count = 0
  for (; count < 1000 && !session.closed && !session.destroyed; count += 1) {
    const stream = session.request({ ':path': '/x' })
    stream.on('error', () => {})
    await new Promise((resolve) => setImmediate(resolve))
    stream.close(constants.NGHTTP2_CANCEL)
    await new Promise<void>((resolve) => (stream.destroyed ? resolve() : stream.once('close', () => resolve())))
  }
  await closed
  expect(count).toBeLessThan(1000)
  expect((await http2Through(world)).closed).toBe(false)
})

it('a decompression bomb is refused', async () => {
  await using world = await startWorld({ limits: { scannedBodyBytes: 1024 * 1024 } })
  const bomb = Buffer.alloc(20 * 1024 * 1024)
  for (const [coding, body] of [
    ['gzip', gzipSync(bomb)],
    ['br', brotliCompressSync(bomb, { params: { [zlib.BROTLI_PARAM_QUALITY]: 1 } })],
  ] as const) {
    const headers = { 'content-encoding': coding }
    expect((await ask(world, 'h2', { path: '/v1/messages', headers, body })).status).toBe(413)
  }
  // Blocks of one repeated byte: 128 KiB of text in four bytes.
  const block = Buffer.alloc(4)
  block.writeUIntLE((131_072 << 3) | 2, 0, 3)
  const frameHead = Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58)
  const last = Buffer.from([1, 0, 0])
  const body = Buffer.concat([frameHead, ...Array.from({ length: 1000 }, () => block), last])
  expect((await ask(world, 'h2', { path: '/v1/messages', headers: { 'content-encoding': 'zstd' }, body })).status).toBe(
    413,
  )
  expect(world.proxy.counts.bufferedBytes).toBe(0)
})
