import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { feedValue, NoDigest } from './feed-value.ts'

function digest(value: unknown): string {
  const hash = createHash('sha256')
  feedValue(hash, value)
  return hash.digest('hex')
}

describe('feedValue', () => {
  it('gives different values different digests', () => {
    const values = [
      ...['', 'a', 'A', '1', 'caf\u00e9', 'cafe\u0301', '\ud800', '\udc00', '\ufffd', 's1:a', 'null'],
      ...[0, -0, 1, 1.5, 1e21, true, false, null, undefined, 1n],
      ...[[], [[]], ['a'], ['a', 'b'], ['ab'], [['a'], 'b'], [undefined], [null]],
      ...[{}, { a: 1 }, { a: '1' }, { a: 1, b: 2 }, { b: 2, a: 1 }, { a: { b: 2 } }, { a: [1] }, { '': 1 }],
      { a: null },
    ]
    expect(new Set(values.map(digest)).size).toBe(values.length)
  })

  it('gives equal values one digest: absent and undefined keys are the same', () => {
    expect(digest({ a: 1, b: undefined })).toBe(digest({ a: 1 }))
    expect(digest(JSON.parse('{"a":1.0,"b":1e2}'))).toBe(digest({ a: 1, b: 100 }))
  })

  it.each([() => 1, Symbol('a'), new Map(), new Date(), Buffer.from('a')])('refuses %s', (value) => {
    expect(() => digest(['a', { value }])).toThrow(NoDigest)
  })
})
