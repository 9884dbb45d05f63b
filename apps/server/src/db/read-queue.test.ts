import { createDeferred } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createReadQueue } from './read-queue.ts'

const never = new AbortController().signal
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('a read queue', () => {
  it('runs as many at a time as it may, in their order', async () => {
    const queue = createReadQueue({ concurrency: 2, limit: 10 })
    const gates = [createDeferred(), createDeferred(), createDeferred()]
    const started: number[] = []
    const results = gates.map((gate, index) =>
      queue.run(
        async () => {
          started.push(index)
          await gate.promise
          return index
        },
        { signal: never },
      ),
    )
    expect(started).toEqual([0, 1])
    gates[1]?.resolve()
    expect(await results[1]).toBe(1)
    await settled()
    expect(started).toEqual([0, 1, 2])
    gates[0]?.resolve()
    gates[2]?.resolve()
    expect(await Promise.all(results)).toEqual([0, 1, 2])
  })
  it('refuses one more than may wait, with a time to try again', async () => {
    const queue = createReadQueue({ concurrency: 1, limit: 2 })
    const gate = createDeferred<number>()
    const accepted = Array.from({ length: 3 }, () => queue.run(() => gate.promise, { signal: never }))
    await expect(queue.run(() => gate.promise, { signal: never })).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'database_busy',
      retryAfterMs: 1000,
    })
    gate.resolve(7)
    expect(await Promise.all(accepted)).toEqual([7, 7, 7])
  })
  it('takes an aborted task out before it runs', async () => {
    const queue = createReadQueue({ concurrency: 1, limit: 2 })
    const gate = createDeferred()
    const first = queue.run(() => gate.promise, { signal: never })
    const controller = new AbortController()
    let ran = false
    const second = queue.run(
      async () => {
        ran = true
      },
      { signal: controller.signal },
    )
    controller.abort(new Error('left'))
    await expect(second).rejects.toThrow('left')
    gate.resolve()
    await first
    await queue.close()
    expect(ran).toBe(false)
    await expect(queue.run(async () => 1, { signal: controller.signal })).rejects.toThrow('left')
  })
  it('rejects a running one at once and keeps its place until it has ended', async () => {
    const queue = createReadQueue({ concurrency: 1, limit: 2 })
    const gate = createDeferred()
    const controller = new AbortController()
    const first = queue.run(() => gate.promise, { signal: controller.signal })
    let ran = false
    const second = queue.run(
      async () => {
        ran = true
      },
      { signal: never },
    )
    controller.abort(new Error('left'))
    await expect(first).rejects.toThrow('left')
    await settled()
    expect(ran).toBe(false)
    gate.resolve()
    await second
    expect(ran).toBe(true)
  })
  it('goes on after a task that failed', async () => {
    const queue = createReadQueue({ concurrency: 1, limit: 2 })
    const bad = queue.run(() => Promise.reject(new Error('bad')), { signal: never })
    const good = queue.run(async () => 'good', { signal: never })
    await expect(bad).rejects.toThrow('bad')
    expect(await good).toBe('good')
  })
  it('tells running reads to end, waits for them, and refuses the rest', async () => {
    const queue = createReadQueue({ concurrency: 1, limit: 2 })
    const gate = createDeferred<string>()
    let reason: unknown
    const running = queue.run(
      (signal) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason
        })
        return gate.promise
      },
      { signal: never },
    )
    const waiting = queue.run(async () => 'late', { signal: never })
    const closed = queue.close()
    await expect(waiting).rejects.toMatchObject({ code: 'database_unavailable' })
    await expect(queue.run(async () => 'later', { signal: never })).rejects.toMatchObject({
      code: 'database_unavailable',
    })
    expect(reason).toMatchObject({ code: 'database_unavailable' })
    gate.resolve('done')
    await closed
    expect(await running).toBe('done')
  })
})
