import { describe, expect, it } from 'vitest'
import { listChoices, printLines, readSwitch, toFieldText, toLines, toScalar } from './field-values.ts'

describe('toScalar', () => {
  it.each([
    ['', undefined],
    ['  ', undefined],
    ['12', 12],
    [' 12 ', 12],
    ['-0.5', -0.5],
    ['+3', 3],
    ['.25', 0.25],
    ['1e3', 1000],
    ['1E-3', 0.001],
    // not finished yet
    ['1.', '1.'],
    ['1e', '1e'],
    ['-', '-'],
    // no numbers of a file
    ['1e999', '1e999'],
    ['0x10', '0x10'],
    ['1 2', '1 2'],
    ['NaN', 'NaN'],
    ['١٢', '١٢'],
  ])('reads %j in a field of numbers as %j', (text, value) => {
    expect(toScalar(text, { component: 'number' })).toBe(value)
  })

  it.each(['12', 'true', ' a text ', '1.'])('keeps %j in a field of text', (text) => {
    expect(toScalar(text, { component: 'input' })).toBe(text)
  })
})

it.each([
  [undefined, ''],
  [null, ''],
  [true, 'true'],
  ['yes', 'true'],
  ['ON', 'true'],
  ['y', 'true'],
  [false, 'false'],
  ['off', 'false'],
  ['maybe', 'false'],
  [1, 'false'],
  ['', 'false'],
])('reads the switch %j as %j', (value, shown) => {
  expect(readSwitch(value)).toBe(shown)
})

it.each([
  [undefined, ''],
  [null, ''],
  [0, '0'],
  [false, 'false'],
  ['', ''],
  ['a', 'a'],
])('shows %j as %j', (value, shown) => {
  expect(toFieldText(value)).toBe(shown)
})

it.each([
  [['a', 'b'], 'a\nb'],
  [[], ''],
  [[1, true], '1\ntrue'],
  ['alone', 'alone'],
  [undefined, ''],
  [null, ''],
])('prints the list %j as %j', (value, shown) => {
  expect(printLines(value)).toBe(shown)
})

it.each([
  ['', []],
  ['\n \n', []],
  ['a', ['a']],
  [' a \n\n b\r\n', ['a', 'b']],
  ['a, b', ['a, b']],
])('reads the lines of %j as %j', (text, lines) => {
  expect(toLines(text)).toEqual(lines)
})

it.each([
  ['a value of the catalogue', 'b', ['a', 'b']],
  ['a value that it does not know', 'c', ['a', 'b', 'c']],
  ['no value', undefined, ['a', 'b']],
  ['an empty value', '', ['a', 'b']],
  ['a number', 3, ['a', 'b', '3']],
])('offers the choices with %s', (_, value, choices) => {
  expect(listChoices({ options: ['a', 'b'] }, value)).toEqual(choices)
})
