import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toBytes, toText } from '../bytes.ts'
import { toGoValue } from '../data.ts'
import { Budget, resolveLimits } from '../limits.ts'
import { decodeJson } from './decode.ts'
import { encodeJson } from './encode.ts'

function budget(maxValueDepth = 200): Budget {
  return new Budget(resolveLimits({ maxValueDepth }))
}

function write(data: unknown, options: { escapeHtml?: boolean; indent?: string } = {}): string {
  const { escapeHtml = true, indent } = options
  return toText(encodeJson(budget(), toGoValue(data), { escapeHtml, indent }))
}

/** Values of JSON without lone surrogates; -0 among them. */
const json = fc.jsonValue({ noUnicodeString: false, stringUnit: 'grapheme', maxDepth: 4 })

describe('writing', () => {
  it('is JSON of the same value', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(write(value))).toEqual(value)
      }),
    )
  })

  it('indents like JSON.stringify but for the order of keys', () => {
    const value = { a: [1, { b: 'x' }], c: {}, d: [] }
    expect(write(value, { indent: '  ' })).toBe(JSON.stringify(value, null, 2))
  })

  it('sorts keys by their bytes', () => {
    expect(write({ b: 1, é: 2, B: 3, 10: 4, 9: 5, '\uffee': 6, '😀': 7 })).toBe(
      '{"10":4,"9":5,"B":3,"b":1,"é":2,"\uffee":6,"😀":7}',
    )
  })

  it('escapes characters that are special in HTML and JavaScript', () => {
    expect(write('<&>\u2028"\\\x01é')).toBe('"\\u003c\\u0026\\u003e\\u2028\\"\\\\\\u0001é"')
    expect(write('<&>\u2028', { escapeHtml: false })).toBe('"<&>\\u2028"')
  })

  it('refuses values without JSON', () => {
    expect(() => write(Number.NaN)).toThrow('unsupported value')
  })
})

describe('reading', () => {
  it('gives the value back', () => {
    fc.assert(
      fc.property(json, (value) => {
        const { value: decoded, overflows } = decodeJson(budget(), toBytes(write(value)))
        expect(overflows).toBe(false)
        expect(encodeJson(budget(), decoded, { escapeHtml: true, indent: undefined })).toBe(
          encodeJson(budget(), toGoValue(value), { escapeHtml: true, indent: undefined }),
        )
      }),
    )
  })

  it('finds numbers that are too large, and nil in their place', () => {
    expect(decodeJson(budget(), '[1e400]')).toMatchObject({ overflows: true, value: { items: [null] } })
    expect(decodeJson(budget(), '{"a":[-1e999],"b":1}').overflows).toBe(true)
  })

  it('counts the nesting before it parses', () => {
    expect(decodeJson(budget(3), '[[["[[[["]]]').overflows).toBe(false)
    expect(() => decodeJson(budget(3), '[[[[]]]]')).toThrow('maxValueDepth')
    expect(() => decodeJson(budget(), '['.repeat(1_000_000))).toThrow('maxValueDepth')
  })

  it.each(['', '{', '[1,]', '01', 'undefined', '"\t"', '\xef\xbb\xbf1'])('refuses %j', (text) => {
    expect(() => decodeJson(budget(), text)).toThrow('invalid JSON')
  })
})
