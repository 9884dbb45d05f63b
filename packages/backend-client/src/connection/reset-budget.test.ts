import { expect, it } from 'vitest'
import { createResetBudget } from './reset-budget.ts'

it('lasts for a burst and no longer', () => {
  const budget = createResetBudget(0)
  const spent = Array.from({ length: 501 }, () => budget.spend(0))
  expect(spent.indexOf(false)).toBe(500)
})

it('fills again with time, up to a burst', () => {
  const budget = createResetBudget(0)
  for (let index = 0; index < 501; index += 1) budget.spend(0)
  expect(budget.spend(10)).toBe(false)
  expect(budget.spend(1000)).toBe(true)
  const later = Array.from({ length: 501 }, () => budget.spend(1e9))
  expect(later.indexOf(false)).toBe(500)
})

it('lasts for ever at a pace that servers bear', () => {
  const budget = createResetBudget(0)
  const spent = Array.from({ length: 5000 }, (_, index) => budget.spend((index * 1000) / 15))
  expect(spent).not.toContain(false)
})
