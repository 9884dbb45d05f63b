import { constants, type ServerHttp2Stream } from 'node:http2'
import { expect, it } from 'vitest'
import { createBackendClient, pushReplies, type ReplyFlow, type StreamOptions } from '../src/index.ts'
import type { Reply } from '../src/proto.ts'
import { beginReply, type OnCall, replyFrame, resetCode, startHttp2Backend } from './http2/http2-backend.ts'

/** A sink that keeps all replies. */
function createSink() {
  const batches: string[][] = []
  const errors: unknown[] = []
  let ended: () => void = () => {}
  const end = new Promise<void>((resolve) => {
    ended = resolve
  })
  return {
    batches,
    errors,
    end,
    onReplies: (replies: readonly Reply[]) => void batches.push(replies.map(({ message }) => message.toString())),
    onEnd: (error: Error | undefined) => {
      errors.push(error)
      ended()
    },
  }
}

async function startWorld(onCall: OnCall) {
  const backend = await startHttp2Backend(onCall)
  const client = createBackendClient({ address: backend.address })
  return {
    client,
    backend,
    push: (sink: ReturnType<typeof createSink>, options: StreamOptions = {}) =>
      pushReplies(client.predictStream({}, options), sink),
    async [Symbol.asyncDispose]() {
      client.close()
      await backend[Symbol.asyncDispose]()
    },
  }
}

const answerTexts =
  (...texts: string[]): OnCall =>
  (stream) => {
    beginReply(stream)
    stream.end(Buffer.concat(texts.map(replyFrame)))
  }

/** A stream in the hands of the test. */
function createHeldCall() {
  let take: (stream: ServerHttp2Stream) => void = () => {}
  const taken = new Promise<ServerHttp2Stream>((resolve) => {
    take = resolve
  })
  const onCall: OnCall = (stream) => {
    beginReply(stream)
    take(stream)
  }
  return { onCall, taken }
}

it('pushes replies in order, then the end', async () => {
  await using world = await startWorld(answerTexts('a', '', 'b'))
  const sink = createSink()
  world.push(sink)
  await sink.end
  expect(sink.batches.flat()).toEqual(['a', '', 'b'])
  expect(sink.errors).toEqual([undefined])
})

it('pushes what came before a failure, then the failure', async () => {
  await using world = await startWorld((stream) => {
    beginReply(stream, { 'grpc-status': '8', 'grpc-message': 'queue full' })
    stream.end(replyFrame('a'))
  })
  const sink = createSink()
  world.push(sink)
  await sink.end
  expect(sink.batches.flat()).toEqual(['a'])
  expect(sink.errors).toEqual([expect.objectContaining({ kind: 'rate_limited', message: 'queue full' })])
})

it('tells the sink of a failure after the function has returned', async () => {
  await using world = await startWorld(answerTexts('a'))
  const outcomes: StreamOptions[] = [{ signal: AbortSignal.abort() }, { metadata: { 'grpc-status': '0' } }]
  for (const options of outcomes) {
    const sink = createSink()
    world.push(sink, options)
    expect(sink.errors).toEqual([])
    await sink.end
    expect(sink.errors).toHaveLength(1)
  }
  world.client.close()
  const sink = createSink()
  world.push(sink)
  await sink.end
  expect(sink.errors).toEqual([expect.objectContaining({ code: 'client_closed' })])
})

it('ends when its signal is aborted, and the backend hears of it', async () => {
  const { onCall, taken } = createHeldCall()
  await using world = await startWorld(onCall)
  const controller = new AbortController()
  const sink = createSink()
  world.push(sink, { signal: controller.signal })
  const closed = resetCode(await taken)
  controller.abort()
  await sink.end
  expect(sink.errors).toEqual([expect.objectContaining({ kind: 'cancelled' })])
  expect(await closed).toBe(constants.NGHTTP2_CANCEL)
})

it('says nothing after it was cancelled', async () => {
  const { onCall, taken } = createHeldCall()
  await using world = await startWorld(onCall)
  const sink = createSink()
  const flow = world.push(sink)
  const stream = await taken
  stream.write(replyFrame('a'))
  await expect.poll(() => sink.batches.flat()).toEqual(['a'])
  const closed = resetCode(stream)
  flow.cancel()
  expect(await closed).toBe(constants.NGHTTP2_CANCEL)
  await new Promise((resolve) => setImmediate(resolve))
  expect(sink.errors).toEqual([])
  expect(sink.batches.flat()).toEqual(['a'])
})

