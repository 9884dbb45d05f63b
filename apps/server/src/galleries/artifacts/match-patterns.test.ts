import { describe, expect, it } from 'vitest'
import { compilePatterns } from './match-patterns.ts'

describe('patterns of an artifact', () => {
  it.each([
    ['*.json', 'config.json', true],
    ['*.json', 'deep/er/config.json', true],
    ['*.json', 'config.jsonl', false],
    ['unet/', 'unet/model.bin', true],
    ['unet/', 'other/unet', false],
    ['model-?.bin', 'model-1.bin', true],
    ['model-?.bin', 'model-12.bin', false],
    ['v[12].pt', 'v2.pt', true],
    ['v[!12].pt', 'v2.pt', false],
    ['v[!12].pt', 'v3.pt', true],
    ['a.c', 'abc', false],
    ['a+(b', 'a+(b', true],
    ['[', '[', true],
    ['[]]', ']', true],
    ['x\n*', 'x\ny', true],
  ])('%j and the path %j: %s', (pattern, path, expected) => {
    expect(compilePatterns([pattern])(path)).toBe(expected)
  })

  it('match nothing where there are none, and are limited', () => {
    expect(compilePatterns([])('a')).toBe(false)
    expect(() => compilePatterns(Array.from({ length: 101 }, () => 'a'))).toThrow('more than 100')
    expect(() => compilePatterns(['a'.repeat(1025)])).toThrow('too long')
  })
})
