import { describe, expect, it } from 'vitest'
import { searchGrid } from './grid.ts'

const TEXTS = 20

/**
 * Searches a grid whose cells serve these numbers of 20 texts right. A larger row is preferred, then the column that is
 * nearest to the present one.
 */
function search(counts: readonly (readonly number[])[], current: readonly [number, number]) {
  const report = searchGrid<readonly [number, number]>({
    samples: Array.from({ length: TEXTS }, () => ({ labels: ['a'] })),
    candidates: [{ model: 'm', labels: ['a'] }],
    fallback: 'f',
    grid: counts.map((row, y) => row.map((_, x) => [y, x] as const)),
    current,
    activate: (sample, [y, x]) => (sample < (counts[y]?.[x] ?? 0) ? ['a'] : []),
    prefer: ([y, x], [otherY, otherX]) => y - otherY || Math.abs(otherX - current[1]) - Math.abs(x - current[1]),
  })
  return { ...report, place: report.proposed.thresholds }
}

describe('the proposal of a grid', () => {
  it.each<[string, readonly (readonly number[])[], readonly [number, number], readonly [number, number] | undefined]>([
    [
      'nothing where all do equally well',
      [
        [9, 9, 9],
        [9, 9, 9],
        [9, 9, 9],
      ],
      [0, 0],
      undefined,
    ],
    [
      'nothing where the present ones do best',
      [
        [3, 4, 3],
        [4, 9, 4],
        [3, 4, 3],
      ],
      [1, 1],
      undefined,
    ],
    [
      'nothing for a peak between worse ones',
      [
        [5, 5, 2, 2, 2],
        [5, 5, 2, 9, 2],
        [5, 5, 2, 2, 2],
      ],
      [1, 0],
      undefined,
    ],
    ['nothing at the only cell', [[4]], [0, 0], undefined],
    [
      'the highest row of equals',
      [
        [1, 1, 1],
        [1, 8, 8],
        [8, 8, 8],
        [8, 8, 8],
        [8, 8, 8],
      ],
      [0, 0],
      [4, 0],
    ],
    [
      'the inside of a plateau, not its edge',
      [
        [1, 1, 1],
        [7, 7, 7],
        [7, 7, 7],
        [7, 7, 7],
        [0, 0, 0],
      ],
      [0, 1],
      [2, 1],
    ],
    [
      'the present column of equals',
      [
        [1, 1, 1, 1, 1],
        [8, 8, 8, 8, 8],
      ],
      [0, 3],
      [1, 3],
    ],
    [
      'a plateau before a higher peak',
      [
        [0, 0, 0, 8, 8, 8],
        [0, 9, 0, 8, 8, 8],
        [0, 0, 0, 8, 8, 8],
      ],
      [0, 0],
      [2, 4],
    ],
    ['the better one where neighbours are equal', [[0, 0, 6, 7, 6, 6]], [0, 0], [0, 3]],
    ['one with a better row before it', [[1], [5], [6], [3], [3], [6], [3], [1]], [0, 0], [2, 0]],
    ['one with a better row after it', [[1], [3], [6], [5], [3], [6], [3], [1]], [0, 0], [2, 0]],
    ['one with a better column before it', [[1, 5, 6, 3, 3, 6, 3, 1]], [0, 7], [0, 2]],
    ['one with a better column after it', [[1, 3, 6, 3, 3, 6, 5, 1]], [0, 0], [0, 5]],
  ])('is %s', (_name, counts, current, expected) => {
    const { place, hasGain, proposed, current: now, changes } = search(counts, current)
    expect([place, hasGain]).toEqual([expected ?? current, expected !== undefined])
    if (hasGain) expect(proposed.accuracy).toBeGreaterThan(now.accuracy)
    else expect([proposed, changes]).toEqual([now, []])
  })

  it('takes exacter labels for a gain where as many texts are served right', () => {
    const report = searchGrid<number>({
      samples: [{ labels: ['a'] }, { labels: ['a'] }],
      candidates: [{ model: 'm', labels: ['a', 'b'] }],
      grid: [[0, 1]],
      current: [0, 0],
      activate: (_, threshold) => (threshold === 1 ? ['a'] : ['a', 'b']),
      prefer: () => 0,
    })
    expect(report).toMatchObject({
      hasGain: true,
      current: { accuracy: 1, exactLabels: 0 },
      proposed: { thresholds: 1, accuracy: 1, exactLabels: 1 },
    })
  })
})
