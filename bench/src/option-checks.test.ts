import { expect, it } from 'vitest'
import { readNumber, readWholeNumber } from './option-checks.ts'

const BOUNDS = { least: 1, most: 100 }

it('reads numbers within their bounds', () => {
  expect(readWholeNumber('rounds', '1', BOUNDS)).toBe(1)
  expect(readWholeNumber('rounds', '100', BOUNDS)).toBe(100)
  expect(readNumber('seconds', '1.5', BOUNDS)).toBe(1.5)
})

it.each(['', '0', '101', '-3', '1e2', '0x10', ' 5', '5 ', 'five', 'NaN', 'Infinity', '9'.repeat(400)])(
  'refuses %j',
  (value) => {
    expect(() => readWholeNumber('rounds', value, BOUNDS)).toThrow(
      `--rounds takes a whole number from 1 to 100, not ${JSON.stringify(value)}`,
    )
    expect(() => readNumber('seconds', value, BOUNDS)).toThrow('--seconds takes a number from 1 to 100')
  },
)

it('refuses a part of a whole', () => {
  expect(() => readWholeNumber('rounds', '1.5', BOUNDS)).toThrow('a whole number')
})
