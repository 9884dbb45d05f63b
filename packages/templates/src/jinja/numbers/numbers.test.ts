import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { printFixed, printFloat, printGeneral, printScientific } from './float-text.ts'
import { countBits, divideExactly, floorDivide, floorRemainder, toInteger } from './integer.ts'
import { parseFloatText, parseIntegerText } from './parse.ts'

const finite = fc.double({ noNaN: true, noDefaultInfinity: true })
const integer = fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n })

describe('floats as text', () => {
  it('read back the same', () => {
    fc.assert(
      fc.property(finite, (value) => {
        expect(parseFloatText(printFloat(value))).toBe(value)
        expect(printFloat(value)).toMatch(/[.e]/)
      }),
    )
  })

  it('have the digits that JavaScript gives where it gives them', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: 0, max: 1e20 }), fc.nat(100), (value, places) => {
        expect(Number(printFixed(value, places))).toBe(Number(value.toFixed(places)))
        expect(printScientific(value, places).replace(/e([+-])0(?=\d$)/, 'e$1')).toHaveLength(
          value.toExponential(places).length,
        )
      }),
    )
  })

  it.each([
    [0.5, 0, '0'],
    [1.5, 0, '2'],
    [2.5, 0, '2'],
    [0.125, 2, '0.12'],
    [1e22, 0, '10000000000000000000000'],
    [1.005, 2, '1.00'],
    [5e-324, 3, '0.000'],
  ])('rounds %d to %d places, ties to even', (value, places, text) => {
    expect(printFixed(value, places)).toBe(text)
  })

  it('has zeros behind the last digit there can be', () => {
    const text = printFixed(2 ** -1074, 5000)
    expect(text).toHaveLength(5002)
    expect(BigInt(text.slice(2, 1076))).toBe(5n ** 1074n)
    expect(text.slice(1076)).toBe('0'.repeat(3926))
  })

  it('shows the shorter of two forms', () => {
    const form = { digits: 3, keepZeros: false }
    expect([0.0001, 0.00001, 123, 1234, 0].map((value) => printGeneral(value, form))).toEqual([
      '0.0001',
      '1e-05',
      '123',
      '1.23e+03',
      '0',
    ])
  })
})

describe('integers', () => {
  it('divide to the lower integer, and the rest has the sign of the divisor', () => {
    fc.assert(
      fc.property(integer, integer, (left, right) => {
        fc.pre(right !== 0n)
        const quotient = BigInt(floorDivide(toInteger(left), toInteger(right)))
        const rest = BigInt(floorRemainder(toInteger(left), toInteger(right)))
        expect(quotient * right + rest).toBe(left)
        expect(rest === 0n || rest < 0n === right < 0n).toBe(true)
        expect((rest < 0n ? -rest : rest) < (right < 0n ? -right : right)).toBe(true)
      }),
    )
  })

  it('divide exactly where the quotient is a float', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 200n }), fc.integer({ min: 1, max: 2 ** 30 }), (unit, factor) => {
        expect(divideExactly(toInteger(unit * BigInt(factor)), toInteger(unit))).toBe(factor)
        expect(divideExactly(toInteger(unit), toInteger(unit * -2n))).toBe(-0.5)
      }),
    )
  })

  it('have a size in bits', () => {
    fc.assert(
      fc.property(integer, (value) => {
        const size = value < 0n ? -value : value
        expect(countBits(toInteger(value))).toBe(size === 0n ? 0 : size.toString(2).length)
      }),
    )
  })

  it('read back the same in every base', () => {
    fc.assert(
      fc.property(integer, fc.integer({ min: 2, max: 36 }), (value, base) => {
        expect(parseIntegerText(` ${value.toString(base)}\n`, base)).toBe(toInteger(value))
      }),
    )
  })

  it.each(['', '-', '+ 1', '1 2', '1__2', '_1', '1_', '1.0', '0x', 'a', '1'.repeat(4301)])('do not read %j', (text) => {
    expect(parseIntegerText(text, 10)).toBeUndefined()
  })

  it.each(['', '.', 'e5', '1e', '1e+', '1_.5', '1._5', '0x1', '1f', 'infinit', '--1'])(
    'floats do not read %j',
    (text) => {
      expect(parseFloatText(text)).toBeUndefined()
    },
  )
})
