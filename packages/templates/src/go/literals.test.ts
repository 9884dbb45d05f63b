import { describe, expect, it } from 'vitest'
import { parseFloatLiteral, parseInteger, parseNumber } from './literals.ts'
import { GoComplex, goInt } from './values.ts'

describe('numbers of the source', () => {
  it.each([
    ['1', 1n, 1, goInt(1)],
    ['1.0', 1n, 1, 1],
    ['1.5', undefined, 1.5, 1.5],
    ['1e3', 1000n, 1000, 1000],
    ['0x1E', 30n, 30, goInt(30)],
    ['-0x1E', -30n, -30, -30],
    ['017', 15n, 15, goInt(15)],
    ['1_000', 1000n, 1000, goInt(1000)],
    ['9223372036854775807', 9223372036854775807n, 2 ** 63, goInt(9223372036854775807n)],
    ['9223372036854775808', undefined, 2 ** 63, undefined],
    ['1e300', undefined, 1e300, 1e300],
  ])('%s can be read in these ways', (text, integer, float, natural) => {
    expect(parseNumber(text, 'number')).toEqual({ integer, float, natural })
  })

  it('are complex with an i', () => {
    expect(parseNumber('2i', 'number')).toMatchObject({ integer: undefined, natural: new GoComplex(0, 2) })
    expect(parseNumber('1e2+3i', 'complex')).toMatchObject({ natural: new GoComplex(100, 3) })
    expect(parseNumber('0i', 'number')).toMatchObject({ integer: 0n, float: 0 })
  })

  it('are code points in quotes', () => {
    expect(parseNumber("'a'", 'charConstant')).toEqual({ integer: 97n, float: 97, natural: goInt(97) })
  })

  it.each(['089', '1__0', '1_', '0b2', '18446744073709551616', '1.2.3', '0x', '.', 'ei', '1e400'])(
    'do not include %s',
    (text) => {
      expect(parseNumber(text, 'number')).toBeTypeOf('string')
    },
  )
})

it('reads integers of every base and any size that is not absurd', () => {
  expect(['0b101', '0o17', '0xFF', '-010', '+5', '0', '00'].map(parseInteger)).toEqual([5n, 15n, 255n, -8n, 5n, 0n, 0n])
  expect(parseInteger('9'.repeat(101))).toBeUndefined()
})

it('reads floats, hexadecimal ones included', () => {
  expect(['1_0.5', '.5', '5.', '0x1p4', '-0x1.8p1', '1e-400'].map(parseFloatLiteral)).toEqual([10.5, 0.5, 5, 16, -3, 0])
  expect(['1e400', '1_.5', '0x1', 'x', '', '1e', '0x1p99999'].map(parseFloatLiteral)).toEqual(Array(7).fill(undefined))
})
