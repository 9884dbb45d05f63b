import { describe, expect, it } from 'vitest'
import { MAX_PATTERN_LENGTH } from './limits.ts'
import { compilePattern, compilePatterns, compileReplacements, expandTemplate, replaceAll } from './patterns.ts'

describe('compilePattern', () => {
  it('finds matches with their groups', () => {
    const [first, second] = compilePattern('(?P<name>\\w+)(?:=(\\d))?')?.matches('é a=1 b', 9) ?? []
    expect(first).toEqual({ start: 2, end: 5, groups: ['a=1', 'a', '1'], named: new Map([['name', 'a']]) })
    expect(second?.groups).toEqual(['b', 'b', undefined])
  })

  it('leaves out empty matches, and stops at the limit', () => {
    expect(compilePattern('a*')?.matches('baab', 9)).toHaveLength(1)
    expect(compilePattern('a')?.matches('aaaa', 3)).toHaveLength(3)
  })

  it.each(['(', '(?=a)', '\\1', 'a{1001}', 'a'.repeat(MAX_PATTERN_LENGTH + 1)])('refuses %.20s', (source) => {
    expect(compilePattern(source)).toBeUndefined()
    expect(compilePatterns([source, 'b'])).toHaveLength(1)
  })

  it('does not slow down on patterns that backtrack', () => {
    expect(compilePattern('(a+)+$')?.matches(`${'a'.repeat(100_000)}b`, 9)).toEqual([])
  })
})

describe('expandTemplate', () => {
  const match = { groups: ['whole', 'one', undefined], named: new Map([['x', 'named']]) }

  const braced = (name: string): string => ['$', '{', name, '}'].join('')
  it.each([
    ['$0-$1', 'whole-one'],
    [`${braced('1')}_y`, 'one_y'],
    ['$1_y', ''],
    [`$x ${braced('x')}`, 'named named'],
    ['$2$9$none', ''],
    ['$$1', '$1'],
    ['$ 5', '$ 5'],
    ['${', '${'],
  ])('%s gives %j', (template, text) => {
    expect(expandTemplate(template, match)).toBe(text)
  })
})

describe('replaceAll', () => {
  it('applies replacements in their order', () => {
    const rules = compileReplacements([{ key: 'a', value: 'b' }, { key: 'b+', value: '<$0>' }, { key: '(' }])
    expect(replaceAll('aab', rules)).toBe('<bbb>')
  })

  it('removes where no value is given', () => {
    expect(replaceAll('a-b', compileReplacements([{ key: '-' }]))).toBe('ab')
  })
})
