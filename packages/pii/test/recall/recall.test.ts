import { expect, it } from 'vitest'
import { measureRecall } from './measure.ts'

const LEAST = 0.97

it('finds the generated values of each group, and seldom another text', async () => {
  const counts = await measureRecall({ each: 200, seed: 20_251 })
  expect(counts).toHaveLength(29)
  for (const { group, found, missed, false: wrong } of counts) {
    const recall = found / (found + missed.length)
    const precision = found / (found + wrong.length)
    expect({ group, missed: recall < LEAST ? missed.slice(0, 5) : [] }).toEqual({ group, missed: [] })
    expect({ group, false: precision < LEAST ? wrong.slice(0, 5) : [] }).toEqual({ group, false: [] })
  }
})