it('ends the stream when the sink throws', async () => {
  const { onCall, taken } = createHeldCall()
  await using world = await startWorld(onCall)
  const sink = createSink()
  const broken = new Error('the client is gone')
  const onReplies = () => {
    throw broken
  }
  pushReplies(world.client.predictStream({}), { ...sink, onReplies })
  const stream = await taken
  const closed = resetCode(stream)
  stream.write(replyFrame('a'))
  await sink.end
  expect(sink.errors).toEqual([broken])
  expect(await closed).toBe(constants.NGHTTP2_CANCEL)
})

it('holds replies and the end behind them back while it is paused', async () => {
  await using world = await startWorld(answerTexts('a', 'b', 'c'))
  const sink = createSink()
  const flow: ReplyFlow = pushReplies(world.client.predictStream({}), {
    ...sink,
    onReplies(replies) {
      sink.onReplies(replies)
      if (sink.batches.length === 1) flow.pause()
    },
  })
  await expect.poll(() => sink.batches).toHaveLength(1)
  await world.client.predictStream({}).next()
  expect(sink.batches).toHaveLength(1)
  flow.resume()
  await sink.end
  expect(sink.batches.flat()).toEqual(['a', 'b', 'c'])
})

it('may be paused before the first reply', async () => {
  await using world = await startWorld(answerTexts('a'))
  const sink = createSink()
  const flow = world.push(sink)
  flow.pause()
  await world.client.predictStream({}).next()
  expect(sink.batches).toEqual([])
  flow.resume()
  await sink.end
  expect(sink.batches).toEqual([['a']])
})

it('ends a backend that falls silent', async () => {
  const { onCall, taken } = createHeldCall()
  await using world = await startWorld(onCall)
  const sink = createSink()
  world.push(sink, { idleTimeoutMs: 1000 })
  const stream = await taken
  stream.write(replyFrame('a'))
  await sink.end
  expect(sink.batches).toEqual([['a']])
  expect(sink.errors).toEqual([expect.objectContaining({ kind: 'timeout', code: 'backend_idle' })])
})

it('hands the trailers on before the end', async () => {
  const order: unknown[] = []
  await using world = await startWorld((stream) => {
    beginReply(stream, { 'grpc-status': '0', 'svc-finish-reason': 'stop' })
    stream.end(replyFrame('a'))
  })
  await new Promise<void>((resolve) => {
    pushReplies(world.client.predictStream({}, { onTrailers: (trailers) => order.push(trailers) }), {
      onReplies: () => {},
      onEnd: () => {
        order.push('end')
        resolve()
      },
    })
  })
  expect(order).toEqual([{ 'svc-finish-reason': 'stop' }, 'end'])
})

it('pushes the replies of one read together, without a turn of the loop between them', async () => {
  const texts = Array.from({ length: 50 }, (_, index) => `${index} `)
  const { onCall, taken } = createHeldCall()
  await using world = await startWorld(onCall)
  const sink = createSink()
  world.push(sink)
  const stream = await taken
  // Each in a frame of its own, all in one write to the socket.
  for (const text of texts) stream.write(replyFrame(text))
  stream.end()
  await sink.end
  expect(sink.batches.flat()).toEqual(texts)
  expect(sink.batches.length).toBeLessThan(5)
})

it('does not count a pause as silence', async () => {
  const { onCall, taken } = createHeldCall()
  await using world = await startWorld(onCall)
  const sink = createSink()
  const flow = world.push(sink, { idleTimeoutMs: 500 })
  flow.pause()
  const stream = await taken
  stream.write(replyFrame('a'))
  await new Promise((resolve) => setTimeout(resolve, 700))
  expect(sink.errors).toEqual([])
  flow.resume()
  await sink.end
  expect(sink.batches).toEqual([['a']])
  expect(sink.errors).toEqual([expect.objectContaining({ code: 'backend_idle' })])
})

it('leaves nothing to read of a stream that is pushed', async () => {
  await using world = await startWorld(answerTexts('a'))
  const replies = world.client.predictStream({})
  const sink = createSink()
  pushReplies(replies, sink)
  expect(await replies.next()).toEqual({ value: undefined, done: true })
  await sink.end
})

it('pushes any async generator', async () => {
  async function* count() {
    yield 1
    yield 2
  }
  const got: unknown[] = []
  await new Promise<void>(
    (resolve) =>
      void pushReplies(count(), {
        onReplies: (replies) => got.push(...replies),
        onEnd: (error) => {
          got.push(error)
          resolve()
        },
      }),
  )
  expect(got).toEqual([1, 2, undefined])
})
