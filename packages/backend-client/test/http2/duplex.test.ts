import { constants } from 'node:http2'
import { expect, it } from 'vitest'
import { createBackendClient } from '../../src/index.ts'
import { watchStreams } from './client-streams.ts'
import { answerWell, replyFrame, startHttp2Backend } from './http2-backend.ts'
import { settle } from './outcome.ts'
import { type RawStream, startRawHttp2 } from './raw-http2.ts'

const MIB = 1024 * 1024
const REQUEST = { frame: { audioPcm: Buffer.from('x') } }
const BROKEN_OFF = { kind: 'unavailable', code: 'backend_cancelled', message: 'the backend broke the call off' }

it('gives all replies of a call that its backend ends while its writer goes on', async () => {
  let stream: RawStream | undefined
  const streams = watchStreams()
  await using backend = await startRawHttp2({
    onRequest(begun) {
      stream = begun
      stream.headers()
      stream.data(replyFrame('first'))
    },
  })
  await using client = createBackendClient({ address: backend.address })
  await using call = client.audioTransformStream({ timeoutMs: 4000 })
  const replies = call[Symbol.asyncIterator]()
  const texts = [(await replies.next()).value?.pcm.toString()]
  const sent = Array.from({ length: 40 }, (_, index) => String(index))
  for (const text of sent) stream?.data(replyFrame(text))
  stream?.trailers({ 'grpc-status': '0' })
  stream?.reset(constants.NGHTTP2_NO_ERROR)
  await expect.poll(() => streams[0]?.closed).toBe(true)
  for (let count = 0; count < 3; count += 1) await call.write(REQUEST)
  for (let next = await replies.next(); !next.done; next = await replies.next()) texts.push(next.value.pcm.toString())
  expect(texts).toEqual(['first', ...sent])
  await expect.poll(() => streams.map(({ destroyed }) => destroyed)).toEqual([true])
})

it('lets a writer go on whose call has ended', async () => {
  let stream: RawStream | undefined
  const streams = watchStreams()
  await using backend = await startRawHttp2({
    onRequest(begun) {
      stream = begun
      stream.headers()
    },
  })
  await using client = createBackendClient({ address: backend.address })
  await using call = client.audioTransformStream()
  const written = call.write({ frame: { audioPcm: Buffer.alloc(MIB) } })
  await expect.poll(() => streams[0]?.writableNeedDrain).toBe(true)
  stream?.trailers({ 'grpc-status': '0' })
  stream?.reset(constants.NGHTTP2_NO_ERROR)
  await written
  await call.write(REQUEST)
})

it('fails a call whose replies end without a status while its writer is open', async () => {
  await using backend = await startRawHttp2({
    onRequest(stream) {
      stream.headers()
      stream.data(replyFrame('first'), { isLast: true })
    },
  })
  await using client = createBackendClient({ address: backend.address })
  await using call = client.audioTransformStream({ timeoutMs: 4000 })
  const replies = call[Symbol.asyncIterator]()
  await call.write(REQUEST)
  expect((await replies.next()).value?.pcm.toString()).toBe('first')
  await expect(replies.next()).rejects.toMatchObject(BROKEN_OFF)
})

it.each(['unary', 'stream', 'duplex'] as const)(
  'fails a %s call whose reply ends without a status before its request is read',
  async (kind) => {
    await using backend = await startRawHttp2({
      onRequest(stream) {
        stream.headers()
        stream.data(replyFrame('first'), { isLast: true })
      },
    })
    await using client = createBackendClient({ address: backend.address })
    expect(await settle(client, kind, { text: 'x'.repeat(5 * MIB), timeoutMs: 4000 })).toMatchObject(BROKEN_OFF)
  },
)

it('lets a writer that waits for room go on when another ends the requests', async () => {
  await using backend = await startHttp2Backend(() => {})
  await using client = createBackendClient({ address: backend.address })
  await client.audioTransformStream()[Symbol.asyncDispose]()
  const streams = watchStreams()
  await using call = client.audioTransformStream()
  const written = call.write({ frame: { audioPcm: Buffer.alloc(MIB) } })
  await expect.poll(() => streams[0]?.writableNeedDrain).toBe(true)
  call.end()
  await written
})

it('lets a writer that waits for a connection go on when another ends the requests', async () => {
  let received = 0
  await using backend = await startHttp2Backend((stream) => {
    stream.on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    stream.on('end', () => answerWell(stream))
  })
  await using client = createBackendClient({ address: backend.address })
  await using call = client.audioTransformStream()
  const written = call.write({ frame: { audioPcm: Buffer.alloc(MIB) } })
  call.end()
  await written
  expect(received).toBe(0)
  const texts: string[] = []
  for await (const { pcm } of call) texts.push(pcm.toString())
  expect(texts).toEqual(['OK'])
  expect(received).toBeGreaterThan(MIB)
})
