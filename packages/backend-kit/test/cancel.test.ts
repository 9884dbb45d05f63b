import { setTimeout as sleep } from 'node:timers/promises'
import { createDeferred } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { startWorld } from './world.ts'

/** Waits for the abort of a call and reports it. */
async function untilAborted(signal: AbortSignal, seen: (reason: unknown) => void): Promise<never> {
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  seen(signal.reason)
  throw signal.reason
}

it('aborts a handler whose caller cancels', async () => {
  const started = createDeferred()
  const aborted = createDeferred<unknown>()
  await using world = await startWorld({
    handlers: {
      predict: (_request, { signal }) => {
        started.resolve()
        return untilAborted(signal, aborted.resolve)
      },
    },
  })
  const controller = new AbortController()
  const failed = expect(world.client.predict({}, { signal: controller.signal })).rejects.toMatchObject({
    kind: 'cancelled',
  })
  await started.promise
  controller.abort()
  await failed
  expect(await aborted.promise).toMatchObject({ name: 'AbortError' })
})

it('aborts a handler at the deadline of its caller', async () => {
  const aborted = createDeferred<unknown>()
  await using world = await startWorld({
    handlers: { predict: (_request, { signal }) => untilAborted(signal, aborted.resolve) },
  })
  await expect(world.client.predict({}, { timeoutMs: 1000 })).rejects.toMatchObject({ code: 'backend_timeout' })
  await aborted.promise
})

it('ends the generator of a stream whose reader leaves, also between two replies', async () => {
  const finished = createDeferred<boolean>()
  await using world = await startWorld({
    handlers: {
      async *predictStream(_request, { signal }) {
        try {
          yield { message: Buffer.from('first') }
          await sleep(60_000, undefined, { signal })
        } finally {
          finished.resolve(signal.aborted)
        }
      },
    },
  })
  for await (const _ of world.client.predictStream({})) break
  expect(await finished.promise).toBe(true)
})

it('ends a generator that never looks at its signal', async () => {
  const finished = createDeferred()
  await using world = await startWorld({
    handlers: {
      async *predictStream() {
        try {
          while (true) yield { message: Buffer.from('on and on ') }
        } finally {
          finished.resolve()
        }
      },
    },
  })
  for await (const _ of world.client.predictStream({})) break
  await finished.promise
})

it('ends both directions of a duplex call', async () => {
  const finished = createDeferred()
  await using world = await startWorld({
    handlers: {
      async *audioTransformStream(requests) {
        try {
          for await (const _ of requests) yield { pcm: Buffer.from('x') }
        } finally {
          finished.resolve()
        }
      },
    },
  })
  const controller = new AbortController()
  const call = world.client.audioTransformStream({ signal: controller.signal })
  await call.write({ config: {} })
  const replies = call[Symbol.asyncIterator]()
  await replies.next()
  controller.abort()
  await expect(replies.next()).rejects.toMatchObject({ kind: 'cancelled' })
  await finished.promise
})

it('makes no more than a reader takes', async () => {
  let made = 0
  const size = 64 * 1024
  await using world = await startWorld({
    handlers: {
      async *predictStream() {
        for (; made < 5000; made += 1) yield { message: Buffer.alloc(size) }
      },
    },
  })
  const replies = world.client.predictStream({})
  await replies.next()
  let before = -1
  while (before !== made) {
    before = made
    await sleep(200)
  }
  // 16 replies of grpc-js on each side, and the socket buffers: a small part of 5000.
  expect(made * size).toBeLessThan(16 * 1024 * 1024)
  let taken = 1
  for await (const _ of replies) taken += 1
  expect(taken).toBe(5000)
})

it('survives thousands of callers that leave, and so do the others', async () => {
  const leaving = new Set<AbortSignal>()
  const release = createDeferred()
  await using world = await startWorld({
    handlers: {
      async *predictStream({ Prompt }, { signal }) {
        leaving.add(signal)
        yield { message: Buffer.from('x') }
        if (Prompt === 'stay') await release.promise
        else await sleep(60_000, undefined, { signal }).finally(() => leaving.delete(signal))
        yield { message: Buffer.from('y') }
      },
    },
  })
  const stays = world.client.predictStream({ Prompt: 'stay' })
  await stays.next()
  const leave = async () => {
    for await (const _ of world.client.predictStream({})) break
  }
  // A Node server closes a connection after a thousand aborted calls, with everything on it.
  for (let round = 0; round < 25; round += 1) await Promise.all(Array.from({ length: 100 }, leave))
  release.resolve()
  expect((await stays.next()).value?.message.toString()).toBe('y')
  while (leaving.size > 1) await sleep(5)
  await world.client.health()
})
