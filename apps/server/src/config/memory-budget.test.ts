import { describe, expect, it } from 'vitest'
import { isBudget, parseBudget } from './memory-budget.ts'

describe('a budget of memory', () => {
  it.each([
    ['80%', { share: 0.8 }],
    ['12.5 %', { share: 0.125 }],
    ['100%', { share: 1 }],
    ['12GB', { bytes: 12 * 1024 ** 3 }],
    ['512 MiB', { bytes: 512 * 1024 ** 2 }],
    ['1000', { bytes: 1000 }],
  ])('%s', (text, budget) => {
    expect(parseBudget(text)).toEqual(budget)
    expect(isBudget(text)).toBe(true)
  })
  it.each(['0%', '101%', '0', '-1GB', 'half', '%'])('is not %s', (text) => {
    expect(parseBudget(text)).toBeUndefined()
    expect(isBudget(text)).toBe(false)
  })
  it('is nothing when it is empty', () => {
    expect([parseBudget(''), isBudget('')]).toEqual([undefined, true])
  })
})
