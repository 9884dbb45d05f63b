import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { type BackendClient, createBackendClient, pushReplies } from '../../src/index.ts'
import { watchStreams } from './client-streams.ts'
import { frame, replyBytes, replyFrame } from './http2-backend.ts'
import { CALL_KINDS, REPLIES, readCall, settle } from './outcome.ts'
import { type RawStream, startRawHttp2 } from './raw-http2.ts'

const UNREACHABLE = { kind: 'unavailable', code: 'backend_unavailable' }
const BROKEN_OFF = { kind: 'unavailable', code: 'backend_cancelled' }
const STREAM_KINDS = CALL_KINDS.filter((kind) => REPLIES[kind] === 'stream')
/** Replies that a reader who has stopped leaves unread in part. */
const MANY = Array.from({ length: 40 }, (_, index) => String(index))

/** Ways in which a connection goes while bytes of a finished reply wait on it, and the end that the reader gets. */
const CUTS: readonly {
  readonly name: string
  cut(stream: RawStream, client: BackendClient): void
  readonly ending: object
}[] = [
  { name: 'its backend ends the connection', cut: ({ socket }) => socket.end(), ending: UNREACHABLE },
  { name: 'its backend resets the connection', cut: ({ socket }) => socket.resetAndDestroy(), ending: UNREACHABLE },
  { name: 'its client is closed', cut: (_, client) => client.close(), ending: BROKEN_OFF },
]

const RUNS = CUTS.flatMap((one) => STREAM_KINDS.map((kind) => ({ ...one, kind })))

it.each(RUNS)('fails a $kind call with unread replies when $name', async ({ cut, ending, kind }) => {
  let stream: RawStream | undefined
  await using backend = await startRawHttp2({
    onRequest(begun) {
      stream = begun
      stream.headers()
      stream.data(replyFrame('first'))
    },
  })
  await using client = createBackendClient({ address: backend.address })
  const [streams, endings] = [watchStreams(), [] as object[]]
  const replies = readCall(client, kind, { onTrailers: (trailers) => endings.push(trailers) })
  await replies.next()
  for (const text of MANY) stream?.data(replyFrame(text))
  stream?.trailers({ 'grpc-status': '0' })
  await expect.poll(() => streams[0]?.readableLength).toBe(24 * replyFrame('10').length)
  if (stream !== undefined) cut(stream, client)
  await expect.poll(() => streams[0]?.destroyed).toBe(true)
  const texts: string[] = []
  const rest = (async () => {
    for await (const bytes of replies) texts.push(bytes.toString())
  })()
  await expect(rest).rejects.toMatchObject(ending)
  expect(texts).toEqual(MANY.slice(0, texts.length))
  expect(endings).toEqual([])
})

it('fails a pushed stream that is paused when its connection is lost', async () => {
  let stream: RawStream | undefined
  await using backend = await startRawHttp2({
    onRequest(begun) {
      stream = begun
      stream.headers()
      stream.data(replyFrame('first'))
    },
  })
  await using client = createBackendClient({ address: backend.address })
  const texts: string[] = []
  const ending = await new Promise<unknown>((resolve) => {
    const flow = pushReplies(client.predictStream({}), {
      onReplies(replies) {
        texts.push(...replies.map(({ message }) => message.toString()))
        flow.pause()
        stream?.data(replyFrame('second'))
        stream?.trailers({ 'grpc-status': '0' })
        stream?.socket.end()
      },
      onEnd: resolve,
    })
  })
  expect(ending).toMatchObject(UNREACHABLE)
  expect(texts).toEqual(['first'])
})

it.each(STREAM_KINDS)('fails a %s call whose connection is lost while a message inflates', async (kind) => {
  const long = 'x'.repeat(20 * 1024 * 1024)
  const streams = watchStreams()
  await using backend = await startRawHttp2({
    onRequest(stream) {
      stream.headers({ 'grpc-encoding': 'gzip' })
      const bytes = frame(gzipSync(replyBytes(long)), { flag: 1 })
      for (let at = 0; at < bytes.length; at += 16_000) stream.data(bytes.subarray(at, at + 16_000))
      stream.data(replyFrame('second'))
      stream.trailers({ 'grpc-status': '0' })
      stream.socket.end()
    },
  })
  await using client = createBackendClient({ address: backend.address })
  const outcome = await settle(client, kind)
  expect(outcome).toMatchObject(UNREACHABLE)
  expect(outcome.texts.map((text) => text.length)).toEqual([long.length])
  expect(streams.map(({ destroyed }) => destroyed)).toEqual([true])
})

it.each(CALL_KINDS)('gives a %s call its answer when the connection is lost while all of it inflates', async (kind) => {
  await using backend = await startRawHttp2({
    onRequest(stream) {
      stream.headers({ 'grpc-encoding': 'gzip' })
      stream.data(frame(gzipSync(replyBytes('hello')), { flag: 1 }))
      stream.trailers({ 'grpc-status': '0' })
      stream.socket.end()
    },
  })
  await using client = createBackendClient({ address: backend.address })
  expect(await settle(client, kind)).toEqual({ texts: ['hello'] })
})
