import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BodyPieces } from './body-pieces.ts'

describe('the pieces of a body', () => {
  it('are joined in their order, whatever their sizes', () => {
    const size = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constantFrom(4095, 4096, 65_535, 65_536, 70_000))
    fc.assert(
      fc.property(fc.array(size, { maxLength: 40 }), (sizes) => {
        const pieces = new BodyPieces()
        const all = sizes.map((length, index) => Buffer.alloc(length, index + 1))
        for (const piece of all) pieces.add(piece)
        const last = Buffer.from('"')
        expect(Buffer.compare(pieces.join(last), Buffer.concat([...all, last]))).toBe(0)
        expect(Buffer.compare(pieces.join(), Buffer.concat(all))).toBe(0)
      }),
    )
  })

  it('one is not copied', () => {
    const piece = Buffer.from('all')
    const pieces = new BodyPieces()
    pieces.add(piece)
    expect(pieces.join()).toBe(piece)
  })

  it('REL-2: take little more than their bytes, however small they are', () => {
    const pieces = new BodyPieces()
    for (let index = 0; index < 1_000_000; index += 1) pieces.add(Buffer.from([index % 256]))
    expect(pieces.count).toBeLessThan(20)
    expect(pieces.join()).toHaveLength(1_000_000)
  })
})
