import { SvcError } from '@svc/errors'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listRecords } from './__fixtures__/records.ts'
import { CompiledPattern } from './compiled-pattern.ts'
import { PatternSyntaxError } from './errors.ts'
import { MAX_NESTING, MAX_SOURCE_LENGTH, parsePattern } from './grammar.ts'

function fault(source: string): { reason: string; offset: number } | undefined {
  try {
    parsePattern(source)
    return undefined
  } catch (error) {
    if (!(error instanceof PatternSyntaxError)) throw error
    return { reason: error.reason, offset: error.offset }
  }
}

describe('accepted patterns', () => {
  it.each(listRecords('verdict').filter(({ expected }) => expected === 'accept'))('$pattern', ({ pattern }) => {
    expect(() => new CompiledPattern(pattern).prepare()).not.toThrow()
  })

  it.each([
    'sk-ant-[A-Za-z0-9_-]{20,200}',
    '(?:ghp|gho|ghs)_[A-Za-z0-9]{36,}',
    'tok-\\w{32,64}',
    'AKIA[0-9A-Z]{16}',
    '(?:sk|rk)_live_[0-9A-Za-z]{16,}',
    // Each path has its own run, none of them at the same position.
    '(?:abc[0-9]|[0-9]xy)z',
    // Nested bounds, far past the number of expanded states.
    'abc(?:(?:(?:ab?){0,4096}c){0,4096}d){0,4096}',
    'abc(?:\\d{4096}){4096}',
    `abc(?:${'x?'.repeat(400)}){3,9}`,
    'abc(?:\\b|a){2,4096}',
    '(?:a|b)(?:cd|ef)',
  ])('%s', (pattern) => {
    expect(() => new CompiledPattern(pattern).prepare()).not.toThrow()
  })

  it.each([
    ['that may take nothing', (inner: string) => `(?:(?:${inner})?y?)*`],
    ['of plus signs', (inner: string) => `(?:${inner}y)+`],
    ['of small bounds', (inner: string) => `(?:${inner}y){2,8}`],
    ['of large bounds', (inner: string) => `(?:(?:${inner})?y){0,4096}`],
  ])('nests %s, however deep', (_, around) => {
    let pattern = 'x'
    for (let depth = 0; depth < 60; depth++) pattern = around(pattern)
    expect(() => new CompiledPattern(`abc${pattern}`).prepare()).not.toThrow()
  })
})

describe('refused patterns', () => {
  it.each(listRecords('verdict').filter(({ expected }) => expected === 'reject'))('$pattern', ({ pattern }) => {
    expect(fault(pattern)).toBeDefined()
  })

  it.each([
    ['abc.d', 3, '"." (any character) is not allowed'],
    ['ab(c)', 2, 'capturing groups are not allowed; write "(?:…)"'],
    ['abc(?=d)', 3, 'only groups "(?:…)" are allowed'],
    ['abc(?<n>d)', 3, 'only groups "(?:…)" are allowed'],
    ['abc\\1', 3, '"\\1" is not allowed'],
    ['abc\\p{L}', 3, '"\\p" is not allowed'],
    ['abc\\', 3, 'the pattern ends in a backslash'],
    ['abc[', 3, 'the class is not closed'],
    ['abc[z-a]', 5, 'the range is the wrong way round'],
    ['abc[a-\\d]', 5, 'a range cannot end in a class'],
    ['abc[[:alpha:]]', 4, 'named classes are not allowed'],
    ['abc(?:d', 3, 'the group is not closed'],
    ['abc)', 3, '")" closes nothing'],
    ['*abc', 0, 'nothing to repeat before "*"'],
    ['abc**', 4, 'a quantifier follows a quantifier'],
    ['abc{3}{2}', 6, 'a quantifier follows a quantifier'],
    ['abc{2,1}', 3, 'the bounds are the wrong way round'],
    ['abc{4097}', 3, 'a bound is over 4096'],
    ['abc{1,4097}', 3, 'a bound is over 4096'],
    ['abc{x}', 3, '"{" is not a quantifier here; write "\\{" for a brace'],
    ['abc{1,2,3}', 3, '"{" is not a quantifier here; write "\\{" for a brace'],
    ['{3}abc', 0, '"{" is not a quantifier here; write "\\{" for a brace'],
    ['ab\ud83dc', 2, 'half of a surrogate pair stands alone'],
    ['abc[\udd11]', 4, 'half of a surrogate pair stands alone'],
    ['ab?c', 0, 'needs a fixed run of at least 3 literal characters on every path'],
    ['a'.repeat(MAX_SOURCE_LENGTH + 1), MAX_SOURCE_LENGTH, `longer than ${MAX_SOURCE_LENGTH} characters`],
  ])('%s names position and reason', (source, offset, reason) => {
    expect(fault(source)).toEqual({ offset, reason })
  })

  it('an error says position and reason in its message and to programs', () => {
    try {
      parsePattern('abc.')
      expect.unreachable()
    } catch (error) {
      expect(SvcError.is(error)).toBe(true)
      expect(error).toMatchObject({
        kind: 'invalid_request',
        code: 'pii_pattern_invalid',
        message: 'invalid pattern at position 3: "." (any character) is not allowed',
        details: { offset: 3, reason: '"." (any character) is not allowed' },
      })
    }
  })

  it('groups past the limit of nesting, and none before it', () => {
    const nest = (depth: number): string => `${'(?:'.repeat(depth)}abc${')'.repeat(depth)}`
    expect(() => new CompiledPattern(nest(MAX_NESTING)).prepare()).not.toThrow()
    expect(fault(nest(MAX_NESTING + 1))).toEqual({ offset: MAX_NESTING * 3, reason: 'groups are nested too deeply' })
  })

  it('any text is parsed or refused, never anything else', () => {
    const piece = fc.constantFrom(
      ...'abc(?:)[]{}^$|*+?.\\-,19dwsb'.split(''),
      'abc',
      '(?:',
      '{2,',
      '\\d',
      '[^',
      'é',
      '🔑',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
        const source = pieces.join('')
        const found = fault(source)
        if (found !== undefined) {
          expect(found.offset).toBeGreaterThanOrEqual(0)
          expect(found.offset).toBeLessThanOrEqual(source.length)
          expect(found.reason).not.toBe('')
        }
      }),
      { numRuns: 3000 },
    )
  })
})
