import { createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createBus } from '../../../bus/create-bus.ts'
import { silentLogger } from '../../../db/__fixtures__/places.ts'
import { createFailoverWatch, MAX_READERS, MAX_UNREAD } from './watch.ts'

const event = { type: 'switch', from: 'a', to: 'b' } as const

describe('a reader of changes', () => {
  it('takes the changes since it opened, each with its group and time', async () => {
    const clock = createFakeClock()
    const bus = createBus({ logger: silentLogger })
    const watch = createFailoverWatch({ bus, clock })
    bus.publish('failover.changed', { group: 'early', event })
    const reader = watch.open()
    bus.publish('failover.changed', { group: 'm', event })
    await clock.advance(5)
    bus.publish('failover.changed', { group: 'n', event: { type: 'pin', model: undefined } })
    expect(reader.take()?.events).toEqual([
      { group: 'm', event, at: clock.now() - 5 },
      { group: 'n', event: { type: 'pin', model: undefined }, at: clock.now() },
    ])
  })

  it('is ended when it leaves more unread than is kept; other readers are not', () => {
    const bus = createBus({ logger: silentLogger })
    const watch = createFailoverWatch({ bus, clock: createFakeClock() })
    const [slow, quick] = [watch.open(), watch.open()]
    for (let count = 0; count <= MAX_UNREAD; count += 1) {
      bus.publish('failover.changed', { group: 'm', event })
      expect(quick.take()?.events).toHaveLength(1)
    }
    expect(() => slow.take()).toThrow(expect.objectContaining({ kind: 'unavailable', code: 'failover_reader_slow' }))
  })

  it('is one of few', () => {
    const bus = createBus({ logger: silentLogger })
    const watch = createFailoverWatch({ bus, clock: createFakeClock() })
    for (let count = 0; count < MAX_READERS; count += 1) watch.open()
    expect(() => watch.open()).toThrow(
      expect.objectContaining({ kind: 'rate_limited', code: 'failover_readers', retryAfterMs: 1000 }),
    )
  })
})
