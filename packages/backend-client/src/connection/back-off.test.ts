import { expect, it } from 'vitest'
import { BackOff } from './back-off.ts'

/** Times before the next attempt may begin, after failures that begin as soon as they may. */
function failAgain(backOff: BackOff, times: number, random: number): number[] {
  const pauses: number[] = []
  let now = 0
  for (let count = 0; count < times; count += 1) {
    backOff.fail(now, random)
    let next = now
    while (backOff.isWaiting(next)) next += 1
    pauses.push(next - now)
    now = next
  }
  return pauses
}

it('waits longer after each failure, up to a limit', () => {
  expect(failAgain(new BackOff(), 6, 0.5)).toEqual([25, 40, 64, 100, 100, 100])
})

it('spreads its pauses', () => {
  expect(failAgain(new BackOff(), 3, 0)[1]).toBe(32)
  expect(failAgain(new BackOff(), 3, 1)[1]).toBe(48)
})

it('begins anew after a success', () => {
  const backOff = new BackOff()
  failAgain(backOff, 5, 0.5)
  backOff.reset()
  expect(backOff.isWaiting(0)).toBe(false)
  expect(failAgain(backOff, 2, 0.5)).toEqual([25, 40])
})

it('does not wait at first', () => {
  expect(new BackOff().isWaiting(0)).toBe(false)
})
