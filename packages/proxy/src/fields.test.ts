import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dropAbsent, isFields, toCount, toFields, toList, toNumber, toText, tryParseJson } from './fields.ts'

describe('values from elsewhere', () => {
  it('are read by their type, or not at all', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(toFields(value)).toEqual(isFields(value) ? value : {})
        expect(toList(value)).toEqual(Array.isArray(value) ? value : [])
        expect(toText(value)).toBe(typeof value === 'string' ? value : undefined)
        const number = toNumber(value)
        if (number !== undefined) expect(Number.isFinite(number)).toBe(true)
        const count = toCount(value)
        if (count !== undefined) expect(Number.isSafeInteger(count) && count >= 0).toBe(true)
      }),
    )
  })

  it.each([
    [0, 0],
    [7, 7],
    [-1, undefined],
    [1.5, undefined],
    ['7', undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    [2 ** 60, undefined],
    [null, undefined],
  ])('counts %j as %j', (value, expected) => {
    expect(toCount(value)).toBe(expected)
  })

  it.each([null, undefined, [], 'x', 1, true])('has no members in %j', (value) => {
    expect(toFields(value)).toEqual({})
    expect(isFields(value)).toBe(false)
  })

  it('text without JSON gives undefined', () => {
    expect(tryParseJson('{"a":1}')).toEqual({ a: 1 })
    expect(tryParseJson('null')).toBeNull()
    for (const text of ['', '{', 'undefined', "{'a':1}"]) expect(tryParseJson(text)).toBeUndefined()
  })

  it('drops absent values and keeps empty ones', () => {
    const kept = { zero: 0, empty: '', no: false, list: [] }
    expect(dropAbsent({ ...kept, nothing: null, missing: undefined })).toEqual(kept)
  })
})
