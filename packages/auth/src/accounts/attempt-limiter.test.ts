import { createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createAttemptLimiter, nameAccount, nameAddress } from './attempt-limiter.ts'

describe('attempts', () => {
  it('are five a minute for each name, in a sliding window', async () => {
    const clock = createFakeClock()
    const limiter = createAttemptLimiter({ clock, perMinute: 5 })
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect(limiter.take(['a'])).toBe(0)
      await clock.advance(1000)
    }
    expect(limiter.take(['a'])).toBe(55_000)
    expect(limiter.take(['b', 'a']), 'one full name is enough').toBe(55_000)
    expect(limiter.take(['b'])).toBe(0)
    clock.setNow(0)
    expect(limiter.take(['a']), 'wall time does not count').toBe(55_000)
    await clock.advance(55_000)
    expect(limiter.take(['a'])).toBe(0)
    expect(limiter.take(['a'])).toBe(1000)
  })

  it('are not limited with 0', () => {
    const limiter = createAttemptLimiter({ clock: createFakeClock(), perMinute: 0 })
    expect(Array.from({ length: 100 }, () => limiter.take(['a'])).every((wait) => wait === 0)).toBe(true)
  })

  it('of the name that tried longest ago are forgotten first', () => {
    const limiter = createAttemptLimiter({ clock: createFakeClock(), perMinute: 1, maxNames: 3 })
    for (const name of ['a', 'b', 'c', 'd']) limiter.take([name])
    expect(limiter.take(['b'])).toBeGreaterThan(0)
    expect(limiter.take(['a'])).toBe(0)
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
