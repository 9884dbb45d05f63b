import { expect, it } from 'vitest'
import { createPacketBudget } from './packet-budget.ts'

it('takes a thousand packets a second, drops more, and names a flood', () => {
  const budget = createPacketBudget()
  const counts = { take: 0, drop: 0, flood: 0 }
  for (let packet = 0; packet < 10_001; packet++) counts[budget.count(5)]++
  expect(counts).toEqual({ take: 1000, drop: 9000, flood: 1 })
  expect(budget.count(1005)).toBe('take')
})
