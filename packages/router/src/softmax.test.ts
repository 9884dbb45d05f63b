import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toShares } from './classifiers/score.ts'
import { softmax } from './softmax.ts'

/** Fixed-point numbers with 60 decimal digits. */
const DIGITS = 60n
const ONE = 10n ** DIGITS

/** A 64-bit float as a fixed-point number, without rounding but for digits beyond the sixtieth. */
function toFixedPoint(value: number): bigint {
  let [integer, exponent] = [value, 0]
  while (!Number.isInteger(integer)) {
    integer *= 2
    exponent++
  }
  return (BigInt(integer) * ONE) / 2n ** BigInt(exponent)
}

/** The exponential of a number that is zero or below: halved until its series is short, then squared. */
function exponential(value: bigint): bigint {
  const HALVINGS = 24n
  const small = value / 2n ** HALVINGS
  let [sum, term] = [ONE, ONE]
  for (let index = 1n; term !== 0n; index++) {
    term = (term * small) / ONE / index
    sum += term
  }
  for (let round = 0n; round < HALVINGS; round++) sum = (sum * sum) / ONE
  return sum
}

function referenceShares(values: readonly bigint[]): number[] {
  const largest = [...values].sort((one, other) => (one < other ? 1 : -1))[0] ?? 0n
  const weights = values.map((value) => (largest - value > 200n * ONE ? 0n : exponential(value - largest)))
  const sum = weights.reduce((one, other) => one + other)
  return weights.map((weight) => Number((weight * 10n ** 18n) / sum) / 1e18)
}

it('has a reference that knows e', () => {
  expect(exponential(-ONE).toString().slice(0, 39)).toBe('367879441171442321595523770161460867445')
})

const score = fc.record({
  logProbability: fc.double({ min: -2000, max: 5, noNaN: true, minExcluded: false }).map((value) => Math.fround(value)),
  tokenCount: fc.integer({ min: 1, max: 40 }),
})

it.each(['mean', 'raw'] as const)('agrees with 60 decimal digits to 1e-9: %s', (normalization) => {
  fc.assert(
    fc.property(fc.array(score, { minLength: 1, maxLength: 8 }), (scores) => {
      const exact = scores.map(({ logProbability, tokenCount }) => {
        const sum = toFixedPoint(logProbability)
        return normalization === 'mean' ? sum / BigInt(tokenCount) : sum
      })
      const expected = referenceShares(exact)
      for (const [index, share] of toShares(scores, scores.length, normalization).entries()) {
        expect(Math.abs(share - (expected[index] ?? 0))).toBeLessThan(1e-9)
      }
    }),
    { numRuns: 300 },
  )
})

it('gives equal shares where everything is impossible', () => {
  expect(softmax([Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY])).toEqual([0.5, 0.5])
  expect(softmax([Number.NEGATIVE_INFINITY, -3])).toEqual([0, 1])
})

it.each([
  [[{ logProbability: Number.NaN, tokenCount: 1 }]],
  [[{ logProbability: Number.POSITIVE_INFINITY, tokenCount: 1 }]],
  [[{ logProbability: -1, tokenCount: -1 }]],
  [[{ logProbability: -1, tokenCount: 1.5 }]],
  [[{ logProbability: -1, tokenCount: 0 }]],
  [[]],
  [
    [
      { logProbability: -1, tokenCount: 1 },
      { logProbability: -1, tokenCount: 1 },
    ],
  ],
])('refuses scores that cannot be: %j', (scores) => {
  expect(() => toShares(scores, 1)).toThrow(expect.objectContaining({ code: 'router_classifier' }))
})
