import { describe, expect, it } from 'vitest'
import { Tape } from './tape.ts'

describe('Tape', () => {
  it('keeps every entry over many blocks, for any size of document', () => {
    for (const sizeBytes of [1, 40, 4095, 4096, 4097, 20_255]) {
      const tape = new Tape(sizeBytes)
      for (let index = 0; index < sizeBytes; index++) tape.push(index, index * 2)
      for (let index = 0; index < sizeBytes; index++) {
        if (tape.first(index) !== index || tape.second(index) !== index * 2) expect.fail(`${sizeBytes}: ${index}`)
      }
      expect(tape.length).toBe(sizeBytes)
    }
  })

  it('replaces the second word of an entry', () => {
    const tape = new Tape(10)
    tape.push(1, 2)
    tape.push(3, 4)
    tape.setSecond(0, 9)
    expect([tape.first(0), tape.second(0), tape.first(1), tape.second(1)]).toEqual([1, 9, 3, 4])
  })
})
