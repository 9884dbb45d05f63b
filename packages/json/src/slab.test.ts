import { describe, expect, it } from 'vitest'
import { takeBytes, takeWords } from './slab.ts'

describe('small arrays', () => {
  it('are zeroed, of the size asked for, and share nothing', () => {
    const taken: { bytes: Uint8Array; mark: number }[] = []
    for (let round = 0; round < 600; round += 1) {
      const size = (round * 37) % 5000
      const bytes = round % 2 === 0 ? takeBytes(size) : new Uint8Array(takeWords(size).buffer, 0, 0)
      expect(bytes.every((byte) => byte === 0)).toBe(true)
      if (round % 2 === 0) expect(bytes.length).toBe(size)
      bytes.fill((round % 255) + 1)
      taken.push({ bytes, mark: (round % 255) + 1 })
    }
    for (const { bytes, mark } of taken) expect(bytes.every((byte) => byte === mark)).toBe(true)
  })

  it('of words lie on word boundaries after odd numbers of bytes', () => {
    takeBytes(3)
    const words = takeWords(2)
    expect([words.length, words.byteOffset % 4]).toEqual([2, 0])
    words.fill(-1)
    expect(takeBytes(5)).toEqual(new Uint8Array(5))
  })
})
