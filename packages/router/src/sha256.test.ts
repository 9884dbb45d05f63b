import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hashText } from './sha256.ts'

it('is the hash that others compute', () => {
  for (let length = 0; length < 300; length++) {
    const text = 'ä€x'.repeat(length)
    expect(hashText(text)).toBe(createHash('sha256').update(text).digest('hex'))
  }
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(hashText(text)).toBe(createHash('sha256').update(text).digest('hex'))
    }),
  )
})
