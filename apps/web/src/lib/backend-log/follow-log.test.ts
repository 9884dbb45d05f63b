// @vitest-environment jsdom
import { afterEach, expect, it, vi } from 'vitest'
import { LogBuffer, type SentLine } from './log-lines.ts'
import { followLog, type LogLink } from './use-log.ts'

/** A socket that the test opens, fills and closes. */
class TestSocket {
  static readonly made: TestSocket[] = []
  readonly url: string
  onopen: (() => void) | undefined
  onmessage: ((event: { readonly data: unknown }) => void) | undefined
  onclose: (() => void) | undefined
  isClosed = false
  constructor(url: string) {
    this.url = url
    TestSocket.made.push(this)
  }
  close(): void {
    this.isClosed = true
  }
}

const line = (text: string): SentLine => ({ timestamp: '2026-01-01T00:00:00Z', stream: 'stdout', text })

afterEach(() => {
  TestSocket.made.length = 0
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

function follow(fetchLines = async (): Promise<readonly SentLine[]> => []) {
  vi.stubGlobal('WebSocket', TestSocket)
  const buffer = new LogBuffer()
  const links: LogLink[] = []
  const end = followLog({ socketPath: '/ws/nodes/1/backend-logs/demo', fetchLines }, buffer, ({ link }) => {
    if (link !== undefined) links.push(link)
  })
  return { links, end, texts: () => buffer.read().map(({ text, missed }) => missed ?? text) }
}

it('reads the socket of its source: all lines first, then each line and the gaps', () => {
  const { links, end, texts } = follow()
  const [socket] = TestSocket.made
  expect(new URL(socket?.url ?? '').pathname).toBe('/ws/nodes/1/backend-logs/demo')
  socket?.onopen?.()
  for (const message of [
    { type: 'initial', lines: [line('one')] },
    { type: 'missed', count: 3 },
    { type: 'line', line: line('two') },
  ])
    socket?.onmessage?.({ data: JSON.stringify(message) })
  expect([links, texts()]).toEqual([
    ['connecting', 'socket'],
    ['one', 3, 'two'],
  ])
  end()
  expect(socket?.isClosed).toBe(true)
})

it('asks for the lines where sockets do not come through, and stops at its end', async () => {
  vi.useFakeTimers()
  const fetchLines = vi.fn(async () => [line('polled')])
  const { links, end, texts } = follow(fetchLines)
  TestSocket.made[0]?.onclose?.()
  await vi.advanceTimersByTimeAsync(1_000)
  TestSocket.made[1]?.onclose?.()
  await vi.advanceTimersByTimeAsync(4_000)
  expect([links.at(-1), texts(), fetchLines.mock.calls.length]).toEqual(['polling', ['polled'], 3])
  end()
  await vi.advanceTimersByTimeAsync(60_000)
  expect([TestSocket.made.length, fetchLines.mock.calls.length]).toEqual([2, 3])
})
