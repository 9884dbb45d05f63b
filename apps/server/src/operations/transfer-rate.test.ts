import { expect, it } from 'vitest'
import { createTransferMeter } from './transfer-rate.ts'

/** Adds looks of [milliseconds, bytes] and reads at a time. */
function measure(looks: readonly (readonly [number, number])[], nowMs: number, missingBytes?: number) {
  const meter = createTransferMeter()
  for (const [atMs, bytes] of looks) meter.add(bytes, atMs)
  return meter.read(nowMs, missingBytes)
}

it.each([
  ['nothing, without a look', [], 0, {}],
  ['nothing, after one look', [[0, 100]], 0, {}],
  [
    'nothing in the first moment',
    [
      [0, 0],
      [200, 200],
    ],
    200,
    {},
  ],
  [
    'the mean',
    [
      [0, 0],
      [1000, 200],
    ],
    1000,
    { bytesPerSecond: 200, secondsLeft: 5 },
  ],
  [
    'the mean of the last five seconds',
    [
      [0, 0],
      [5000, 50_000],
      [10_000, 51_000],
    ],
    10_000,
    { bytesPerSecond: 200, secondsLeft: 5 },
  ],
  [
    'nothing again, where a transfer begins anew',
    [
      [0, 900],
      [1000, 10],
    ],
    1000,
    {},
  ],
  [
    'the new one after that',
    [
      [0, 900],
      [1000, 10],
      [2000, 20],
    ],
    2000,
    { bytesPerSecond: 10, secondsLeft: 100 },
  ],
  [
    'the same between two pieces',
    [
      [0, 0],
      [1000, 200],
    ],
    1900,
    { bytesPerSecond: 200, secondsLeft: 5 },
  ],
  [
    'less and less where nothing comes',
    [
      [0, 0],
      [1000, 200],
    ],
    10_000,
    { bytesPerSecond: 20, secondsLeft: 50 },
  ],
  [
    'no time left where nothing has come',
    [
      [0, 0],
      [1000, 0],
    ],
    1000,
    { bytesPerSecond: 0 },
  ],
  [
    'looks of one moment as one',
    [
      [0, 0],
      [5, 20],
      [50, 40],
      [1000, 100],
    ],
    1000,
    { bytesPerSecond: 100, secondsLeft: 10 },
  ],
] as const)('the rate of a transfer is %s', (_name, looks, nowMs, expected) => {
  expect(measure(looks, nowMs, 1000)).toEqual(expected)
})

it('keeps no more looks than those of its window', () => {
  const meter = createTransferMeter()
  for (let ms = 0; ms <= 600_000; ms += 10) meter.add(ms, ms)
  expect(meter.read(600_000, undefined)).toEqual({ bytesPerSecond: 1000 })
})
