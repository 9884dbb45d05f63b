import { once } from 'node:events'
import { status } from '@grpc/grpc-js'
import { expect, it } from 'vitest'
import { createBackendClient, pushReplies } from '../src/index.ts'
import { AudioTransformFrameRequest, AudioTransformFrameResponse, Reply } from '../src/proto.ts'
import { cancelled, type RawCall, startRawServer } from './raw-server.ts'

const STREAM = '/backend.Backend/PredictStream'
const DUPLEX = '/backend.Backend/AudioTransformStream'

function piece(text: string): Buffer {
  return Buffer.from(Reply.encode(Reply.fromPartial({ message: Buffer.from(text) })).finish())
}

/** A server whose one stream is in the hands of the test. */
async function startStream(path = STREAM) {
  let take: (call: RawCall) => void = () => {}
  const taken = new Promise<RawCall>((resolve) => {
    take = resolve
  })
  const server = await startRawServer({
    [path]: (call) => {
      if (path === STREAM) call.resume()
      take(call)
    },
  })
  const client = createBackendClient({ address: server.address })
  return {
    client,
    server,
    taken,
    async [Symbol.asyncDispose]() {
      client.close()
      server.kill()
    },
  }
}

it('gives replies in order and ends', async () => {
  await using world = await startStream()
  const texts: string[] = []
  void world.taken.then((call) => {
    for (const text of ['a', '', 'b']) call.write(piece(text))
    call.end()
  })
  for await (const reply of world.client.predictStream({})) texts.push(reply.message.toString())
  expect(texts).toEqual(['a', '', 'b'])
})

