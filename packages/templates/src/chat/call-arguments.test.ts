import { describe, expect, it } from 'vitest'
import { parseJsonKeepingNumbers } from '../number.ts'
import { toArguments } from './call-arguments.ts'

describe('arguments as a value', () => {
  it.each([
    ['an object', '{"a": 1.0, "b": [1]}', parseJsonKeepingNumbers('{"a": 1.0, "b": [1]}')],
    ['empty text', '', new Map()],
    ['blanks', ' \n ', new Map()],
    ['null', 'null', new Map()],
    ['none', undefined, new Map()],
    ['no value', null, new Map()],
    ['a cut object', '{"a": "b', new Map([['raw', '{"a": "b']])],
    ['prose', 'Oslo', new Map([['raw', 'Oslo']])],
    ['a list', '["a"]', new Map([['raw', '["a"]']])],
    ['a text', '"a"', new Map([['raw', '"a"']])],
    ['too deep', '['.repeat(500), new Map([['raw', '['.repeat(500)]])],
    ['a value already', { a: 1 }, new Map([['a', 1]])],
  ])('%s', (_name, given, value) => {
    expect(toArguments(given, 'value')).toEqual(value)
  })
})

describe('arguments as text', () => {
  it.each([
    ['an object, as it was written', '{"a":1.0 }', '{"a":1.0 }'],
    ['empty text', '', '{}'],
    ['none', undefined, '{}'],
    ['no value', null, '{}'],
    ['a cut object', '{"a', '{"a'],
    [
      'a value',
      parseJsonKeepingNumbers('{"a": 1.0, "b": [true, null, "x"], "c": 99999999999999999999}'),
      '{"a": 1.0, "b": [true, null, "x"], "c": 99999999999999999999}',
    ],
    ['a plain value', { a: { b: 1 } }, '{"a": {"b": 1}}'],
  ])('%s', (_name, given, text) => {
    expect(toArguments(given, 'text')).toBe(text)
  })
})
