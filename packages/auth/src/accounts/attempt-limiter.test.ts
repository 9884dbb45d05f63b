import { setMaxListeners } from 'node:events'
import { createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { type AttemptBudget, createAttemptLimiter, nameAccount, nameAddress } from './attempt-limiter.ts'

const call = { signal: new AbortController().signal }
// a thousand attempts at once listen to it
setMaxListeners(0, call.signal)
const five = (name: string): AttemptBudget => ({ name, perMinute: 5 })

function createWorld(options: { readonly maxNames?: number; readonly maxWaiting?: number } = {}) {
  const clock = createFakeClock()
  const limiter = createAttemptLimiter({ clock, ...options })
  const begin = (...budgets: readonly AttemptBudget[]) => limiter.begin(budgets, call)
  return {
    clock,
    limiter,
    begin,
    async fail(...budgets: readonly AttemptBudget[]) {
      const attempt = await begin(...budgets)
      attempt.end(true)
    },
    /** Time that an attempt has to wait, milliseconds; 0 when it may go on, and then it succeeds. */
    waitOf: (...budgets: readonly AttemptBudget[]): Promise<number> =>
      begin(...budgets).then(
        (attempt) => {
          attempt.end(false)
          return 0
        },
        (error: { readonly kind: string; readonly retryAfterMs: number }) => {
          expect(error.kind).toBe('rate_limited')
          return error.retryAfterMs
        },
      ),
  }
}

/** Whether a promise has settled once everything that is due has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let hasSettled = false
  const note = (): void => {
    hasSettled = true
  }
  promise.then(note, note)
  await new Promise((resolve) => setImmediate(resolve))
  return hasSettled
}

describe('attempts', () => {
  it('that fail are five a minute for each name, in a sliding window', async () => {
    const { clock, fail, waitOf } = createWorld()
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await fail(five('a'))
      await clock.advance(1000)
    }
    expect(await waitOf(five('a'))).toBe(55_000)
    expect(await waitOf(five('b'), five('a')), 'one full name is enough').toBe(55_000)
    expect(await waitOf(five('b'))).toBe(0)
    clock.setNow(0)
    expect(await waitOf(five('a')), 'wall time does not count').toBe(55_000)
    await clock.advance(55_000)
    await fail(five('a'))
    expect(await waitOf(five('a'))).toBe(1000)
  })

  it('that succeed count nothing, however many', async () => {
    const { fail, waitOf } = createWorld()
    for (let attempt = 0; attempt < 4; attempt += 1) await fail(five('a'))
    for (let attempt = 0; attempt < 100; attempt += 1) expect(await waitOf(five('a'))).toBe(0)
    await fail(five('a'))
    expect(await waitOf(five('a'))).toBe(60_000)
  })

  it('are not limited with 0', async () => {
    const { fail, waitOf } = createWorld()
    for (let attempt = 0; attempt < 100; attempt += 1) await fail({ name: 'a', perMinute: 0 })
    expect(await waitOf({ name: 'a', perMinute: 0 })).toBe(0)
    await expect(fail({ name: 'a', perMinute: -1 })).rejects.toThrow('a whole number, 0 or more')
  })

  it('that run may fail, so those behind them wait, in order; no more than five at once can fail', async () => {
    const { begin } = createWorld()
    const running = await Promise.all(Array.from({ length: 5 }, () => begin(five('a'))))
    const [sixth, seventh] = [begin(five('a')), begin(five('a'))]
    expect([await isSettled(sixth), await isSettled(begin(five('b')))]).toEqual([false, true])
    running[0]?.end(false)
    running[0]?.end(false)
    expect([await isSettled(sixth), await isSettled(seventh)]).toEqual([true, false])
    for (const attempt of running.slice(1)) attempt.end(true)
    const last = await sixth
    expect(await isSettled(seventh), 'the sixth could fail too').toBe(false)
    last.end(true)
    await expect(seventh).rejects.toMatchObject({ kind: 'rate_limited', retryAfterMs: 60_000 })
  })

  it('of a thousand that come at once, five fail and the others are refused', async () => {
    const { begin } = createWorld({ maxWaiting: 2000 })
    const outcomes = await Promise.all(
      Array.from({ length: 1000 }, async () => {
        try {
          const attempt = await begin(five('a'))
          await new Promise((resolve) => setImmediate(resolve))
          attempt.end(true)
          return 'failed'
        } catch {
          return 'refused'
        }
      }),
    )
    expect(outcomes.filter((outcome) => outcome === 'failed')).toHaveLength(5)
  })

  it('wait no longer than their caller, and no more of them than there is room for', async () => {
    const { begin, limiter } = createWorld({ maxWaiting: 1 })
    await Promise.all(Array.from({ length: 5 }, () => begin(five('a'))))
    const leaving = new AbortController()
    const waiting = limiter.begin([five('a')], { signal: leaving.signal })
    waiting.catch(() => undefined)
    await expect(begin(five('a'))).rejects.toMatchObject({ kind: 'rate_limited', retryAfterMs: 1000 })
    leaving.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    await expect(limiter.begin([five('b')], { signal: leaving.signal })).rejects.toThrow('gone')
    expect(await isSettled(begin(five('a'))), 'there is room again').toBe(false)
  })

  it('may be exempt from a budget, which is asked once the budget is used up and no other refuses', async () => {
    const { fail, waitOf } = createWorld()
    let asked = 0
    const open = (isExempt: boolean): AttemptBudget => ({
      name: 'wide',
      perMinute: 5,
      isExempt: async () => {
        asked += 1
        return isExempt
      },
    })
    for (let attempt = 0; attempt < 5; attempt += 1) await fail(five(`pair-${attempt}`), open(false))
    expect(asked, 'not before it matters').toBe(0)
    expect(await waitOf(five('pair-0'), open(false))).toBe(60_000)
    expect(await waitOf(five('pair-0'), open(true))).toBe(0)
    expect(asked).toBe(2)
    for (let attempt = 0; attempt < 5; attempt += 1) await fail(five('known'), open(true))
    asked = 0
    expect(await waitOf(five('known'), open(true)), 'its own budget holds').toBe(60_000)
    expect(asked).toBe(0)
  })

  it('of the name that failed longest ago are forgotten first', async () => {
    const { fail, waitOf } = createWorld({ maxNames: 3 })
    const one = (name: string): AttemptBudget => ({ name, perMinute: 1 })
    for (const name of ['a', 'b', 'c', 'd']) await fail(one(name))
    expect(await waitOf(one('b'))).toBeGreaterThan(0)
    expect(await waitOf(one('a'))).toBe(0)
  })
})

describe('AU-1: an address', () => {
  it.each([
    ['192.0.2.7', 'address:192.0.2.7'],
    ['::ffff:192.0.2.7', 'address:192.0.2.7'],
    ['::FFFF:c000:0207', 'address:192.0.2.7'],
    ['[2001:db8::1]', 'address:2001:db8:0:0::/64'],
    ['2001:0DB8:0:0:ffff:1:2:3', 'address:2001:db8:0:0::/64'],
    ['2001:db8:0:1::', 'address:2001:db8:0:1::/64'],
    ['fe80::1%eth0', 'address:fe80:0:0:0::/64'],
    ['::1', 'address:0:0:0:0::/64'],
    ['nonsense', 'address:nonsense'],
  ])('%s is %s', (address, name) => {
    expect(nameAddress(address)).toBe(name)
  })

  it('and accounts are told apart', () => {
    expect(nameAccount(' Ada@Site.example ')).toBe('account:ada@site.example')
  })
})
