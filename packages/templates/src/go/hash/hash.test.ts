import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstPrimes, rootFraction } from './primes.ts'
import { sha1 } from './sha1.ts'
import { sha256 } from './sha256.ts'
import { sha512 } from './sha512.ts'

describe.each([
  ['sha1', sha1],
  ['sha256', sha256],
  ['sha512', sha512],
] as const)('%s', (name, hash) => {
  const expected = (message: Uint8Array): Uint8Array => new Uint8Array(createHash(name).update(message).digest())

  it('equals that of every other implementation', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (message) => {
        expect(hash(message)).toEqual(expected(message))
      }),
    )
  })

  it.each([0, 55, 56, 63, 64, 111, 112, 127, 128, 129])('pads %d bytes', (length) => {
    const message = new Uint8Array(length).fill(0x61)
    expect(hash(message)).toEqual(expected(message))
  })
})

it('takes its constants from prime numbers', () => {
  expect(firstPrimes(6)).toEqual([2, 3, 5, 7, 11, 13])
  expect(rootFraction(2, 2, 32)).toBe(0x6a09e667n)
  expect(rootFraction(2, 3, 32)).toBe(0x428a2f98n)
})
