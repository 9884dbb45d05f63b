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
    socket: { bytesWritten: 0, writableLength: 0 },
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
  watchHalfClosed(reply, reply)
  vi.advanceTimersByTime(25_000)
  expect(reply.asked.slice(0, 6)).toEqual([1, 2, 4, 8, 16, 32])
  expect(reply.asked.slice(-2)).toEqual([18_192, 23_192])
  expect(reply.isCut).toBe(false)
})

it('asks no more once the reply has begun, or the watch has ended', () => {
  const [begun, ended] = [createReply(), createReply()]
  watchHalfClosed(begun, begun)
  const end = watchHalfClosed(ended, ended)
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
  watchHalfClosed(slow, { socket: slow.socket, httpVersion: '1.0' })
  watchHalfClosed(quick, { socket: quick.socket, httpVersion: '1.0' })
  vi.advanceTimersByTime(14_000)
  quick.headersSent = true
  expect(slow.isCut).toBe(false)
  vi.advanceTimersByTime(2000)
  expect([slow.isCut, quick.isCut, slow.asked]).toEqual([true, false, []])
})

it('cuts a reply that has begun, and sends nothing more', () => {
  const [silent, talking, unread, ended] = [createReply(), createReply(), createReply(), createReply()]
  const ends = [silent, talking, unread, ended].map((reply) => watchHalfClosed(reply, reply))
  for (const reply of [silent, talking, unread, ended]) reply.headersSent = true
  vi.advanceTimersByTime(24_000)
  unread.socket.writableLength = 1
  ends.at(-1)?.()
  for (let second = 24; second < 80; second += 8) {
    expect(silent.isCut).toBe(second > 24)
    talking.socket.bytesWritten += 1
    vi.advanceTimersByTime(8000)
  }
  expect([silent, talking, unread, ended].map(({ isCut }) => isCut)).toEqual([true, false, false, false])
})
