import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  addDecimals,
  decimalToNumber,
  divideDecimals,
  multiplyDecimals,
  subtractDecimals,
  toDecimal,
} from './decimal.ts'

const float = fc.double({ noNaN: true, noDefaultInfinity: true })

it('keeps every float', () => {
  fc.assert(fc.property(float, (value) => decimalToNumber(toDecimal(value)) === (value === 0 ? 0 : value)))
})

it('adds as on paper', () => {
  const add = (left: number, right: number): number => decimalToNumber(addDecimals(toDecimal(left), toDecimal(right)))
  expect([add(0.1, 0.2), add(1e300, -1e300), add(1.1, 2.2)]).toEqual([0.3, 0, 3.3])
  fc.assert(fc.property(float, (value) => decimalToNumber(subtractDecimals(toDecimal(value), toDecimal(value))) === 0))
})

it('multiplies exactly', () => {
  expect(decimalToNumber(multiplyDecimals(toDecimal(0.1), toDecimal(0.1)))).toBe(0.01)
})

it('divides to sixteen places, halves away from zero', () => {
  const divide = (left: number, right: number): string => {
    const { units, exponent } = divideDecimals(toDecimal(left), toDecimal(right))
    return `${units}e${exponent}`
  }
  expect([divide(1, 3), divide(2, 3), divide(-2, 3), divide(1, 4)]).toEqual([
    '3333333333333333e-16',
    '6666666666666667e-16',
    '-6666666666666667e-16',
    '2500000000000000e-16',
  ])
  expect(() => divide(1, 0)).toThrow('decimal division by 0')
})

it('refuses to write out numbers without end', () => {
  let product = toDecimal(1.123456789)
  expect(() => {
    for (let round = 0; round < 1000; round++) product = multiplyDecimals(product, toDecimal(1.123456789))
  }).toThrow('decimal is too large')
  expect(() => toDecimal(Number.NaN)).toThrow('cannot create a decimal')
})
