import { createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createFailoverWatch, MAX_READERS, MAX_UNREAD } from './watch.ts'

const signal = new AbortController().signal
const event = { type: 'switch', from: 'a', to: 'b' } as const

function start() {
  const clock = createFakeClock()
  const watch = createFailoverWatch({ clock })
  return { clock, watch, take: { waitMs: 1000, signal } }
}

describe('a reader of changes', () => {
  it('is told what has changed since it last asked, and what changes while it waits', async () => {
    const { clock, watch, take } = start()
    watch.publish('early', event)
    const reader = watch.open()
    watch.publish('m', event)
    await clock.advance(5)
    watch.publish('n', { type: 'pin', model: undefined })
    expect(await reader.take(take)).toEqual([
      { chain: 'm', event, at: clock.now() - 5 },
      { chain: 'n', event: { type: 'pin', model: undefined }, at: clock.now() },
    ])
    const waiting = reader.take(take)
    watch.publish('o', event)
    expect(await waiting).toMatchObject([{ chain: 'o' }])
    expect(clock.sleepers).toBe(0)
  })

  it('hears nothing for as long as it waits, and then asks again', async () => {
    const { clock, watch, take } = start()
    const waiting = watch.open().take(take)
    await clock.advance(1000)
    expect(await waiting).toEqual([])
  })

  it('is ended once it has read what was there; and by its own signal', async () => {
    const { watch, take } = start()
    const reader = watch.open()
    watch.publish('m', event)
    watch.dropReaders()
    watch.publish('m', event)
    expect(await reader.take(take)).toHaveLength(1)
    expect(await reader.take(take)).toBeUndefined()
    const left = new AbortController()
    const waiting = watch.open().take({ ...take, signal: left.signal })
    const reason = new Error('gone')
    left.abort(reason)
    await expect(waiting).rejects.toBe(reason)
  })

  it('that does not read is ended, so that its changes do not fill the memory; others are not', async () => {
    const { watch, take } = start()
    const [slow, quick] = [watch.open(), watch.open()]
    for (let count = 0; count <= MAX_UNREAD; count += 1) {
      watch.publish('m', event)
      expect(await quick.take(take)).toHaveLength(1)
    }
    await expect(slow.take(take)).rejects.toMatchObject({ kind: 'unavailable', code: 'failover_reader_slow' })
  })

  it('is one of few; one that leaves makes room', () => {
    const { watch } = start()
    const readers = Array.from({ length: MAX_READERS }, () => watch.open())
    const full = { kind: 'rate_limited', code: 'failover_readers', retryAfterMs: 1000 }
    expect(() => watch.open()).toThrow(expect.objectContaining(full))
    readers[0]?.close()
    watch.open()
    expect(() => watch.open()).toThrow(expect.objectContaining(full))
  })
})
