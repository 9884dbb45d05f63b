import { SvcError } from '@svc/errors'
import { createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createLoadWaiters, type WaitOptions } from './load-waiters.ts'

const never = new AbortController().signal
const options = (more: Partial<WaitOptions> = {}): WaitOptions => ({
  signal: never,
  waitMs: 60_000,
  tooLong: () => new SvcError('unavailable', 'still loading', { code: 'model_loading' }),
  ...more,
})

describe('createLoadWaiters', () => {
  it('gives each waiter its own value, first come, first served', async () => {
    const waiters = createLoadWaiters<number>(createFakeClock())
    const waiting = [waiters.join(options()), waiters.join(options()), waiters.join(options())]
    let next = 0
    waiters.admitAll(() => next++)
    expect(await Promise.all(waiting)).toEqual([0, 1, 2])
  })

  it('gives nothing to a waiter that left, and rejects it at once with the reason', async () => {
    const waiters = createLoadWaiters<string>(createFakeClock())
    const client = new AbortController()
    const leaving = waiters.join(options({ signal: client.signal }))
    const staying = waiters.join(options())
    client.abort()
    await expect(leaving).rejects.toMatchObject({ kind: 'cancelled' })
    let given = 0
    waiters.admitAll(() => `given ${++given}`)
    expect(await staying).toBe('given 1')
    expect(given).toBe(1)
  })

  it('rejects with the reason of the abort when it is an error of ours', async () => {
    const waiters = createLoadWaiters<string>(createFakeClock())
    const reason = new SvcError('timeout', 'request took too long')
    await expect(waiters.join(options({ signal: AbortSignal.abort(reason) }))).rejects.toBe(reason)
  })

  it('sends a waiter away after its longest wait while the others stay', async () => {
    const clock = createFakeClock()
    const waiters = createLoadWaiters<string>(clock)
    const short = waiters.join(options({ waitMs: 100 }))
    const long = waiters.join(options({ waitMs: 0 }))
    const refused = expect(short).rejects.toMatchObject({ code: 'model_loading' })
    await clock.advance(100)
    await refused
    await clock.advance(3_600_000)
    waiters.admitAll(() => 'loaded')
    expect(await long).toBe('loaded')
  })

  it('leaves no timer behind', async () => {
    const clock = createFakeClock()
    const waiters = createLoadWaiters<string>(clock)
    const waiting = waiters.join(options())
    expect(clock.sleepers).toBe(1)
    waiters.refuseAll(new SvcError('internal', 'load failed'))
    await expect(waiting).rejects.toThrow('load failed')
    expect(clock.sleepers).toBe(0)
  })
})
