import { describe, expect, it } from 'vitest'
import { checkPattern } from './pattern-grammar.ts'

describe('the grammar of patterns', () => {
  it.each([
    'tick-[0-9]{4,8}',
    'sk-live-\\w+',
    '\\bACME-\\d{6}\\b',
    'a{3}',
    '(?:abc|abcd)\\d+',
    'abc|xyz',
    '^key=[a-z]+$',
    'a\\.b-c',
    'ab+c{2}ddd',
  ])('takes %s', (pattern) => {
    expect(checkPattern(pattern)).toBeUndefined()
  })

  it.each([
    ['abc.def', 'anyCharacter'],
    ['(abc)', 'group'],
    ['(?<name>abc)', 'group'],
    ['abc{1,5000}', 'bound'],
    ['abc{4097}', 'bound'],
    ['\\d{16}', 'literal'],
    ['[a-z]{3}', 'literal'],
    ['ab\\dc', 'literal'],
    ['abc|\\d+', 'literal'],
    ['(?:abc)?', 'literal'],
    ['a*b*c*', 'literal'],
    ['', 'literal'],
    ['abc[', 'syntax'],
    ['(abc', 'syntax'],
  ])('refuses %s: %s', (pattern, fault) => {
    expect(checkPattern(pattern)).toBe(fault)
  })

  it('allows the largest bound', () => {
    expect(checkPattern('abc{1,4096}')).toBeUndefined()
  })
})
