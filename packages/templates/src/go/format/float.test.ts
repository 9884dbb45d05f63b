import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { binaryExponent, type FloatVerb, formatFloat } from './float.ts'

const finite = fc.double({ noNaN: true, noDefaultInfinity: true })

describe('the shortest form', () => {
  it('reads back as the same number under every verb', () => {
    fc.assert(
      fc.property(finite, fc.constantFrom<FloatVerb>('e', 'E', 'f', 'g', 'G'), (value, verb) => {
        expect(Number(formatFloat(value, verb, -1))).toBe(value)
      }),
    )
  })

  it.each([
    [1e6, '1e+06'],
    [999999, '999999'],
    [123456789, '1.23456789e+08'],
    [1e-4, '0.0001'],
    [1e-5, '1e-05'],
    [-0, '-0'],
    [5e-324, '5e-324'],
    [Number.MAX_VALUE, '1.7976931348623157e+308'],
    [Number.POSITIVE_INFINITY, '+Inf'],
    [Number.NEGATIVE_INFINITY, '-Inf'],
    [Number.NaN, 'NaN'],
  ])('of %d is %s', (value, expected) => {
    expect(formatFloat(value, 'g', -1)).toBe(expected)
  })
})

describe('a fixed precision', () => {
  it.each([
    [0.5, 0, '0'],
    [1.5, 0, '2'],
    [2.5, 0, '2'],
    [0.125, 2, '0.12'],
    [0.375, 2, '0.38'],
    [1.005, 2, '1.00'],
    [9.995, 2, '9.99'],
    [0.006, 2, '0.01'],
    [0.0004, 2, '0.00'],
    [99.99, 1, '100.0'],
    [1e21, 1, '1000000000000000000000.0'],
    [0.1, 20, '0.10000000000000000555'],
  ])('of %d to %d places rounds half to even: %s', (value, places, expected) => {
    expect(formatFloat(value, 'f', places)).toBe(expected)
  })

  it('is within half a unit of the last place', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.integer({ min: 0, max: 6 }), (value, places) => {
        const off = Math.abs(Number(formatFloat(value, 'f', places)) - value)
        expect(off).toBeLessThanOrEqual(0.5 * 10 ** -places * (1 + 1e-9))
      }),
    )
  })

  it('agrees with JavaScript on the digits of an exponent form', () => {
    fc.assert(
      fc.property(finite, fc.integer({ min: 0, max: 20 }), (value, places) => {
        fc.pre(!Object.is(value, -0))
        const [digits, exponent] = value.toExponential(places).split('e')
        const [mine, mineExponent] = formatFloat(value, 'e', places).split('e')
        // JavaScript rounds halves up, Go to even: the last digit of an exact half may differ.
        expect(Math.abs(Number(`${mine}e0`) - Number(`${digits}e0`))).toBeLessThanOrEqual(1.01 * 10 ** -places)
        if (mine === digits) expect(Number(mineExponent)).toBe(Number(exponent))
      }),
    )
  })

  it.each([
    ['g', 3, '1.23e+05'],
    ['g', 9, '123456.789'],
    ['e', 0, '1e+05'],
    ['x', -1, '0x1.e240c9fbe76c9p+16'],
    ['x', 2, '0x1.e2p+16'],
    ['X', 0, '0X1P+17'],
  ] as const)('under %s with %d', (verb, precision, expected) => {
    expect(formatFloat(123456.789, verb, precision)).toBe(expected)
  })
})

it('shows mantissa and power of two', () => {
  expect([1, -0.5, 0, 5e-324].map(binaryExponent)).toEqual([
    '4503599627370496p-52',
    '-4503599627370496p-53',
    '0p-1074',
    '1p-1074',
  ])
})
