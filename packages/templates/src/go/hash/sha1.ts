import { padMessage } from './padding.ts'

/** SHA-1 of a message, 20 bytes. For check sums in templates; not for security. */
export function sha1(message: Uint8Array): Uint8Array {
  const view = padMessage(message, 64)
  const state = new Uint32Array([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0])
  const words = new Uint32Array(80)
  for (let block = 0; block < view.byteLength; block += 64) {
    for (let at = 0; at < 16; at++) words[at] = view.getUint32(block + 4 * at)
    for (let at = 16; at < 80; at++) {
      words[at] = rotate(word(words, at - 3) ^ word(words, at - 8) ^ word(words, at - 14) ^ word(words, at - 16), 1)
    }
    mix(state, words)
  }
  const digest = new DataView(new ArrayBuffer(20))
  for (const [at, value] of state.entries()) digest.setUint32(4 * at, value)
  return new Uint8Array(digest.buffer)
}

function mix(state: Uint32Array, words: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0] = state
  for (let round = 0; round < 80; round++) {
    const [choice, constant] = roundFunction(round, b, c, d)
    const next = (rotate(a, 5) + choice + e + constant + word(words, round)) | 0
    e = d
    d = c
    c = rotate(b, 30)
    b = a
    a = next
  }
  for (const [at, value] of [a, b, c, d, e].entries()) state[at] = word(state, at) + value
}

function roundFunction(round: number, b: number, c: number, d: number): [number, number] {
  if (round < 20) return [(b & c) | (~b & d), 0x5a827999]
  if (round < 40) return [b ^ c ^ d, 0x6ed9eba1]
  if (round < 60) return [(b & c) | (b & d) | (c & d), 0x8f1bbcdc]
  return [b ^ c ^ d, 0xca62c1d6]
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits))
}

function word(words: Uint32Array, at: number): number {
  return words[at] ?? 0
}