it('starts with the first read', async () => {
  await using world = await startStream()
  const replies = world.client.predictStream({})
  let isCalled = false
  void world.taken.then(() => {
    isCalled = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(isCalled).toBe(false)
  const first = replies.next()
  const call = await world.taken
  call.write(piece('x'))
  expect((await first).value?.message.toString()).toBe('x')
  await replies.return()
})

it('gives what came before a failure, then the failure', async () => {
  await using world = await startStream()
  void world.taken.then((call) => {
    for (let index = 0; index < 10; index += 1) call.write(piece(`${index} `))
    call.emit('error', { code: status.RESOURCE_EXHAUSTED, details: 'queue full' })
  })
  let text = ''
  const read = async () => {
    for await (const reply of world.client.predictStream({})) {
      text += reply.message.toString()
    }
  }
  await expect(read()).rejects.toMatchObject({ kind: 'rate_limited', message: 'queue full' })
  expect(text).toBe(Array.from({ length: 10 }, (_, index) => `${index} `).join(''))
})

it.each(['break', 'throw'])('cancels the call when the loop is left by %s', async (how) => {
  await using world = await startStream()
  void world.taken.then((call) => call.write(piece('x')))
  const read = async () => {
    for await (const _ of world.client.predictStream({})) {
      if (how === 'break') break
      throw new Error('enough')
    }
  }
  if (how === 'break') await read()
  else await expect(read()).rejects.toThrow('enough')
  await cancelled(await world.taken)
})

it('ends a waiting read in the tick of the abort, and the backend hears of it', async () => {
  await using world = await startStream()
  const controller = new AbortController()
  const replies = world.client.predictStream({}, { signal: controller.signal })
  let outcome: unknown
  const reading = replies.next().catch((error: unknown) => {
    outcome = error
  })
  const call = await world.taken
  controller.abort()
  // Only promise jobs run before this one: no timer, no I/O.
  await new Promise<void>((resolve) => process.nextTick(() => process.nextTick(resolve)))
  expect(outcome).toMatchObject({ kind: 'cancelled' })
  await reading
  await cancelled(call)
  expect(await replies.next()).toEqual({ value: undefined, done: true })
})

it('drops what is buffered when it is aborted', async () => {
  await using world = await startStream()
  const controller = new AbortController()
  void world.taken.then((call) => {
    for (const text of 'abcdef') call.write(piece(text))
  })
  const replies = world.client.predictStream({}, { signal: controller.signal })
  expect((await replies.next()).value?.message.toString()).toBe('a')
  controller.abort(new Error('gone'))
  await expect(replies.next()).rejects.toMatchObject({ kind: 'cancelled', cause: new Error('gone') })
})

it('does not start when its signal is aborted already', async () => {
  await using world = await startStream()
  const replies = world.client.predictStream({}, { signal: AbortSignal.abort() })
  await expect(replies.next()).rejects.toMatchObject({ kind: 'cancelled' })
})

it('ends a backend that falls silent, but not a reader that is slow', async () => {
  await using world = await startStream()
  void world.taken.then((call) => {
    call.write(piece('a'))
    call.write(piece('b'))
  })
  const replies = world.client.predictStream({}, { idleTimeoutMs: 700 })
  await replies.next()
  await new Promise((resolve) => setTimeout(resolve, 900))
  expect((await replies.next()).value?.message.toString()).toBe('b')
  await expect(replies.next()).rejects.toMatchObject({ kind: 'timeout', code: 'backend_idle' })
  await cancelled(await world.taken)
})

it('ends at its deadline in the middle of a stream', async () => {
  await using world = await startStream()
  void world.taken.then((call) => call.write(piece('a')))
  const replies = world.client.predictStream({}, { timeoutMs: 1500 })
  await replies.next()
  await expect(replies.next()).rejects.toMatchObject({ kind: 'timeout', code: 'backend_timeout' })
})

it('fails as unavailable when the connection breaks', async () => {
  await using world = await startStream()
  void world.taken.then((call) => call.write(piece('a')))
  const replies = world.client.predictStream({})
  await replies.next()
  world.server.kill()
  await expect(replies.next()).rejects.toMatchObject({ kind: 'unavailable' })
})

it('talks both ways until each side is done', async () => {
  await using world = await startStream(DUPLEX)
  await using call = world.client.audioTransformStream()
  const served = world.taken.then((raw) => {
    raw.on('data', (bytes: Buffer) => {
      const { frame } = AudioTransformFrameRequest.decode(bytes)
      const reply = AudioTransformFrameResponse.fromPartial({ pcm: frame?.audioPcm ?? Buffer.from('config') })
      raw.write(Buffer.from(AudioTransformFrameResponse.encode(reply).finish()))
    })
    raw.on('end', () => raw.end())
  })
  await call.write({ config: { sampleRate: 16_000 } })
  await call.write({ frame: { audioPcm: Buffer.from('one') } })
  call.end()
  const texts: string[] = []
  for await (const { pcm } of call) texts.push(pcm.toString())
  await served
  expect(texts).toEqual(['config', 'one'])
  await call.write({ frame: { audioPcm: Buffer.from('late') } })
})

it('lets a writer wait while the backend does not read, and frees it when the call is over', async () => {
  await using world = await startStream(DUPLEX)
  const controller = new AbortController()
  const call = world.client.audioTransformStream({ signal: controller.signal })
  await world.taken
  let written = 0
  const writing = (async () => {
    while (written < 10_000) {
      await call.write({ frame: { audioPcm: Buffer.alloc(64 * 1024) } })
      if (controller.signal.aborted) return
      written += 1
    }
  })()
  await untilStable(() => written)
  expect(written).toBeLessThan(200)
  controller.abort()
  await writing
  await expect(call[Symbol.asyncIterator]().next()).rejects.toMatchObject({ kind: 'cancelled' })
})

it('cancels a duplex call on request', async () => {
  await using world = await startStream(DUPLEX)
  const call = world.client.audioTransformStream()
  const raw = await world.taken
  raw.resume()
  const gone = once(raw, 'cancelled')
  call.cancel()
  await gone
  await expect(call[Symbol.asyncIterator]().next()).rejects.toMatchObject({ kind: 'cancelled', code: 'cancelled' })
})

it('sends what was written before the connection stood, in order, and drops what follows the end', async () => {
  await using world = await startStream(DUPLEX)
  const call = world.client.audioTransformStream()
  const texts = ['a', 'b', 'c']
  for (const text of texts) void call.write({ frame: { audioPcm: Buffer.from(text) } })
  call.end()
  await call.write({ frame: { audioPcm: Buffer.from('late') } })
  const raw = await world.taken
  const got: string[] = []
  raw.on('data', (bytes: Buffer) => got.push(String(AudioTransformFrameRequest.decode(bytes).frame?.audioPcm)))
  raw.on('end', () => raw.end())
  expect(await call[Symbol.asyncIterator]().next()).toEqual({ value: undefined, done: true })
  expect(got).toEqual(texts)
})

it('frees a writer whose backend ends the call without reading', async () => {
  await using world = await startStream(DUPLEX)
  const call = world.client.audioTransformStream()
  const writing = call.write({ frame: { audioPcm: Buffer.alloc(1024 * 1024) } })
  const raw = await world.taken
  raw.emit('error', { code: status.RESOURCE_EXHAUSTED, details: 'queue full' })
  await writing
  await expect(call[Symbol.asyncIterator]().next()).rejects.toMatchObject({ kind: 'rate_limited' })
})

it('ends a duplex call with the reason why a message cannot be sent', async () => {
  await using world = await startStream(DUPLEX)
  await using small = createBackendClient({ address: world.server.address, maxMessageBytes: 100 })
  const outcomes = [
    [{ frame: { audioPcm: Buffer.alloc(200) } }, { kind: 'too_large', code: 'message_too_large' }],
    [{ config: { sampleRate: 2 ** 40 } }, { kind: 'internal', code: 'backend_error' }],
  ] as const
  for (const [message, failure] of outcomes) {
    const call = small.audioTransformStream()
    await call.write(message)
    await expect(call[Symbol.asyncIterator]().next()).rejects.toMatchObject(failure)
  }
})

it('pushes the replies of a duplex call, one by one', async () => {
  await using world = await startStream(DUPLEX)
  const call = world.client.audioTransformStream()
  const raw = await world.taken
  for (const text of ['a', 'b']) {
    raw.write(
      Buffer.from(
        AudioTransformFrameResponse.encode(
          AudioTransformFrameResponse.fromPartial({ pcm: Buffer.from(text) }),
        ).finish(),
      ),
    )
  }
  raw.end()
  const got: string[] = []
  await new Promise<void>((resolve, reject) => {
    const sink = {
      onReplies: (replies: readonly AudioTransformFrameResponse[]) =>
        void got.push(...replies.map(({ pcm }) => String(pcm))),
      onEnd: (error: Error | undefined) => (error === undefined ? resolve() : reject(error)),
    }
    pushReplies(call[Symbol.asyncIterator]() as AsyncGenerator<AudioTransformFrameResponse, void, void>, sink)
  })
  expect(got).toEqual(['a', 'b'])
})

/** Waits until a number has not changed for a while. */
async function untilStable(read: () => number): Promise<void> {
  let before = -1
  while (read() !== before || before === 0) {
    before = read()
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

it('loses no call where many others are left early', async () => {
  const calls: RawCall[] = []
  await using server = await startRawServer({
    [STREAM]: (call) => {
      call.resume()
      call.write(piece('first'))
      if (calls.length === 0) calls.push(call)
    },
  })
  await using client = createBackendClient({ address: server.address })
  const steady = client.predictStream({})
  await steady.next()
  // More than one connection may break off: calls move on to others, also the one that is just being made.
  for (let index = 0; index < 1200; index += 1) {
    const replies = client.predictStream({})
    expect((await replies.next()).value?.message.toString()).toBe('first')
    await replies.return()
  }
  calls[0]?.write(piece('second'))
  expect((await steady.next()).value?.message.toString()).toBe('second')
  await steady.return()
})
