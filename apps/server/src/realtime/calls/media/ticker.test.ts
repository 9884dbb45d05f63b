import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createTicker } from './ticker.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it('ticks every 20 ms without drift, and holds no timer for nobody', () => {
  const ticks: number[] = []
  const began = performance.now()
  const ticker = createTicker({ now: () => performance.now() - began, onError: () => undefined })
  const stop = ticker.add((now) => ticks.push(now))
  vi.advanceTimersByTime(100)
  expect(ticks).toEqual([20, 40, 60, 80, 100])
  stop()
  expect(vi.getTimerCount()).toBe(0)
  const again = ticker.add((now) => ticks.push(now))
  vi.advanceTimersByTime(20)
  expect(ticks.at(-1)).toBe(120)
  again()
  again()
})

it('goes on after a listener that throws, without it', () => {
  const errors: unknown[] = []
  let ticks = 0
  const ticker = createTicker({ now: () => performance.now(), onError: (error) => errors.push(error) })
  ticker.add(() => {
    throw new Error('broken')
  })
  const stop = ticker.add(() => ticks++)
  vi.advanceTimersByTime(60)
  expect([errors.length, ticks]).toEqual([1, 3])
  stop()
})
