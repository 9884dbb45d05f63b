import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Keepalive } from './keepalive.ts'

const TIMES = { intervalMs: 1000, timeoutMs: 100 }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A connection that answers pings when the test says so. */
function createPinged() {
  const answers: ((error: Error | null) => void)[] = []
  let isDestroyed = false
  return {
    answers,
    get isDestroyed() {
      return isDestroyed
    },
    ping(answered: (error: Error | null) => void) {
      answers.push(answered)
      return true
    },
    destroy() {
      isDestroyed = true
    },
  }
}

it('pings while calls run, again after each answer', () => {
  const pinged = createPinged()
  new Keepalive(pinged, TIMES).start()
  vi.advanceTimersByTime(999)
  expect(pinged.answers).toHaveLength(0)
  vi.advanceTimersByTime(1)
  expect(pinged.answers).toHaveLength(1)
  pinged.answers[0]?.(null)
  vi.advanceTimersByTime(1000)
  expect(pinged.answers).toHaveLength(2)
  expect(pinged.isDestroyed).toBe(false)
})

it('breaks the connection off when no answer comes in time', () => {
  const pinged = createPinged()
  new Keepalive(pinged, TIMES).start()
  vi.advanceTimersByTime(1099)
  expect(pinged.isDestroyed).toBe(false)
  vi.advanceTimersByTime(1)
  expect(pinged.isDestroyed).toBe(true)
})

it('breaks the connection off when a ping fails or cannot be sent', () => {
  const failing = createPinged()
  new Keepalive(failing, TIMES).start()
  vi.advanceTimersByTime(1000)
  failing.answers[0]?.(new Error('cancelled'))
  expect(failing.isDestroyed).toBe(true)
  const full = { ...createPinged(), ping: () => false, destroy: vi.fn() }
  new Keepalive(full, TIMES).start()
  vi.advanceTimersByTime(1000)
  expect(full.destroy).toHaveBeenCalled()
})

it('leaves an idle connection alone, and pings with the first call after a long silence', () => {
  const pinged = createPinged()
  const keepalive = new Keepalive(pinged, TIMES)
  keepalive.start()
  keepalive.pause()
  vi.advanceTimersByTime(10_000)
  expect(pinged.answers).toHaveLength(0)
  keepalive.start()
  expect(pinged.answers).toHaveLength(1)
})

it('starts no second timer for a second call', () => {
  const pinged = createPinged()
  const keepalive = new Keepalive(pinged, TIMES)
  keepalive.start()
  keepalive.pause()
  keepalive.start()
  expect(vi.getTimerCount()).toBe(1)
  keepalive.stop()
  expect(vi.getTimerCount()).toBe(0)
})
