import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type CodeSet,
  complement,
  contains,
  DIGIT,
  isWordCode,
  MAX_CODE_POINT,
  SPACE,
  toCodeSet,
  toRanges,
  union,
  WORD,
} from './code-set.ts'

const range = fc
  .tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 300 }))
  .map(([one, other]): [number, number] => [Math.min(one, other), Math.max(one, other)])
const ranges = fc.array(range, { maxLength: 6 })
const within = (list: readonly (readonly [number, number])[], code: number): boolean =>
  list.some(([low, high]) => code >= low && code <= high)

describe('a set of code points', () => {
  it('holds its ranges, in any order and overlap', () => {
    fc.assert(
      fc.property(ranges, (list) => {
        const set = toCodeSet(list)
        for (let code = 0; code <= 301; code++) expect(contains(set, code)).toBe(within(list, code))
      }),
      { numRuns: 200 },
    )
  })

  it('keeps its ranges ascending and apart', () => {
    fc.assert(
      fc.property(ranges, (list) => {
        const apart = toRanges(toCodeSet(list)).every(
          ([low, high], index, all) => low <= high && (index === 0 || low > (all[index - 1]?.[1] ?? 0) + 1),
        )
        expect(apart).toBe(true)
      }),
    )
  })

  it('and its complement share nothing and leave nothing out', () => {
    fc.assert(
      fc.property(ranges, (list) => {
        const set = toCodeSet(list)
        expect(union(set, complement(set))).toEqual([0, MAX_CODE_POINT])
        expect(complement(complement(set))).toEqual(set)
      }),
    )
  })

  it('of nothing holds nothing', () => {
    const nothing: CodeSet = []
    expect(contains(nothing, 0x41)).toBe(false)
    expect(complement(nothing)).toEqual([0, MAX_CODE_POINT])
  })
})

it('the classes of escapes are those of ASCII', () => {
  for (let code = 0; code < 0x180; code++) {
    const char = String.fromCharCode(code)
    expect(contains(DIGIT, code)).toBe(/[0-9]/.test(char))
    expect(contains(WORD, code)).toBe(/[A-Za-z0-9_]/.test(char))
    expect(isWordCode(code)).toBe(/[A-Za-z0-9_]/.test(char))
    expect(contains(SPACE, code)).toBe(' \t\n\f\r'.includes(char))
  }
})
