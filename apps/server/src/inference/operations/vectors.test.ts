import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normalizeVector } from './normalize-vector.ts'
import { poolTokens } from './pool-tokens.ts'

const numbers = fc.array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), { minLength: 1, maxLength: 8 })
const norm = (vector: Iterable<number>, p: number): number =>
  [...vector].reduce((sum, value) => sum + Math.abs(value) ** p, 0) ** (1 / p)

describe('normalizeVector', () => {
  it('brings any vector to length 1 in its norm, and keeps its direction', () => {
    fc.assert(
      fc.property(numbers, fc.integer({ min: 1, max: 6 }), (values, kind) => {
        fc.pre(values.some((value) => Math.abs(value) > 1e-3))
        const result = normalizeVector(Float64Array.from(values), kind)
        expect(norm(result, kind)).toBeCloseTo(1, 4)
        for (const [index, value] of result.entries()) {
          const before = values[index] ?? 0
          if (Math.abs(value) > 1e-6) expect(Math.sign(value)).toBe(Math.sign(before))
        }
      }),
    )
  })

  it('kind 0 scales the largest number to 32760, a negative kind changes nothing', () => {
    expect([...normalizeVector(Float64Array.of(1, -4, 2), 0)]).toEqual([8190, -32_760, 16_380])
    expect([...normalizeVector(Float64Array.of(1, -4, 2), -1)]).toEqual([1, -4, 2])
  })

  it('leaves zeros, and survives powers that no number holds', () => {
    for (const kind of [-1, 0, 1, 2, 3]) expect([...normalizeVector(new Float64Array(2), kind)]).toEqual([0, 0])
    expect([...normalizeVector(Float64Array.of(1e-3, 5e-4), 1000)]).toEqual([1, 0.5])
    expect([...normalizeVector(Float64Array.of(1e30, 0), 100)]).toEqual([1, 0])
  })
})

describe('poolTokens', () => {
  const rows = [1, 2, 3, 4, 5, 9]

  it.each([
    ['mean', [3, 5]],
    ['last', [5, 9]],
    ['decayed_mean', [(1 / 4 + 3 / 2 + 5) / 1.75, (2 / 4 + 4 / 2 + 9) / 1.75]],
  ] as const)('%s', (pooling, expected) => {
    const pooled = poolTokens(rows, 2, { pooling, halfLife: 1 })
    for (const [index, value] of pooled.entries()) expect(value).toBeCloseTo(expected[index] ?? Number.NaN, 12)
  })

  it('of one token is that token, however it is pooled', () => {
    for (const pooling of ['mean', 'last', 'decayed_mean'] as const) {
      expect([...poolTokens([3, 4], 2, { pooling, halfLife: 256 })]).toEqual([3, 4])
    }
  })

  it('weighs tokens far from the end 0, not NaN', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => (index === 9999 ? 2 : 1e3))
    const [value = Number.NaN] = poolTokens(many, 1, { pooling: 'decayed_mean', halfLife: 0.01 })
    expect(value).toBeCloseTo(2, 6)
  })
})
