import { expect, it } from 'vitest'
import { formatDuration, parseDuration } from './duration.ts'

it.each([
  ['30d', 2_592_000_000],
  ['1y', 31_536_000_000],
  ['720h', 2_592_000_000],
  ['1h30m', 5_400_000],
  ['1.5h', 5_400_000],
  ['250ms', 250],
  [' 5m ', 300_000],
])('%j is %d milliseconds', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds)
})

it.each(['', '5', 'd', '-1d', '1w', '1h 30m', '0s', '101y', '1e5s', `${'9'.repeat(50)}y`, '1s'.repeat(9)])(
  '%j is not a duration',
  (text) => {
    expect(parseDuration(text)).toBeUndefined()
  },
)

it('is written in its largest whole unit', () => {
  expect([86_400_000, 5_400_000, 3_600_000, 1000, 250].map(formatDuration)).toEqual(['1d', '90m', '1h', '1s', '250ms'])
})
