import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createByteOffsets } from './byte-offsets.ts'

it('places in a text are counted in bytes, in any order', () => {
  const texts = fc.string({ unit: 'grapheme', maxLength: 60 })
  const property = fc.property(texts, fc.array(fc.nat(60), { maxLength: 10 }), (text, picks) => {
    const toByte = createByteOffsets(text)
    const characters = [...text]
    for (const pick of picks) {
      const before = characters.slice(0, pick).join('')
      expect(toByte(before.length)).toBe(new TextEncoder().encode(before).length)
    }
  })
  fc.assert(property, { numRuns: 1000 })
})
