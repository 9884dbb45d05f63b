import { expect, it } from 'vitest'
import { limitHeaders } from './limit-headers.ts'

const NOW = Date.UTC(2026, 0, 1)

it.each([
  [-5, '0ms'],
  [0.2, '1ms'],
  [999, '999ms'],
  [1000, '1s'],
  [59_001, '1m0s'],
  [360_000, '6m0s'],
  [3_600_000, '1h0m0s'],
  [31 * 86_400_000, '744h0m0s'],
])('a reset in %d ms is %s', (ms, text) => {
  const figures = { tokens: { limit: 9, remaining: 0, resetsAt: NOW + ms } }
  expect(limitHeaders(figures, 'compatible', NOW)).toEqual({
    'x-ratelimit-limit-tokens': '9',
    'x-ratelimit-remaining-tokens': '0',
    'x-ratelimit-reset-tokens': text,
  })
})

it('a reset on the messages format is a time, never too early', () => {
  const bound = { limit: 9, remaining: 4, resetsAt: NOW + 1 }
  expect(limitHeaders({ requests: bound, cost: bound }, 'messages', NOW)).toEqual({
    'anthropic-ratelimit-requests-limit': '9',
    'anthropic-ratelimit-requests-remaining': '4',
    'anthropic-ratelimit-requests-reset': '2026-01-01T00:00:01Z',
  })
})
