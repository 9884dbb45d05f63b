import { once } from 'node:events'
import { constants, type ServerHttp2Stream } from 'node:http2'
import { expect, it } from 'vitest'
import { createBackendClient, pushReplies, type ReplyFlow } from '../../src/index.ts'
import { MAX_MESSAGE_BYTES } from '../../src/proto.ts'
import {
  answerWell,
  beginReply,
  frame,
  GRPC_HEADERS,
  replyBytes,
  replyFrame,
  resetCode,
  startHttp2Backend,
} from './http2-backend.ts'
import { CALL_KINDS, REPLIES, readCall, settle, settleAlone } from './outcome.ts'
import { encodeFields, startRawHttp2 } from './raw-http2.ts'

const MIB = 1024 * 1024
it.each(CALL_KINDS)('takes messages of 50 MiB both ways in a %s call', async (kind) => {
  let received = 0
  const text = Buffer.alloc(MAX_MESSAGE_BYTES - 5, 'a')
  await using backend = await startHttp2Backend((stream) => {
    stream.on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    stream.on('end', () => {
      stream.respond(GRPC_HEADERS, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
      stream.end(replyFrame(text))
    })
  })
  await using client = createBackendClient({ address: backend.address })
  // The message around the text of a duplex call has a tag and a length too.
  const longest = text.toString('utf8', kind === 'duplex' ? 5 : 0)
  const sizes: number[] = []
  for await (const bytes of readCall(client, kind, { text: longest })) sizes.push(bytes.length)
  expect(sizes).toEqual([text.length])
  expect(received).toBe(5 + MAX_MESSAGE_BYTES)
  expect(backend.sessions).toHaveLength(1)
})

it.each(CALL_KINDS)('refuses a byte more in a %s call, and the connection goes on', async (kind) => {
  await using backend = await startHttp2Backend((stream, headers) => {
    if (headers[':path'] === '/backend.Backend/Health') return answerWell(stream)
    beginReply(stream)
    stream.end(frame(replyBytes(Buffer.alloc(998))))
  })
  await using client = createBackendClient({ address: backend.address, maxMessageBytes: 1000 })
  expect(await settle(client, kind)).toMatchObject({ kind: 'internal', code: 'reply_too_large' })
  await client.health()
  const tooLarge = { kind: 'too_large', code: 'message_too_large' }
  expect(await settle(client, kind, { text: 'x'.repeat(998) })).toMatchObject(tooLarge)
})

it('makes 1,000 calls at once on one connection', async () => {
  const streams: ServerHttp2Stream[] = []
  await using backend = await startHttp2Backend((stream) => {
    streams.push(stream)
    // All are under way before the first is answered.
    if (streams.length === 1000) for (const one of streams) answerWell(one, 'x')
  })
  await using client = createBackendClient({ address: backend.address })
  const texts = await Promise.all(
    Array.from({ length: 1000 }, async () => (await client.predict({})).message.toString()),
  )
  expect(texts.every((text) => text === 'x')).toBe(true)
  expect(backend.sessions).toHaveLength(1)
})

it('keeps to the number of calls that the backend takes at a time', async () => {
  let running = 0
  let most = 0
  const settings = { maxConcurrentStreams: 5 }
  await using backend = await startHttp2Backend((stream) => {
    running += 1
    most = Math.max(most, running)
    stream.on('close', () => {
      running -= 1
    })
    setImmediate(() => answerWell(stream))
  }, settings)
  await using client = createBackendClient({ address: backend.address })
  await Promise.all(Array.from({ length: 100 }, () => client.predict({})))
  expect(most).toBeLessThanOrEqual(5)
  expect(backend.sessions).toHaveLength(1)
})

/** Writes replies as long as the connection takes them, and tells how many bytes left. */
function writeForever(stream: ServerHttp2Stream): { readonly bytes: () => number; readonly full: Promise<void> } {
  beginReply(stream)
  const piece = replyFrame('x'.repeat(10_000))
  let bytes = 0
  let stalled: NodeJS.Timeout | undefined
  let tell: () => void = () => {}
  const full = new Promise<void>((resolve) => {
    tell = resolve
  })
  const write = () => {
    if (stream.destroyed) return
    stream.write(piece, () => {
      bytes += piece.length
      clearTimeout(stalled)
      // No window for a while: the reader has stopped taking.
      stalled = setTimeout(tell, 300)
      write()
    })
  }
  write()
  return { bytes: () => bytes, full }
}

const STREAM_KINDS = CALL_KINDS.filter((kind) => REPLIES[kind] === 'stream')

it.each(STREAM_KINDS)('holds a backend back whose %s is read slowly, and no other call', async (kind) => {
  let writer: ReturnType<typeof writeForever> | undefined
  await using backend = await startHttp2Backend((stream, headers) => {
    if (headers[':path'] === '/backend.Backend/Health') answerWell(stream)
    else writer = writeForever(stream)
  })
  await using client = createBackendClient({ address: backend.address })
  const replies = readCall(client, kind)
  await replies.next()
  await writer?.full
  expect(writer?.bytes()).toBeLessThan(2 * MIB)
  await client.health()
  for (let count = 0; count < 500; count += 1) expect((await replies.next()).done).toBe(false)
  await replies.return()
})

it('holds a backend back whose pushed stream is paused, and goes on where it was', async () => {
  let writer: ReturnType<typeof writeForever> | undefined
  await using backend = await startHttp2Backend((stream) => {
    writer = writeForever(stream)
  })
  await using client = createBackendClient({ address: backend.address })
  let got = 0
  let isPaused = false
  let wake = () => {}
  const flow: ReplyFlow = pushReplies(client.predictStream({}), {
    onReplies(replies) {
      expect(isPaused).toBe(false)
      got += replies.length
      if (got === replies.length) {
        isPaused = true
        flow.pause()
      }
      wake()
    },
    onEnd: () => {},
  })
  await new Promise<void>((resolve) => {
    wake = resolve
  })
  await writer?.full
  const before = got
  expect(writer?.bytes()).toBeLessThan(2 * MIB)
  isPaused = false
  flow.resume()
  await new Promise<void>((resolve) => {
    wake = () => {
      if (got > before + 500) resolve()
    }
  })
  flow.cancel()
})

it.concurrent.each(CALL_KINDS)('ends a %s call whose request the backend does not read', async (kind) => {
  const closed: Promise<number>[] = []
  await using backend = await startHttp2Backend((stream, headers) => {
    if (headers[':path'] === '/backend.Backend/Health') answerWell(stream)
    else closed.push(resetCode(stream))
  })
  await using client = createBackendClient({ address: backend.address })
  const outcome = await settle(client, kind, { text: 'x'.repeat(5 * MIB), timeoutMs: 2000 })
  expect(outcome).toMatchObject({ kind: 'timeout', code: 'backend_timeout' })
  expect(await Promise.all(closed)).toEqual([constants.NGHTTP2_CANCEL])
  await client.health()
})

it.each(CALL_KINDS)('takes the answer to a %s call that was not read to its end', async (kind) => {
  const closed: Promise<unknown>[] = []
  await using backend = await startHttp2Backend((stream) => {
    closed.push(once(stream, 'close'))
    stream.respond({ ...GRPC_HEADERS, 'grpc-status': '8', 'grpc-message': 'queue full' }, { endStream: true })
  })
  await using client = createBackendClient({ address: backend.address })
  const outcome = await settle(client, kind, { text: 'x'.repeat(5 * MIB) })
  expect(outcome).toMatchObject({ kind: 'rate_limited', message: 'queue full' })
  await Promise.all(closed)
})

it.each(CALL_KINDS)('ends a %s call whose headers never end', async (kind) => {
  await using backend = await startRawHttp2({
    onRequest(stream) {
      const block = Buffer.concat(Array.from({ length: 100 }, () => encodeFields({ 'x-name': 'y'.repeat(120) })))
      stream.frame('headers', 0, Buffer.concat([Buffer.of(0x88), block]))
      const more = () => {
        while (!stream.socket.destroyed && stream.socket.write(Buffer.alloc(0))) {
          stream.frame('continuation', 0, block)
          if (stream.socket.writableNeedDrain) break
        }
        if (!stream.socket.destroyed) stream.socket.once('drain', more)
      }
      more()
    },
  })
  expect(await settleAlone(backend.address, kind)).toMatchObject({ kind: 'rate_limited' })
})

it('ends a call whose reply has more headers than a backend has use for', async () => {
  await using backend = await startRawHttp2({
    onRequest(stream) {
      const block = Buffer.concat(Array.from({ length: 500 }, (_, index) => encodeFields({ [`x-${index}`]: 'y' })))
      stream.frame('headers', 4, Buffer.concat([Buffer.of(0x88), block]))
    },
  })
  expect(await settleAlone(backend.address, 'unary')).toMatchObject({ kind: 'rate_limited' })
})

it('ends a call that gets an error page without end', async () => {
  await using backend = await startHttp2Backend((stream) => {
    stream.resume()
    stream.respond({ ':status': 403, 'content-type': 'text/html' })
    const write = () => {
      if (!stream.destroyed) stream.write(Buffer.alloc(16_000), write)
    }
    write()
  })
  expect(await settleAlone(backend.address, 'unary')).toMatchObject({ kind: 'forbidden' })
})

it('takes a status of gRPC behind an error page', async () => {
  await using backend = await startHttp2Backend((stream) => {
    stream.resume()
    stream.respond({ ':status': 500, 'content-type': 'application/grpc' }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '5', 'grpc-message': 'no face' }))
    stream.end('page')
  })
  expect(await settleAlone(backend.address, 'unary')).toMatchObject({ kind: 'not_found', message: 'no face' })
})

it.each(CALL_KINDS)('gives a %s call its answer although frames follow its end', async (kind) => {
  await using backend = await startRawHttp2({
    onRequest(stream) {
      stream.headers()
      stream.data(replyFrame('hello'))
      stream.trailers({ 'grpc-status': '0' })
      stream.data(replyFrame('more'))
      stream.trailers({ 'grpc-status': '13' })
    },
  })
  expect(await settleAlone(backend.address, kind)).toEqual({ texts: ['hello'] })
})

it('keeps a call with an endless row of empty frames within bounds', async () => {
  await using backend = await startRawHttp2({
    onRequest(stream) {
      stream.headers()
      const empty = () => {
        if (stream.socket.destroyed) return
        for (let count = 0; count < 100; count += 1) stream.data(Buffer.alloc(0))
        setImmediate(empty)
      }
      empty()
    },
  })
  await using client = createBackendClient({ address: backend.address })
  const before = process.memoryUsage().rss
  expect(await settle(client, 'stream', { timeoutMs: 1000 })).toHaveProperty('kind')
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * MIB)
})
