import { describe, expect, it } from 'vitest'
import { compileReplyPattern, MAX_PATTERN_BYTES } from './reply-pattern.ts'

describe('a pattern', () => {
  it.each([
    ['^ *', '  a  b', 'a  b', '  '],
    ['b+', 'abbcb', 'ac', 'bb'],
    ['x*', 'axxb', 'ab', ''],
    ['(?s)<think>.*?</think>\\s*', 'a<think>\nx</think>\n\nb', 'ab', '<think>\nx</think>\n\n'],
    ['(?P<a>\\d)(\\d)', '1234a', 'a', '12'],
    ['$', 'a\n', 'a\n', ''],
    ['[😀é]', 'a😀bécd', 'abcd', '😀'],
    ['nothing', 'a', 'a', ''],
  ])('%s', (source, text, left, first) => {
    const pattern = compileReplyPattern(source)
    expect(pattern.cut(text)).toBe(left)
    expect(pattern.first(text)).toBe(first)
  })

  it.each(['(', '[z-a]', '(?=a)', '(a)\\1', 'a{2000}', 'x'.repeat(MAX_PATTERN_BYTES + 1), 'é'.repeat(513)])(
    'is not %s',
    (source) => {
      expect(() => compileReplyPattern(source)).toThrow(
        expect.objectContaining({ kind: 'invalid_request', code: 'invalid_pattern' }),
      )
    },
  )

  it('may be as long as the limit', () => {
    expect(compileReplyPattern('x'.repeat(MAX_PATTERN_BYTES)).first('x'.repeat(2000))).toHaveLength(MAX_PATTERN_BYTES)
  })

  it('is not used where it would take for ever', () => {
    const tooLong = expect.objectContaining({ kind: 'internal', code: 'reply_too_long' })
    const large = compileReplyPattern('(?:a|b|c|d){1,500}x')
    expect(() => large.first('a'.repeat(1_000_000))).toThrow(tooLong)
    // Each search for the next match reads to the end of the text.
    const farReading = compileReplyPattern('a|b[^z]*z')
    expect(() => farReading.cut('ba'.repeat(300_000))).toThrow(tooLong)
  })
})
