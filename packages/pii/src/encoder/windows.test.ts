import fc from 'fast-check'
import { expect, it } from 'vitest'
import { planWindows } from './windows.ts'

it('one window for a short text, none for an empty one', () => {
  expect(planWindows(0, { size: 4, overlap: 1 })).toEqual([])
  expect(planWindows(4, { size: 4, overlap: 1 })).toEqual([{ start: 0, end: 4, keepStart: 0, keepEnd: 4 }])
})

it('every token counts once, in a window of the right size, as far from its ends as the overlap allows', () => {
  const property = fc.property(fc.nat(400), fc.integer({ min: 1, max: 64 }), fc.nat(64), (count, size, asked) => {
    const overlap = Math.min(asked, size - 1)
    const reach = Math.floor(overlap / 2)
    const windows = planWindows(count, { size, overlap })
    const counted = windows.flatMap(({ keepStart, keepEnd }) => [keepStart, keepEnd])
    const isRight = windows.every(({ start, end, keepStart, keepEnd }, index) => {
      const before = index === 0 ? 0 : reach
      const behind = index === windows.length - 1 ? 0 : reach
      return (
        end - start === Math.min(size, count) &&
        keepStart - start >= before &&
        end - keepEnd >= behind &&
        keepEnd > keepStart
      )
    })
    expect(isRight).toBe(true)
    expect([0, ...counted]).toEqual([
      ...counted.flatMap((place, index) => (index % 2 === 0 ? [place, place] : [])),
      count,
    ])
  })
  fc.assert(property, { numRuns: 1000 })
})
