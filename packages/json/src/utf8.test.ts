import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { measureMultiByte } from './utf8.ts'

function isDecodable(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/** Whether the validator takes the bytes as exactly one sequence. */
function isOneSequence(bytes: Uint8Array): boolean {
  return measureMultiByte(bytes, 0) === bytes.length
}

describe('multiByteLength', () => {
  it('agrees with the fatal decoder on every pair of bytes', () => {
    for (let lead = 0x80; lead <= 0xff; lead++) {
      for (let second = 0; second <= 0xff; second++) {
        const bytes = Uint8Array.of(lead, second)
        if (isOneSequence(bytes) !== isDecodable(bytes)) expect.fail(`pair ${lead} ${second}`)
      }
    }
  })

  it('agrees with the fatal decoder on every three byte lead and edge', () => {
    const edges = [0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff]
    for (let lead = 0xe0; lead <= 0xff; lead++) {
      for (const second of edges) {
        for (const third of edges) {
          const three = Uint8Array.of(lead, second, third)
          if (isOneSequence(three) !== isDecodable(three)) expect.fail(`three ${three.join(' ')}`)
          for (const fourth of edges) {
            const four = Uint8Array.of(lead, second, third, fourth)
            if (isOneSequence(four) !== (isDecodable(four) && lead >= 0xf0)) expect.fail(`four ${four.join(' ')}`)
          }
        }
      }
    }
  })

  it('gives the length of every character past ASCII', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), (character) => {
        const bytes = new TextEncoder().encode(character)
        fc.pre(bytes.length > 1)
        expect(measureMultiByte(bytes, 0)).toBe(bytes.length)
      }),
    )
  })

  it('refuses a sequence cut off by the end of the bytes', () => {
    for (const character of ['é', '漢', '😀']) {
      const bytes = new TextEncoder().encode(character)
      for (let length = 1; length < bytes.length; length++) {
        expect(measureMultiByte(bytes.subarray(0, length), 0)).toBe(0)
      }
    }
  })
})
