import { padMessage } from './padding.ts'
import { firstPrimes, rootFraction } from './primes.ts'

interface Constants {
  readonly start: Uint32Array
  readonly rounds: Uint32Array
}

let known: Constants | undefined

function constants(): Constants {
  known ??= {
    start: Uint32Array.from(firstPrimes(8), (prime) => Number(rootFraction(prime, 2, 32))),
    rounds: Uint32Array.from(firstPrimes(64), (prime) => Number(rootFraction(prime, 3, 32))),
  }
  return known
}

/** SHA-256 of a message, 32 bytes. */
export function sha256(message: Uint8Array): Uint8Array {
  const { start, rounds } = constants()
  const view = padMessage(message, 64)
  const state = start.slice()
  const words = new Uint32Array(64)
  for (let block = 0; block < view.byteLength; block += 64) {
    for (let at = 0; at < 16; at++) words[at] = view.getUint32(block + 4 * at)
    for (let at = 16; at < 64; at++) words[at] = expand(words, at)
    mix(state, words, rounds)
  }
  const digest = new DataView(new ArrayBuffer(32))
  for (const [at, value] of state.entries()) digest.setUint32(4 * at, value)
  return new Uint8Array(digest.buffer)
}

function expand(words: Uint32Array, at: number): number {
  const early = word(words, at - 15)
  const late = word(words, at - 2)
  const low = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)
  const high = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10)
  return word(words, at - 16) + low + word(words, at - 7) + high
}

function mix(state: Uint32Array, words: Uint32Array, rounds: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let round = 0; round < 64; round++) {
    const choice = (e & f) ^ (~e & g)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const high = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const low = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const sum = (h + high + choice + word(rounds, round) + word(words, round)) | 0
    h = g
    g = f
    f = e
    e = (d + sum) | 0
    d = c
    c = b
    b = a
    a = (sum + low + majority) | 0
  }
  for (const [at, value] of [a, b, c, d, e, f, g, h].entries()) state[at] = word(state, at) + value
}

function rotate(value: number, bits: number): number {
  return (value >>> bits) | (value << (32 - bits))
}

function word(words: Uint32Array, at: number): number {
  return words[at] ?? 0
}
