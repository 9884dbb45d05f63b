import { createDeferred } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { mapConcurrently } from './map-concurrently.ts'

const { signal } = new AbortController()

describe('mapConcurrently', () => {
  it('keeps the order of the items, independent of the order of completion', async () => {
    const gates = [createDeferred(), createDeferred(), createDeferred()]
    const ended: number[] = []
    const all = mapConcurrently([0, 1, 2], { limit: 3, signal }, async (item) => {
      await gates[item]?.promise
      ended.push(item)
      return item * 10
    })
    for (const item of [2, 0, 1]) gates[item]?.resolve()
    expect(await all).toEqual([0, 10, 20])
    expect(ended).toEqual([2, 0, 1])
  })

  it('never works on more than the limit, and on all in the end', async () => {
    let running = 0
    let most = 0
    const items = Array.from({ length: 20 }, (_, index) => index)
    const results = await mapConcurrently(items, { limit: 3, signal }, async (item) => {
      running += 1
      most = Math.max(most, running)
      await Promise.resolve()
      running -= 1
      return item
    })
    expect(results).toEqual(items)
    expect(most).toBe(3)
  })

  it('on a failure cancels running work, starts no more and throws once all work has ended', async () => {
    const started: string[] = []
    const over: string[] = []
    const all = mapConcurrently(['bad', 'slow', 'never'], { limit: 2, signal }, async (item, own) => {
      started.push(item)
      if (item === 'bad') throw new Error('bad')
      await new Promise<void>((resolve) => own.signal.addEventListener('abort', () => resolve()))
      over.push(item)
    })
    await expect(all).rejects.toThrow('bad')
    expect(started).toEqual(['bad', 'slow'])
    expect(over).toEqual(['slow'])
  })

  it('passes on that the caller has left', async () => {
    const caller = new AbortController()
    const reason = new Error('gone')
    const all = mapConcurrently([1], { limit: 1, signal: caller.signal }, async (_, own) => {
      caller.abort(reason)
      own.signal.throwIfAborted()
    })
    await expect(all).rejects.toBe(reason)
  })

  it('does nothing for an empty list', async () => {
    expect(await mapConcurrently([], { limit: 2, signal }, async () => 1)).toEqual([])
  })
})
