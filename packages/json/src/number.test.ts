import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isNumber, parseNumberValue, skipNumberBytes } from './number.ts'

const encoder = new TextEncoder()

function isNumberText(text: string): boolean {
  return isNumber(encoder.encode(text), 0, text.length)
}

function toNumber(text: string): number {
  return parseNumberValue(encoder.encode(`[${text}]`), 1, 1 + text.length)
}

function isNativeNumber(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'number'
  } catch {
    return false
  }
}

const numberText = fc.string({ unit: fc.constantFrom(...'0123456789+-.eE'), maxLength: 9 })

describe('isNumber', () => {
  it('agrees with JSON.parse on every run of number characters', () => {
    fc.assert(
      fc.property(numberText, (text) => {
        expect(isNumberText(text)).toBe(isNativeNumber(text))
      }),
      { numRuns: 5000 },
    )
  })

  it.each(['0', '-0', '10', '1.0', '0.5', '1e9', '1E+9', '1e-9', '-1.25e+00', '123456789012345678901234567890'])(
    'accepts %s',
    (text) => {
      expect(isNumberText(text)).toBe(true)
    },
  )

  it.each(['', '-', '01', '-01', '00', '1.', '.5', '-.5', '1.e1', '1e', '1e+', '+1', '1-2', '1e1.5', '--1', '1ee1'])(
    'refuses %j',
    (text) => {
      expect(isNumberText(text)).toBe(false)
    },
  )
})

describe('numberValue', () => {
  it('gives the value of JSON.parse for any number', () => {
    const texts = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }).map(String), fc.integer().map(String))
    fc.assert(
      fc.property(fc.oneof(texts, numberText.filter(isNativeNumber)), (text) => {
        expect(toNumber(text)).toBe(JSON.parse(text))
      }),
      { numRuns: 2000 },
    )
  })

  it.each([
    ['-0', -0],
    ['-0.0', -0],
    ['1e400', Number.POSITIVE_INFINITY],
    ['-1e400', Number.NEGATIVE_INFINITY],
    ['9007199254740993', 9007199254740992],
    ['999999999999999', 999999999999999],
    ['-999999999999999', -999999999999999],
    ['1e-400', 0],
  ])('reads %s as JSON.parse does', (text, value) => {
    expect(toNumber(text)).toBe(value)
    expect(JSON.parse(text)).toBe(value)
  })
})

describe('skipNumberBytes', () => {
  it('stops at the first other byte or at the limit', () => {
    const bytes = encoder.encode('-1.5e+3,7')
    expect(skipNumberBytes(bytes, 0, bytes.length)).toBe(7)
    expect(skipNumberBytes(bytes, 0, 3)).toBe(3)
    expect(skipNumberBytes(bytes, 7, bytes.length)).toBe(7)
  })
})
