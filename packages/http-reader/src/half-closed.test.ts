import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { watchHalfClosed } from './half-closed.ts'

beforeEach(() => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
})

function createReply() {
  const asked: number[] = []
  const begun = Date.now()
  return {
    asked,
    headersSent: false,
    isCut: false,
    writeContinue: () => void asked.push(Date.now() - begun),
    destroy() {
      this.isCut = true
    },
  }
}

it('asks at once, then less and less often', () => {
  const reply = createReply()
  watchHalfClosed(reply)
  vi.advanceTimersByTime(25_000)
  expect(reply.asked.slice(0, 6)).toEqual([1, 2, 4, 8, 16, 32])
  expect(reply.asked.slice(-2)).toEqual([18_192, 23_192])
  expect(reply.isCut).toBe(false)
})

it('asks no more once the reply has begun, or the watch has ended', () => {
  const [begun, ended] = [createReply(), createReply()]
  watchHalfClosed(begun)
  const end = watchHalfClosed(ended)
  vi.advanceTimersByTime(3)
  begun.headersSent = true
  end()
  vi.advanceTimersByTime(60_000)
  expect([begun.asked, ended.asked]).toEqual([
    [1, 2],
    [1, 2],
  ])
})

it('waits 15 s for the reply of a client that cannot be asked, and no longer', () => {
  const [slow, quick] = [createReply(), createReply()]
  watchHalfClosed(slow, '1.0')
  watchHalfClosed(quick, '1.0')
  vi.advanceTimersByTime(14_000)
  quick.headersSent = true
  expect(slow.isCut).toBe(false)
  vi.advanceTimersByTime(2000)
  expect([slow.isCut, quick.isCut, slow.asked]).toEqual([true, false, []])
})
