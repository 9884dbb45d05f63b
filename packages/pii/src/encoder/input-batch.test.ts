import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBatchMaker, planBatches } from './input-batch.ts'

const row = (...ids: number[]): { ids: number[]; types: number[] } => ({ ids, types: ids.map((id) => id % 2) })
const input = (name: string, kind = 'int64', shape: readonly (number | string)[] = ['b', 's']): object => ({
  name,
  kind,
  shape,
})
const maker = (...inputs: object[]): ReturnType<typeof createBatchMaker> =>
  createBatchMaker({ inputs: inputs as never, outputs: [] }, { padId: 9 })

describe('the inputs of a graph', () => {
  it('is filled up to the longest row', () => {
    const inputs = ['input_ids', 'attention_mask', 'token_type_ids', 'position_ids'].map((name) => input(name))
    const feeds = maker(...inputs).feeds([row(1, 2, 3), row(4)])
    const numbers = Object.entries(feeds).map(([name, { dims, data }]) => [name, dims, Array.from(data, Number)])
    expect(numbers).toEqual([
      ['input_ids', [2, 3], [1, 2, 3, 4, 9, 9]],
      ['attention_mask', [2, 3], [1, 1, 1, 1, 0, 0]],
      ['token_type_ids', [2, 3], [1, 0, 1, 0, 0, 0]],
      ['position_ids', [2, 3], [0, 1, 2, 0, 0, 0]],
    ])
  })

  it('has the size that the graph fixes', () => {
    const fixed = maker(input('input_ids', 'int32', [2, 4]))
    expect([fixed.maxRows, fixed.fixedLength]).toEqual([2, 4])
    const { input_ids: block } = fixed.feeds([row(1)])
    expect(block).toEqual({ kind: 'int32', dims: [2, 4], data: Int32Array.of(1, 9, 9, 9, 9, 9, 9, 9) })
  })

  it.each([
    [[input('input_ids'), input('pixel_values')], /wants the inputs pixel_values/],
    [[input('attention_mask')], /no input input_ids/],
    [[input('input_ids', 'float32')], /input_ids is not a table of whole numbers/],
    [[input('input_ids', 'int64', ['b'])], /input_ids is not a table of whole numbers/],
  ])('is nothing for a graph that reads no text', (inputs, message) => {
    expect(() => maker(...inputs)).toThrow(message)
  })
})

it('batches hold every row once, and no more tokens than allowed but for a row alone', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 60 })
  const property = fc.property(
    lengths,
    fc.integer({ min: 1, max: 100 }),
    fc.integer({ min: 1, max: 8 }),
    (all, maxTokens, maxRows) => {
      const rows = all.map((length) => row(...Array.from({ length }, (_, index) => index)))
      const batches = planBatches(rows, { maxTokens, maxRows })
      expect(batches.flat().sort((a, b) => a - b)).toEqual(rows.map((_, index) => index))
      for (const batch of batches) {
        const longest = Math.max(...batch.map((index) => all[index] ?? 0))
        expect(batch.length).toBeLessThanOrEqual(maxRows)
        expect(batch.length === 1 || batch.length * longest <= maxTokens).toBe(true)
      }
    },
  )
  fc.assert(property, { numRuns: 1000 })
})
