import { describe, expect, it } from 'vitest'
import { formatMicros, parseMicros } from './money.ts'

describe('parseMicros', () => {
  it.each([
    ['12.50', 12_500_000],
    ['0', 0],
    ['0.000001', 1],
    ['007', 7_000_000],
    ['999999999.999999', 999_999_999_999_999],
  ])('reads %s', (text, micros) => {
    expect(parseMicros(text)).toBe(micros)
    expect(parseMicros(formatMicros(micros))).toBe(micros)
  })

  it.each(['', '.5', '5.', '1,50', '-1', '+1', '1e3', ' 1', '0.0000001', '1000000000', '١'])('refuses %j', (text) => {
    expect(parseMicros(text)).toBeUndefined()
  })
})
