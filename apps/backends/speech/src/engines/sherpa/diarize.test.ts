import { expect, it } from 'vitest'
import { joinTurns } from './diarize.ts'

it('joins turns of one speaker over a short pause', () => {
  const turns = [
    { start: 5, end: 6, speaker: 1 },
    { start: 0, end: 1, speaker: 0 },
    { start: 1.2, end: 2, speaker: 0 },
    { start: 3, end: 4, speaker: 0 },
  ]
  expect(joinTurns(turns, 0.5)).toEqual([
    { start: 0, end: 2, speaker: 0 },
    { start: 3, end: 4, speaker: 0 },
    { start: 5, end: 6, speaker: 1 },
  ])
  expect(joinTurns(turns, 0)).toHaveLength(4)
})
