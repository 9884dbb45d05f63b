import { createDeferred, eventually, patienceMs } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../clock.ts'
import type { LogFields } from '../../ports.ts'
import type { FinishedSpan } from './finished-span.ts'
import { createSpanQueue, type SpanQueue } from './span-queue.ts'
import { newTraceId, SpanScope } from './span-scope.ts'

interface World {
  readonly queue: SpanQueue
  readonly sent: (readonly FinishedSpan[])[]
  readonly lines: [level: string, fields: LogFields, message: string][]
  isClosed(): boolean
}

function open(send: (count: number) => Promise<void> = async () => undefined, options = {}): World {
  const sent: (readonly FinishedSpan[])[] = []
  const lines: World['lines'] = []
  let isClosed = false
  const log = (level: string) => (fields: LogFields, message: string) => void lines.push([level, fields, message])
  const queue = createSpanQueue({
    exporter: {
      send(spans) {
        sent.push(spans)
        return send(sent.length)
      },
      close() {
        isClosed = true
      },
    },
    maxWaiting: 100,
    batch: 10,
    gatherMs: 20,
    closeMs: 100,
    clock: systemClock,
    logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    ...options,
  })
  return { queue, sent, lines, isClosed: () => isClosed }
}

const scope = new SpanScope(newTraceId(), { isSampled: true, parent: undefined, isParentRemote: false })
const span = (name: string): FinishedSpan => ({
  scope,
  name,
  kind: 'internal',
  startedAt: 0,
  durationMs: 1,
  attributes: {},
  isFailed: false,
})

function add(queue: SpanQueue, count: number): void {
  for (let index = 0; index < count; index += 1) queue.add(span(String(index)))
}

describe('the queue of spans', () => {
  it('sends spans together, in their order, and everything before it closes', async () => {
    const { queue, sent, isClosed } = open()
    add(queue, 25)
    await queue.close()
    expect(sent.map((spans) => spans.length)).toEqual([10, 10, 5])
    expect(sent.flat().map(({ name }) => name)).toEqual(Array.from({ length: 25 }, (_, index) => String(index)))
    expect([queue.lost, isClosed()]).toEqual([0, true])
  })

  it('does not wait for others once a batch is full', async () => {
    const { queue, sent } = open(undefined, { gatherMs: 60_000 })
    add(queue, 10)
    await systemClock.sleep(20, { signal: new AbortController().signal })
    expect(sent.map((spans) => spans.length)).toEqual([10])
    await queue.close()
  })

  it('has one batch on its way, keeps no more than its limit, and counts what it loses', async () => {
    const gate = createDeferred<void>()
    const { queue, sent } = open(() => gate.promise)
    add(queue, 10)
    await systemClock.sleep(50, { signal: new AbortController().signal })
    add(queue, 1000)
    expect([sent.length, queue.lost]).toEqual([1, 900])
    gate.resolve()
    await queue.close()
    expect([sent.flat().length, queue.lost]).toEqual([110, 900])
  })

  it('says once that the receiver is away, and once that it is back', async () => {
    const { queue, sent, lines } = open(async (count) => {
      if (count <= 3) throw Object.assign(new Error('x'.repeat(1000)), { code: 'ECONNREFUSED', data: 'text of theirs' })
    })
    add(queue, 45)
    await queue.close()
    expect([sent.length, queue.lost]).toEqual([5, 30])
    expect(lines.map(([level, fields]) => [level, fields])).toEqual([['info', {}]])
  })

  it('logs the code and a short reason while it is open', async () => {
    const { queue, lines } = open(async () => {
      throw Object.assign(new Error('x'.repeat(1000)), { code: 401, data: 'text of theirs' })
    })
    add(queue, 30)
    await eventually(() =>
      expect(lines).toEqual([['warn', { code: 401, reason: 'x'.repeat(200) }, expect.any(String)]]),
    )
    await queue.close()
  })

  it('closes in time where the receiver never answers', async () => {
    const { queue, isClosed } = open(() => new Promise(() => undefined))
    add(queue, 50)
    const startedAt = systemClock.monotonic()
    await queue.close()
    expect(systemClock.monotonic() - startedAt).toBeLessThan(patienceMs(1000))
    expect([queue.lost, isClosed()]).toEqual([40, true])
    queue.add(span('late'))
    expect(queue.lost).toBe(41)
  })
})
