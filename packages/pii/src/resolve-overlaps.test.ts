import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hit } from './__fixtures__/detectors.ts'
import { compareActions } from './action.ts'
import type { JudgedDetection } from './detector.ts'
import { resolveOverlaps } from './resolve-overlaps.ts'

const names = (...detections: JudgedDetection[]) =>
  resolveOverlaps(detections).map(({ start, end, source, group }) => `${start}-${end} ${source}:${group}`)

describe('the detection that names the union of an overlap', () => {
  it('the strongest action, for any sizes and scores', () => {
    const block = hit(6, 8, { group: 'B', action: 'block', score: 0.1 })
    expect(resolveOverlaps([hit(0, 7), block, hit(7, 20, { action: 'allow' })])).toEqual([
      { ...block, start: 0, end: 20 },
    ])
  })

  it('else the larger span', () => {
    expect(names(hit(0, 5, { group: 'A' }), hit(3, 9, { group: 'Z' }))).toEqual(['0-9 ner:Z'])
  })

  it('else the built-in that stands first in the catalogue, before anything else', () => {
    const one = hit(0, 5, { source: 'pattern', group: 'Z', rank: 1 })
    const other = hit(0, 5, { source: 'pattern', group: 'A', rank: 2 })
    expect(names(other, one, hit(0, 5, { group: 'NER' }))).toEqual(['0-5 pattern:Z'])
  })

  it('else a recogniser before a pattern', () => {
    expect(names(hit(0, 5, { source: 'pattern', group: 'A' }), hit(0, 5, { group: 'Z' }))).toEqual(['0-5 ner:Z'])
  })

  it('else the group that sorts first, and of one group the better score', () => {
    const best = hit(0, 5, { group: 'A', score: 0.8 })
    expect(resolveOverlaps([hit(0, 5, { group: 'B' }), hit(0, 5, { group: 'A', score: 0.2 }), best])).toEqual([best])
  })
})

it('adjacent detections stay apart', () => {
  expect(names(hit(3, 5), hit(0, 3))).toEqual(['0-3 ner:NAME', '3-5 ner:NAME'])
})

it('a chain is one union', () => {
  const chain = [hit(0, 4, { action: 'allow' }), hit(2, 8), hit(6, 10, { group: 'B', action: 'block' })]
  expect(names(...chain)).toEqual(['0-10 ner:B'])
})

const detection = fc
  .record({
    start: fc.nat(12),
    length: fc.integer({ min: 1, max: 6 }),
    group: fc.constantFrom('A', 'B', 'C'),
    source: fc.constantFrom('ner' as const, 'pattern' as const),
    score: fc.constantFrom(0.5, 0.9, 1),
    action: fc.constantFrom('allow' as const, 'mask' as const, 'block' as const),
    rank: fc.option(fc.nat(2), { nil: undefined }),
  })
  .map(({ start, length, ...rest }): JudgedDetection => ({ start, end: start + length, ...rest }))

describe('for any detections', () => {
  const detections = fc.array(detection, { maxLength: 12 })

  it('the order makes no difference', () => {
    const shuffled = detections.chain((list) =>
      fc.record({ list: fc.constant(list), other: fc.shuffledSubarray(list, { minLength: list.length }) }),
    )
    fc.assert(
      fc.property(shuffled, ({ list, other }) => {
        expect(resolveOverlaps(other)).toEqual(resolveOverlaps(list))
      }),
    )
  })

  it('the result covers the same places, apart, each under its strongest action', () => {
    fc.assert(
      fc.property(detections, (list) => {
        const result = resolveOverlaps(list)
        for (const [index, span] of result.entries()) {
          expect(span.start).toBeGreaterThanOrEqual(result[index - 1]?.end ?? 0)
          const members = list.filter(({ start, end }) => start < span.end && end > span.start)
          expect(members.every(({ action }) => compareActions(action, span.action) <= 0)).toBe(true)
          expect(members.every(({ start, end }) => start >= span.start && end <= span.end)).toBe(true)
        }
        for (let place = 0; place < 18; place++) {
          const covered = ({ start, end }: JudgedDetection) => start <= place && place < end
          expect(result.some(covered)).toBe(list.some(covered))
        }
      }),
    )
  })
})
