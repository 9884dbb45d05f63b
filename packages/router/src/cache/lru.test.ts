import { expect, it } from 'vitest'
import { createLruCache } from './lru.ts'

it('forgets what was used least recently', () => {
  const evicted: number[] = []
  const cache = createLruCache<number>({ maxEntries: 2, onEvict: (value) => evicted.push(value) })
  cache.set('a', 1)
  cache.set('b', 2)
  expect(cache.get('a')).toBe(1)
  cache.set('c', 3)
  expect([cache.get('b'), cache.get('a'), cache.get('c'), evicted]).toEqual([undefined, 1, 3, [2]])
  cache.set('a', 4)
  expect([cache.size, cache.get('a')]).toEqual([2, 4])
  cache.delete('a')
  expect([cache.size, cache.get('a')]).toEqual([1, undefined])
})

it('holds so much text and no more', () => {
  const cache = createLruCache<number>({ maxEntries: 1_000, maxKeyLength: 160 })
  for (let index = 0; index < 100; index++) cache.set(`${index}`.padStart(10), index)
  expect(cache.size).toBe(16)
  cache.set('x'.repeat(11), 0)
  expect(cache.get('x'.repeat(11))).toBeUndefined()
  cache.clear()
  expect(cache.size).toBe(0)
  cache.set('y', 1)
  expect(cache.size).toBe(1)
})
