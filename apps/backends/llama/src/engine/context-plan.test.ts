import { describe, expect, it } from 'vitest'
import { type ContextPlan, planContext } from './context-plan.ts'

/** A plan in which each token of each slot costs a byte. */
async function plan(contextSize: number, slots: number, budgetBytes: number): Promise<ContextPlan> {
  const costBytes = async (size: number, count: number): Promise<number> => size * count
  return await planContext({ contextSize, slots, budgetBytes, costBytes })
}

describe('a plan for a context', () => {
  it('is the wish when it fits', async () => {
    expect(await plan(4096, 4, 4096 * 8)).toEqual({ contextSize: 4096, slots: 4, warnings: [] })
  })

  it('has fewer slots of the full context where memory is short', async () => {
    expect(await plan(4096, 4, 4096 * 6 + 100)).toEqual({
      contextSize: 4096,
      slots: 3,
      warnings: ['memory is short: 3 of 4 slots, of 4096 tokens each'],
    })
  })

  it('has one slot when that takes more than half of the free memory', async () => {
    expect(await plan(4096, 4, 4096)).toMatchObject({ contextSize: 4096, slots: 1 })
  })

  it('has the largest context that fits where one slot is too much', async () => {
    expect(await plan(131_072, 4, 50_000)).toEqual({
      contextSize: 49_920,
      slots: 1,
      warnings: ['memory is short: context lowered from 131072 to 49920 tokens, 1 slot'],
    })
  })

  it('stays between the minimum and the wish', async () => {
    expect(await plan(8192, 4, -1)).toMatchObject({ contextSize: 512, slots: 1 })
    expect(await plan(100, 2, -1)).toMatchObject({ contextSize: 100, slots: 1 })
  })
})
