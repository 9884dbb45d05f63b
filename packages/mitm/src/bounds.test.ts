import { expect, it, vi } from 'vitest'
import { ByteBudget } from './limits/byte-budget.ts'
import { Deadlines } from './limits/deadlines.ts'
import { LruCache } from './limits/lru-cache.ts'

it('a budget is shared by all accounts, and each gives back what it took', () => {
  const budget = new ByteBudget(10)
  const [one, other] = [budget.open(), budget.open()]
  one.take(6)
  other.take(4)
  expect(budget.usedBytes).toBe(10)
  expect(() => one.take(1)).toThrow(expect.objectContaining({ code: 'mitm_buffer_full', kind: 'unavailable' }))
  expect(budget.usedBytes).toBe(10)
  one.release()
  one.release()
  expect(budget.usedBytes).toBe(4)
  other.take(6)
  other.release()
  expect(budget.usedBytes).toBe(0)
})

it('a full cache forgets the entry unused for longest', () => {
  const cache = new LruCache<number>(2)
  cache.set('a', 1)
  cache.set('b', 2)
  cache.set('a', 3)
  expect([cache.get('a'), cache.size]).toEqual([3, 2])
  cache.set('c', 4)
  expect([cache.get('a'), cache.get('b'), cache.get('c'), cache.size]).toEqual([3, undefined, 4, 2])
  cache.get('a')
  cache.set('d', 5)
  expect([cache.get('a'), cache.get('c'), cache.get('d')]).toEqual([3, undefined, 5])
  cache.delete('a')
  expect([cache.get('a'), cache.size]).toEqual([undefined, 1])
})

it('deadlines end what they watch once, and their timer ends with the last', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  try {
    const deadlines = new Deadlines()
    const ended: string[] = []
    const watch = (name: string, deadline: number) => ({ deadline, expire: () => ended.push(name) })
    const [early, moved, removed] = [watch('early', 300), watch('moved', 300), watch('removed', 300)]
    const start = performance.now()
    for (const each of [early, moved, removed]) {
      each.deadline += start
      deadlines.add(each)
    }
    deadlines.remove(removed)
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(250)
    expect(ended).toEqual([])
    moved.deadline += 1000
    vi.advanceTimersByTime(250)
    expect(ended).toEqual(['early'])
    vi.advanceTimersByTime(750)
    expect([ended, vi.getTimerCount()]).toEqual([['early'], 1])
    vi.advanceTimersByTime(250)
    expect([ended, vi.getTimerCount()]).toEqual([['early', 'moved'], 0])
    deadlines.add(watch('closed', start))
    deadlines.close()
    vi.advanceTimersByTime(1000)
    expect([ended, vi.getTimerCount()]).toEqual([['early', 'moved'], 0])
    deadlines.add(watch('again', start))
    vi.advanceTimersByTime(250)
    expect(ended).toEqual(['early', 'moved', 'again'])
  } finally {
    vi.useRealTimers()
  }
})
