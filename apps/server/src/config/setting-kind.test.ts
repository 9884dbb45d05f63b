import { describe, expect, it } from 'vitest'
import { durationText, galleries, line, lines, onOff, share, wholeNumber, word } from './setting-kind.ts'

describe('the kinds of settings', () => {
  it.each([
    ['switch', onOff, [true, false], ['true', 1, null]],
    ['whole number', wholeNumber({ min: -1, max: 5 }), [-1, 0, 5], [-2, 6, 1.5, '1', Number.NaN, null]],
    ['share', share, [0.95, 1, 0.001], [0, 1.01, -1, '0.5']],
    ['line', line, ['', 'a é'], ['a\nb', 'a'.repeat(16_385), 1, null]],
    ['duration', durationText, ['15m', '0', '720h'], ['15', '', 15, '1d']],
    ['word', word('chromem', 'postgres'), ['postgres'], ['Postgres', '', 1]],
    ['lines', lines, [[], ['a', 'b']], ['a', [''], [' '], [1], ['a\0'], Array(10_001).fill('a')]],
    [
      'galleries',
      galleries,
      [[], [{ url: 'https://a', name: 'a', more: 1 }]],
      [[{ url: 'a' }], [{ url: 1, name: 'a' }], [null], {}],
    ],
  ])('%s', (_name, kind, right, wrong) => {
    for (const value of right) expect(kind.safeParse(value).data).toEqual(value)
    for (const value of wrong) expect(kind.safeParse(value).success).toBe(false)
  })
})
