import { describe, expect, it } from 'vitest'
import { mapWithPauses } from './map-with-pauses.ts'

const never = new AbortController().signal

describe('work on many items', () => {
  it('gives its results in order', async () => {
    expect(await mapWithPauses(['a', 'b'], (item, index) => `${item}${index}`, { signal: never })).toEqual(['a0', 'b1'])
    expect(await mapWithPauses([], () => 1, { signal: never })).toEqual([])
  })

  it('lets others have their turn between two of them', async () => {
    const events: unknown[] = []
    setImmediate(() => events.push('other'))
    await mapWithPauses([1, 2], (item) => events.push(item), { signal: never })
    expect(events).toEqual([1, 'other', 2])
  })

  it('ends between two items at an abort, and does not begin when already aborted', async () => {
    const controller = new AbortController()
    const done: number[] = []
    setImmediate(() => controller.abort(new Error('gone')))
    const working = mapWithPauses([1, 2, 3], (item) => done.push(item), { signal: controller.signal })
    await expect(working).rejects.toThrow('gone')
    expect(done).toEqual([1])
    await expect(mapWithPauses([4], (item) => done.push(item), { signal: controller.signal })).rejects.toThrow('gone')
    expect(done).toEqual([1])
  })

  it('ends with the first failure', async () => {
    const done: number[] = []
    const fail = (item: number) => {
      done.push(item)
      throw new Error('bad')
    }
    await expect(mapWithPauses([1, 2], fail, { signal: never })).rejects.toThrow('bad')
    expect(done).toEqual([1])
  })
})
