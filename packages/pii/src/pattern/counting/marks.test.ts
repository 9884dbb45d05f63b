import { expect, it } from 'vitest'
import { Dice } from '../__fixtures__/random-patterns.ts'
import { Marks } from './marks.ts'

it('are found from both sides', () => {
  const dice = new Dice(91)
  const marks = new Marks()
  for (const [first, length, count] of [
    [0, 40, 3],
    [1000, 9000, 40],
    [7, 70, 70],
    [31, 33, 0],
    [5, 100_000, 3],
  ] as const) {
    marks.begin(first)
    const offsets = new Set(Array.from({ length: count }, () => first + dice.roll(length)))
    for (const offset of offsets) marks.add(offset)
    const sorted = [...offsets].sort((one, other) => one - other)
    expect(marks.highest).toBe(sorted.at(-1) ?? -1)
    for (let round = 0; round < 400; round++) {
      const at = first + dice.roll(length + 70)
      expect(marks.has(at)).toBe(offsets.has(at))
      expect(marks.next(at)).toBe(sorted.find((offset) => offset >= at) ?? -1)
      expect(marks.previous(at)).toBe(sorted.findLast((offset) => offset <= at) ?? -1)
    }
  }
})

it('forgets earlier marks', () => {
  const marks = new Marks()
  marks.begin(10)
  marks.add(11)
  marks.add(900)
  marks.begin(10)
  expect([marks.highest, marks.has(11), marks.next(10), marks.previous(2000)]).toEqual([-1, false, -1, -1])
})
