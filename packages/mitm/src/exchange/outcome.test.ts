import { expect, it } from 'vitest'
import { Outcome } from './outcome.ts'

it('has the time since it began, in milliseconds', () => {
  const before = performance.now()
  const outcome = new Outcome()
  const { durationMs } = outcome.toFields()
  expect(durationMs).toBeGreaterThanOrEqual(0)
  expect(durationMs).toBeLessThanOrEqual(performance.now() - before)
})

it('has the first failure, and was relayed without one', () => {
  const outcome = new Outcome()
  expect(outcome.toFields()).toMatchObject({ outcome: 'relayed', code: undefined, rewritten: false, upgraded: false })
  outcome.fail('blocked', 'first')
  outcome.fail('failed', 'second')
  expect(outcome.toFields()).toMatchObject({ outcome: 'blocked', code: 'first' })
})
