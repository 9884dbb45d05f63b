import { createHash, createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { hmacSha256 } from './operators/hmac.ts'
import { sha256 } from './sha256.ts'

it('hashes texts of every length around the ends of blocks as Node does', () => {
  for (let length = 0; length <= 200; length++) {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 37 + length) & 0xff)
    expect(Buffer.from(sha256(bytes)).toString('hex')).toBe(createHash('sha256').update(bytes).digest('hex'))
  }
})

it.each(['', 'k', 'ä', 'k'.repeat(63), 'k'.repeat(64), 'k'.repeat(65), 'k'.repeat(200)])(
  'makes codes with the key %j as Node does',
  (key) => {
    for (const text of ['', 'text', '€'.repeat(50)]) {
      expect(hmacSha256(key, text)).toBe(createHmac('sha256', key).update(text).digest('hex'))
    }
  },
)
