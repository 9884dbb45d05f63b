import { createFakeClock } from '@svc/test-kit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLoadCooldown } from './cooldown.ts'

function catchRefusal(act: () => void): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  return undefined
}

describe('createLoadCooldown', () => {
  it('refuses a model during the window after a failure, with the rest of the window', async () => {
    const clock = createFakeClock()
    const cooldown = createLoadCooldown({ firstMs: 10_000, clock })
    cooldown.check('x')
    cooldown.failed('x')
    await clock.advance(600)
    expect(catchRefusal(() => cooldown.check('x'))).toMatchObject({
      kind: 'unavailable',
      code: 'model_load_cooldown',
      message: 'model "x" load is in cooldown after a recent failure; retry after 10s',
      retryAfterMs: 9400,
    })
    cooldown.check('y')
    await clock.advance(9400)
    cooldown.check('x')
  })

  it('says at least one second', async () => {
    const clock = createFakeClock()
    const cooldown = createLoadCooldown({ firstMs: 10_000, clock })
    cooldown.failed('x')
    await clock.advance(9999)
    expect(catchRefusal(() => cooldown.check('x'))).toMatchObject({
      message: expect.stringContaining('retry after 1s'),
    })
  })

  // verifies cooldown:window:doubles, cooldown:window:longest, cooldown:window:resets
  it('doubles with each failure in a row, up to five minutes, and starts anew after a success', async () => {
    const clock = createFakeClock()
    const cooldown = createLoadCooldown({ firstMs: 10_000, clock })
    for (const windowMs of [10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]) {
      cooldown.failed('x')
      expect(catchRefusal(() => cooldown.check('x'))).toMatchObject({ retryAfterMs: windowMs })
      await clock.advance(windowMs)
      cooldown.check('x')
    }
    cooldown.succeeded('x')
    cooldown.failed('x')
    expect(catchRefusal(() => cooldown.check('x'))).toMatchObject({ retryAfterMs: 10_000 })
  })

  // verifies cooldown:window:zero-is-off
  it('is off with 0', () => {
    const cooldown = createLoadCooldown({ firstMs: 0, clock: createFakeClock() })
    cooldown.failed('x')
    cooldown.check('x')
  })

  it('does not notice jumps of the wall clock (REL-12)', () => {
    const clock = createFakeClock()
    const cooldown = createLoadCooldown({ firstMs: 10_000, clock })
    cooldown.failed('x')
    clock.setNow(Date.UTC(2036, 0, 1))
    expect(catchRefusal(() => cooldown.check('x'))).toMatchObject({ retryAfterMs: 10_000 })
  })

  it('has a finite window after any number of failures', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 1_000_000 }), (count, firstMs) => {
        const cooldown = createLoadCooldown({ firstMs, clock: createFakeClock() })
        for (let index = 0; index < count; index++) cooldown.failed('x')
        const longest = Math.max(300_000, firstMs)
        expect(catchRefusal(() => cooldown.check('x'))).toMatchObject({
          retryAfterMs: Math.min(firstMs * 2 ** (count - 1), longest),
        })
      }),
      { numRuns: 30 },
    )
  })
})
