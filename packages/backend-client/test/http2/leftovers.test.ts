import { constants } from 'node:http2'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { createBackendClient } from '../../src/index.ts'
import { watchStreams } from './client-streams.ts'
import { frame, replyBytes, replyFrame } from './http2-backend.ts'
import { CALL_KINDS, REPLIES, readCall, settle } from './outcome.ts'
import { type RawStream, startRawHttp2 } from './raw-http2.ts'

const MIB = 1024 * 1024
const STREAM_KINDS = CALL_KINDS.filter((kind) => REPLIES[kind] === 'stream')

/** Starts a backend that finishes a reply which its reader reads in part. */
async function startGenerous(kind: (typeof STREAM_KINDS)[number], signal?: AbortSignal) {
  let stream: RawStream | undefined
  const streams = watchStreams()
  const backend = await startRawHttp2({
    onRequest(begun) {
      stream = begun
      stream.headers()
      stream.data(replyFrame('first'))
    },
  })
  const client = createBackendClient({ address: backend.address })
  const replies = readCall(client, kind, { signal })
  await replies.next()
  for (let count = 0; count < 40; count += 1) stream?.data(replyFrame('more'))
  stream?.trailers({ 'grpc-status': '0' })
  await expect.poll(() => streams[0]?.closed).toBe(true)
  expect(streams[0]?.readableLength).toBeGreaterThan(0)
  return {
    replies,
    streams,
    async [Symbol.asyncDispose]() {
      client.close()
      await backend[Symbol.asyncDispose]()
    },
  }
}

it.each(STREAM_KINDS)('keeps nothing of a %s call that its reader leaves after the trailers', async (kind) => {
  await using call = await startGenerous(kind)
  await call.replies.return()
  await expect.poll(() => call.streams.map(({ destroyed }) => destroyed)).toEqual([true])
})

it.each(STREAM_KINDS)('keeps nothing of a %s call that is aborted after the trailers', async (kind) => {
  const controller = new AbortController()
  await using call = await startGenerous(kind, controller.signal)
  controller.abort()
  await expect.poll(() => call.streams.map(({ destroyed }) => destroyed)).toEqual([true])
})

it.each(STREAM_KINDS)('keeps nothing of a %s call that is aborted while a message inflates', async (kind) => {
  const streams = watchStreams()
  await using backend = await startRawHttp2({
    onRequest(stream) {
      stream.headers({ 'grpc-encoding': 'gzip' })
      const bytes = frame(gzipSync(replyBytes('x'.repeat(40 * MIB))), { flag: 1 })
      for (let at = 0; at < bytes.length; at += 16_000) stream.data(bytes.subarray(at, at + 16_000))
      stream.data(replyFrame('second'))
      stream.trailers({ 'grpc-status': '0' })
    },
  })
  await using client = createBackendClient({ address: backend.address })
  const controller = new AbortController()
  const outcome = settle(client, kind, { signal: controller.signal })
  await expect.poll(() => streams[0]?.closed, { interval: 1 }).toBe(true)
  controller.abort()
  expect(await outcome).toMatchObject({ kind: 'cancelled' })
  await expect.poll(() => streams.map(({ destroyed }) => destroyed)).toEqual([true])
})

it.each(CALL_KINDS)('keeps nothing of a %s call that was answered and reset before it was read', async (kind) => {
  const streams = watchStreams()
  await using backend = await startRawHttp2({
    onRequest(stream) {
      stream.socket.cork()
      stream.headers()
      stream.trailers({ 'grpc-status': '8', 'grpc-message': 'queue full' })
      stream.reset(constants.NGHTTP2_NO_ERROR)
      stream.socket.uncork()
    },
  })
  await using client = createBackendClient({ address: backend.address })
  const outcome = await settle(client, kind, { text: 'x'.repeat(5 * MIB) })
  expect(outcome).toMatchObject({ kind: 'rate_limited', message: 'queue full' })
  await expect.poll(() => streams.map(({ destroyed }) => destroyed)).toEqual([true])
})

it.each(CALL_KINDS)(
  'keeps nothing of a %s call that was reset before it was read while its answer inflates',
  async (kind) => {
    const streams = watchStreams()
    await using backend = await startRawHttp2({
      onRequest(stream) {
        stream.headers({ 'grpc-encoding': 'gzip' })
        stream.data(frame(gzipSync(replyBytes('hello')), { flag: 1 }))
        stream.trailers({ 'grpc-status': '0' })
        stream.reset(constants.NGHTTP2_NO_ERROR)
      },
    })
    await using client = createBackendClient({ address: backend.address })
    expect(await settle(client, kind, { text: 'x'.repeat(5 * MIB) })).toEqual({ texts: ['hello'] })
    await expect.poll(() => streams.map(({ destroyed }) => destroyed)).toEqual([true])
  },
)

it.each(['stream', 'generated stream'] as const)(
  'keeps nothing of a %s call that was reset before it was read when its slow reader comes to the end',
  async (kind) => {
    const streams = watchStreams()
    let stream: RawStream | undefined
    await using backend = await startRawHttp2({
      onRequest(begun) {
        stream = begun
        stream.headers()
        stream.data(replyFrame('first'))
      },
    })
    await using client = createBackendClient({ address: backend.address })
    const replies = readCall(client, kind, { text: 'x'.repeat(5 * MIB) })
    await replies.next()
    for (let count = 0; count < 40; count += 1) stream?.data(replyFrame('more'))
    stream?.trailers({ 'grpc-status': '0' })
    stream?.reset(constants.NGHTTP2_NO_ERROR)
    await expect.poll(() => streams[0]?.closed).toBe(true)
    let count = 0
    for await (const _ of replies) count += 1
    expect(count).toBe(40)
    await expect.poll(() => streams.map(({ destroyed }) => destroyed)).toEqual([true])
  },
)
