import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findSpeech } from './find-speech.ts'

const rules = { threshold: 0.5, minSpeech: 0.2, minSilence: 0.3, padding: 0 }
/** Probabilities of windows of a tenth of a second: `.` is quiet, `-` between the thresholds, `#` speech. */
const toProbabilities = (text: string) =>
  Float32Array.from(text, (mark) => ({ '.': 0.1, '-': 0.4, '#': 0.9 })[mark] ?? 0)
const find = (text: string, extra: Partial<typeof rules> = {}) =>
  findSpeech(toProbabilities(text), 0.1, { ...rules, ...extra }).map(({ start, end }) => [
    Number(start.toFixed(2)),
    Number(end.toFixed(2)),
  ])

describe('findSpeech', () => {
  it.each([
    ['nothing', '', []],
    ['silence', '......', []],
    ['a stretch', '..####....', [[0.2, 0.6]]],
    [
      'two stretches',
      '.###....####...',
      [
        [0.1, 0.4],
        [0.8, 1.2],
      ],
    ],
    ['one stretch with a short pause', '.###..###...', [[0.1, 0.9]]],
    ['a stretch that fades without a pause', '.##----##...', [[0.1, 0.9]]],
    ['no stretch that is too short', '..#.......', []],
    ['a stretch that goes on', '....###', [[0.4, 0]]],
    ['a stretch in a pause that is short so far', '..###.', [[0.2, 0]]],
    ['no stretch that goes on and is too short so far', '.....#', []],
  ])('finds %s', (_, text, found) => {
    expect(find(text)).toEqual(found)
  })

  it('widens stretches up to the ends and the middle of a pause', () => {
    expect(find('.###....####...', { padding: 0.15 })).toEqual([
      [0, 0.55],
      [0.65, 1.35],
    ])
    expect(find('.###....####...', { padding: 5 })).toEqual([
      [0, 0.6],
      [0.6, 1.5],
    ])
    expect(find('..###', { padding: 0.1 })).toEqual([[0.1, 0]])
  })

  it('gives stretches in order that do not overlap', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('.', '-', '#'), maxLength: 200 }), fc.nat(20), (text, tenths) => {
        const found = findSpeech(toProbabilities(text), 0.1, { ...rules, padding: tenths / 10 })
        const times = found.flatMap(({ start, end }) => [start, end === 0 ? text.length / 10 + 1e-6 : end])
        expect(times.every((time, index) => time >= (times[index - 1] ?? 0) - 1e-9)).toBe(true)
      }),
    )
  })
})
