import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSampler, matchesGbnf, readGbnf, seededRandom } from '../../test/gbnf.ts'
import { compileSchema } from '../compile-schema.ts'
import { compilePattern } from './compile-pattern.ts'
import { parsePattern } from './parse-pattern.ts'
import { toStringPattern } from './string-pattern.ts'

const FREE = { min: 0, max: Infinity }

/** Regular expressions in and slightly beyond the range of grammars. */
const patterns = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(
      'a',
      'b',
      '\\.',
      '\\d',
      '\\w',
      '\\s',
      '.',
      '[a-c]',
      '[^a"\\\\]',
      '[\\]\\-x]',
      '\\x41',
      '\\n',
      '"',
      'é',
      '\\\\',
      '[ä-ü]',
    ),
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => a + b),
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(?:${a}|${b})`),
    fc
      .tuple(tie('pattern'), fc.constantFrom('?', '*', '+', '{2}', '{1,3}', '{2,}', '*?'))
      .map(([a, more]) => `(${a})${more}`),
  ),
})).pattern
const anchored = fc
  .tuple(fc.constantFrom('', '^'), patterns, fc.constantFrom('', '$'))
  .map(([start, body, end]) => `${start}(?:${body})${end}`)

describe('patterns in a grammar', () => {
  it('match the same texts as the regular expression', () => {
    let translated = 0
    fc.assert(
      fc.property(
        anchored,
        fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '.', '1', '"', 'é', 'A', '\n', '\\'), maxLength: 4 }), {
          maxLength: 6,
        }),
        (pattern, texts) => {
          if (toStringPattern(pattern, FREE) === undefined) return
          translated += 1
          const { grammar } = compileSchema({ type: 'string', pattern }, { origin: { param: 'schema' } })
          const test = compilePattern(pattern)
          if (typeof test === 'string') throw new Error(test)
          const read = readGbnf(grammar)
          const sample = createSampler(read, seededRandom(translated))
          for (let count = 0; count < 8; count += 1) expect(test(JSON.parse(sample()))).toBe(true)
          for (const text of texts) expect(matchesGbnf(read, JSON.stringify(text))).toBe(test(text))
        },
      ),
      { seed: 31, numRuns: 400 },
    )
    expect(translated).toBeGreaterThan(200)
  })

  it.each([
    ['look-around', '(?=a)b'],
    ['word boundaries', '\\bword\\b'],
    ['Unicode properties', '\\p{L}'],
    ['back references', '(a)\\1'],
    ['flags', '(?i)a'],
    ['anchors inside', 'a^b'],
    ['repeated anchors', '^*a'],
    ['possessive quantifiers', 'a*+'],
    ['an empty item repeated without end', '(a*)*'],
    ['too many copies', '^(a{40}){40}$'],
    ['open groups', '(a'],
    ['open classes', '[a'],
    ['classes of POSIX', '[[:alpha:]]'],
    ['ranges the wrong way round', '[z-a]'],
    ['a lone quantifier', '*'],
  ])('leave to the check: %s', (_, pattern) => {
    expect(toStringPattern(pattern, FREE)).toBeUndefined()
  })

  it('are not read by recursion without end', () => {
    expect(parsePattern(`${'('.repeat(1000)}a${')'.repeat(1000)}`)).toBeUndefined()
  })
})

describe('compilePattern', () => {
  it('reads escapes that only JavaScript knows', () => {
    const test = compilePattern('^\\u00e9\\/$')
    expect(typeof test === 'function' && test('é/')).toBe(true)
  })

  it.each([
    ['(?=a)', /linear time/],
    ['(', /not a regular expression/],
    ['a'.repeat(1025), /longer than 1024/],
  ])('says why it cannot be', (source, reason) => {
    expect(compilePattern(source)).toMatch(reason)
  })
})
