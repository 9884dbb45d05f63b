import { createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { startLifetime } from './lifetime.ts'

function start() {
  const clock = createFakeClock()
  const caller = new AbortController()
  const lifetime = startLifetime({ clock, signal: caller.signal, timeoutMs: 1000, idleTimeoutMs: 100 })
  return { clock, caller, lifetime }
}

const timedOut = (reason: string) =>
  expect.objectContaining({ kind: 'timeout', code: 'fetch_timeout', details: { upstream: true, reason } })

describe('startLifetime', () => {
  it('ends when the network has been silent for the idle limit, from the start on', async () => {
    const { clock, lifetime } = start()
    await clock.advance(99)
    expect(lifetime.signal.aborted).toBe(false)
    await clock.advance(1)
    expect(lifetime.signal.reason).toEqual(timedOut('idle'))
    expect(clock.sleepers).toBe(0)
  })

  it('counts silence from the last answer', async () => {
    const { clock, lifetime } = start()
    await clock.advance(60)
    lifetime.stopWaiting()
    lifetime.startWaiting()
    await clock.advance(99)
    expect(lifetime.signal.aborted).toBe(false)
    await clock.advance(1)
    expect(lifetime.signal.reason).toEqual(timedOut('idle'))
  })

  it('does not count the time of a slow reader as silence, but as time', async () => {
    const { clock, lifetime } = start()
    lifetime.stopWaiting()
    await clock.advance(999)
    expect(lifetime.signal.aborted).toBe(false)
    await clock.advance(1)
    expect(lifetime.signal.reason).toEqual(timedOut('total'))
  })

  it('ends with the reason of its caller', () => {
    const { caller, lifetime, clock } = start()
    const reason = new Error('client gone')
    caller.abort(reason)
    expect(lifetime.signal.reason).toBe(reason)
    expect(clock.sleepers).toBe(0)
  })

  it('ends at once when its caller is gone already', () => {
    const reason = new Error('client gone')
    const lifetime = startLifetime({
      clock: createFakeClock(),
      signal: AbortSignal.abort(reason),
      timeoutMs: 1000,
      idleTimeoutMs: 100,
    })
    expect(lifetime.signal.reason).toBe(reason)
  })

  it('leaves nothing behind when it has ended', async () => {
    const { clock, caller, lifetime } = start()
    lifetime.end()
    expect(clock.sleepers).toBe(0)
    await clock.advance(5000)
    caller.abort()
    expect(lifetime.signal.aborted).toBe(false)
  })

  it('takes limits longer than a timer can wait', async () => {
    const asked: number[] = []
    startLifetime({
      clock: { ...createFakeClock(), sleep: (ms) => new Promise(() => asked.push(ms)) },
      signal: new AbortController().signal,
      timeoutMs: Number.POSITIVE_INFINITY,
      idleTimeoutMs: 100,
    })
    expect(asked).toEqual([2 ** 31 - 1, 100])
  })
})
