import { describe, expect, it } from 'vitest'
import { toArgumentsJson } from './tagged-values.ts'

const plain = { isRaw: false, isTrimmed: false }
const noText = (): boolean => false

function json(value: string, form = plain): string {
  return toArgumentsJson([{ key: 'k', value }], form, noText)
}

describe('toArgumentsJson', () => {
  it.each([
    ['1.0', '1.0'],
    ['\n[1, "b"]\n', '[1, "b"]'],
    ['"12"', '"12"'],
    ['null', 'null'],
    ['007', '"007"'],
    ['True', '"True"'],
    ['', '""'],
    ['\n', '""'],
    ['\n\n', '""'],
    ['  a  ', '" a "'],
    ['a\n"b"', '"a\\n\\"b\\""'],
    ['{"a": "x\ny"}', '{"a": "x\\ny"}'],
    ['{"a":', '"{\\"a\\":"'],
  ])('writes %j as %s', (value, written) => {
    expect(json(value)).toBe(`{"k":${written}}`)
  })

  it('writes text where the form or the tool says so', () => {
    expect(json('1', { ...plain, isRaw: true })).toBe('{"k":"1"}')
    expect(toArgumentsJson([{ key: 'k', value: '1' }], plain, (key) => key === 'k')).toBe('{"k":"1"}')
  })

  it('trims all white space where the form says so', () => {
    expect(json(' \n a \n', { ...plain, isTrimmed: true })).toBe('{"k":"a"}')
  })

  it('keeps the last of several values for any key', () => {
    const values = ['1', '2'].flatMap((value) => [
      { key: '__proto__', value },
      { key: 'a"', value },
    ])
    expect(toArgumentsJson(values, plain, noText)).toBe('{"__proto__":2,"a\\"":2}')
    expect(toArgumentsJson([], plain, noText)).toBe('{}')
  })
})
