import { createServer, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { createDeferred, listenOnFreePort, startUpstream, trackSockets } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createHttpUpstream } from './client.ts'
import type { Header, UpstreamReply } from './upstream.ts'

const signal = new AbortController().signal
const TEXT = 'data: {"text":"grüße"}\n\n'.repeat(20_000)

async function read({ body }: UpstreamReply): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

async function ask(origin: string, headers: readonly Header[] = [['accept-encoding', 'identity']]) {
  await using upstream = createHttpUpstream()
  const reply = await upstream.send(
    { method: 'POST', url: new URL(origin), headers, body: Buffer.from('{}') },
    { signal },
  )
  return { head: reply, text: await read(reply) }
}

async function startRaw(answer: (socket: Socket) => void) {
  const server = createServer((socket) => socket.once('data', () => answer(socket)))
  const sockets = trackSockets(server)
  const port = await listenOnFreePort(server)
  return { origin: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: sockets.close }
}

const tiny = gzipSync('x')

describe('a reply that is encoded although its request asks for no coding', () => {
  it.each([
    ['gzip', gzipSync(TEXT)],
    ['GZIP ', gzipSync(TEXT)],
    ['x-gzip', gzipSync(TEXT)],
    ['deflate', deflateSync(TEXT)],
    ['deflate', deflateRawSync(TEXT)],
    ['br', brotliCompressSync(TEXT)],
    ['gzip', Buffer.concat([gzipSync(TEXT.slice(0, 30)), gzipSync(TEXT.slice(30))])],
  ])('is decoded: %s', async (coding, body) => {
    await using server = await startUpstream()
    server.replyWith({ headers: { 'content-encoding': coding, 'content-length': String(body.length) }, body })
    const { head, text } = await ask(server.origin)
    expect(text).toBe(TEXT)
    expect(head.headers.map(([name]) => name)).not.toContain('content-encoding')
    expect(head.lengthBytes).toBeUndefined()
  })

  it.each([
    ['a plain body under a wrong header', 'gzip', Buffer.from(TEXT)],
    ['an empty body', 'gzip', Buffer.alloc(0)],
  ])('is passed as it came: %s', async (_, coding, body) => {
    await using server = await startUpstream()
    server.replyWith({ headers: { 'content-encoding': coding }, body })
    expect((await ask(server.origin)).text).toBe(body.toString())
  })

  it.each([
    ['its request asked for it', 'gzip', [['accept-encoding', 'gzip, br']]],
    ['the coding is unknown', 'sdch', []],
    ['there are two codings', 'br, gzip', []],
  ] as const)('stays encoded where %s', async (_, coding, headers) => {
    await using server = await startUpstream()
    server.replyWith({ headers: { 'content-encoding': coding }, body: tiny })
    const { head, text } = await ask(server.origin, headers)
    expect([text, head.headers.find(([name]) => name === 'content-encoding')?.[1]]).toEqual([tiny.toString(), coding])
  })

  it('passes each part on as soon as it can be decoded', async () => {
    await using server = await startUpstream()
    const rest = createDeferred<void>()
    const whole = gzipSync('first second', { level: 0, finishFlush: constants.Z_SYNC_FLUSH })
    const flushed = gzipSync('first', { finishFlush: constants.Z_SYNC_FLUSH })
    expect(whole.length).toBeGreaterThan(flushed.length)
    server.replyWith({ headers: { 'content-encoding': 'gzip' }, body: [flushed, rest.promise] })
    await using upstream = createHttpUpstream()
    const reply = await upstream.send({ method: 'GET', url: new URL(server.origin), headers: [] }, { signal })
    const pieces = reply.body[Symbol.asyncIterator]()
    expect(Buffer.from((await pieces.next()).value ?? []).toString()).toBe('first')
    await pieces.return?.()
    expect(await server.requests[0]?.outcome).toBe('aborted')
    rest.resolve()
  })

  it.each([
    ['its end is missing', gzipSync(TEXT).subarray(0, -9), 'truncated'],
    ['its bytes are wrong', Buffer.concat([tiny.subarray(0, 10), Buffer.alloc(50, 255)]), 'undecodable'],
  ])('fails where %s', async (_, body, reason) => {
    await using server = await startUpstream()
    server.replyWith({ headers: { 'content-encoding': 'gzip' }, body })
    await expect(ask(server.origin)).rejects.toMatchObject({ kind: 'upstream_failed', details: { reason } })
  })

  it('gives what was decoded before its connection was cut', async () => {
    const flushed = gzipSync('first', { finishFlush: constants.Z_SYNC_FLUSH })
    await using raw = await startRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 9999\r\n\r\n')
      socket.end(flushed)
    })
    await using upstream = createHttpUpstream()
    const reply = await upstream.send({ method: 'GET', url: new URL(raw.origin), headers: [] }, { signal })
    const seen: string[] = []
    const reading = (async () => {
      for await (const piece of reply.body) seen.push(Buffer.from(piece).toString())
    })()
    await expect(reading).rejects.toMatchObject({ details: { reason: 'truncated' } })
    expect(seen.join('')).toBe('first')
  })

  it('waits for a slow reader, however far it unfolds', async () => {
    await using server = await startUpstream()
    const size = 16 * 1024 * 1024
    server.replyWith({ headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(size)) })
    await using upstream = createHttpUpstream()
    const reply = await upstream.send({ method: 'GET', url: new URL(server.origin), headers: [] }, { signal })
    const before = process.memoryUsage().arrayBuffers
    let bytes = 0
    for await (const piece of reply.body) {
      if (bytes === 0) {
        // The rest would be decoded within these turns.
        for (let turn = 0; turn < 200; turn += 1) await setImmediate()
        expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(size / 4)
      }
      bytes += piece.length
    }
    expect(bytes).toBe(size)
    expect(upstream.counts.running).toBe(0)
  })

  it('ends when its request is aborted, even after all its bytes have arrived', async () => {
    await using server = await startUpstream()
    server.replyWith({ headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(8_000_000)) })
    await using upstream = createHttpUpstream()
    const failed = createDeferred<unknown>()
    const call = upstream.start(
      { method: 'GET', url: new URL(server.origin), headers: [] },
      {
        head() {},
        data: () => {
          if (upstream.counts.running === 0) void setImmediate().then(() => call.abort())
          return true
        },
        end: () => failed.reject(new Error('ended')),
        fail: failed.resolve,
      },
    )
    expect(await failed.promise).toMatchObject({ kind: 'cancelled' })
  })
})
