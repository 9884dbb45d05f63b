import { expect, it } from 'vitest'
import { joinSegments } from '../document.ts'
import { joinAdjacentParts } from './adjacent-parts.ts'

function joinParts(texts: readonly string[], messages: readonly { start: number; end: number }[]) {
  return joinAdjacentParts(joinSegments({ segments: texts.map((text) => ({ text })), messages }).document)
}

it('joins the parts of each message without a separator', () => {
  const joined = joinParts(
    ['ab', 'cd', 'x', 'ef', 'gh', 'i'],
    [
      { start: 0, end: 2 },
      { start: 2, end: 3 },
      { start: 3, end: 6 },
    ],
  )
  expect(joined.map(({ text }) => text)).toEqual(['abcd', 'efghi'])
  expect(joined[1]?.parts).toEqual([
    { start: 0, end: 2 },
    { start: 2, end: 4 },
    { start: 4, end: 5 },
  ])
})

it('finds the way back, with the separators where a range crosses an edge', () => {
  const [joined] = joinParts(['ab', 'cd', 'ef'], [{ start: 0, end: 3 }])
  expect(joined?.toDocument({ start: 1, end: 3 })).toEqual({ start: 1, end: 5 })
  expect(joined?.toDocument({ start: 0, end: 6 })).toEqual({ start: 0, end: 10 })
  expect(joined?.toDocument({ start: 3, end: 5 })).toEqual({ start: 5, end: 9 })
  expect(joined?.toDocument({ start: 2, end: 4 })).toEqual({ start: 4, end: 6 })
  expect(joined?.toDocument({ start: 5, end: 6 })).toEqual({ start: 9, end: 10 })
})
