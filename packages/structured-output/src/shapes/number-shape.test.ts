import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSampler, matchesGbnf, readGbnf, seededRandom } from '../../test/gbnf.ts'
import { compileSchema } from '../compile-schema.ts'

const whole = fc.oneof(
  fc.integer({ min: -200, max: 200 }),
  fc.integer({ min: -1e9, max: 1e9 }),
  fc.maxSafeInteger(),
  fc.constantFrom(9, 10, 99, 100, 999, 1000, -10, -99),
)
const decimal = fc
  .tuple(fc.integer({ min: -3000, max: 3000 }), fc.constantFrom(1, 10, 100, 1000))
  .map(([digits, scale]) => digits / scale)
const bounds = (value: fc.Arbitrary<number>) =>
  fc.record({
    low: fc.option(value),
    high: fc.option(value),
    isLowOpen: fc.boolean(),
    isHighOpen: fc.boolean(),
  })

type Bounds = { low: number | null; high: number | null; isLowOpen: boolean; isHighOpen: boolean }

function toSchema(type: string, { low, high, isLowOpen, isHighOpen }: Bounds): Readonly<Record<string, unknown>> {
  const [min, max] = low !== null && high !== null && low > high ? [high, low] : [low, high]
  return {
    type,
    ...(min === null ? {} : { [isLowOpen ? 'exclusiveMinimum' : 'minimum']: min }),
    ...(max === null ? {} : { [isHighOpen ? 'exclusiveMaximum' : 'maximum']: max }),
  }
}

/** Compiles a schema; undefined if no number is between its bounds. */
function tryCompile(schema: unknown): ReturnType<typeof compileSchema> | undefined {
  try {
    return compileSchema(schema, { origin: { param: 'schema' } })
  } catch {
    return undefined
  }
}

describe('numbers between bounds', () => {
  it.each([
    ['integer', whole],
    ['integer', decimal],
    ['number', decimal],
    ['number', whole],
  ] as const)('%s: exactly those', (type, value) => {
    fc.assert(
      fc.property(bounds(value), fc.array(value, { maxLength: 5 }), (limits, tried) => {
        const compiled = tryCompile(toSchema(type, limits))
        const candidates = [...tried, limits.low ?? 0, limits.high ?? 0]
        if (compiled === undefined) {
          expect(limits.low !== null && limits.high !== null).toBe(true)
          return
        }
        const read = readGbnf(compiled.grammar)
        const sample = createSampler(read, seededRandom(tried.length))
        for (let count = 0; count < 10; count += 1) expect(compiled.check(JSON.parse(sample()))).toBeUndefined()
        for (const one of candidates) {
          // Fractions are not offered beyond that.
          const isOffered = Number.isInteger(one) || (type === 'number' && Math.abs(one) < 1e9)
          if (!isOffered || Math.abs(one) > 1e9) continue
          expect(matchesGbnf(read, JSON.stringify(one))).toBe(compiled.check(one) === undefined)
        }
      }),
      { seed: 21, numRuns: 400 },
    )
  })

  it('multiples: only multiples', () => {
    const steps = fc.oneof(fc.integer({ min: 1, max: 200 }), fc.constantFrom(0.5, 0.25, 2.5, 0.01, 0.2, 1e6))
    fc.assert(
      fc.property(steps, bounds(fc.integer({ min: -3000, max: 3000 })), fc.boolean(), (multipleOf, limits, isWhole) => {
        const compiled = tryCompile({ ...toSchema(isWhole ? 'integer' : 'number', limits), multipleOf })
        if (compiled === undefined) return
        // The check covers large steps with many multiples, and fractional steps between bounds.
        if (multipleOf > 64 && (limits.low === null || limits.high === null)) return
        const sample = createSampler(readGbnf(compiled.grammar), seededRandom(3))
        for (let count = 0; count < 10; count += 1) {
          const drawn = Number(sample())
          expect(compiled.check(drawn)).toBeUndefined()
        }
      }),
      { seed: 22, numRuns: 300 },
    )
  })
})
