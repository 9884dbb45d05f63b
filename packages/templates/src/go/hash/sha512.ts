import { padMessage } from './padding.ts'
import { firstPrimes, rootFraction } from './primes.ts'

interface Constants {
  readonly start: BigUint64Array
  readonly rounds: BigUint64Array
}

let known: Constants | undefined

function constants(): Constants {
  known ??= {
    start: BigUint64Array.from(firstPrimes(8), (prime) => rootFraction(prime, 2, 64)),
    rounds: BigUint64Array.from(firstPrimes(80), (prime) => rootFraction(prime, 3, 64)),
  }
  return known
}

/** SHA-512 of a message, 64 bytes. */
export function sha512(message: Uint8Array): Uint8Array {
  const { start, rounds } = constants()
  const view = padMessage(message, 128)
  const state = start.slice()
  const words = new BigUint64Array(80)
  for (let block = 0; block < view.byteLength; block += 128) {
    for (let at = 0; at < 16; at++) words[at] = view.getBigUint64(block + 8 * at)
    for (let at = 16; at < 80; at++) words[at] = expand(words, at)
    mix(state, words, rounds)
  }
  const digest = new DataView(new ArrayBuffer(64))
  for (const [at, value] of state.entries()) digest.setBigUint64(8 * at, value)
  return new Uint8Array(digest.buffer)
}

function expand(words: BigUint64Array, at: number): bigint {
  const early = word(words, at - 15)
  const late = word(words, at - 2)
  const low = rotate(early, 1n) ^ rotate(early, 8n) ^ (early >> 7n)
  const high = rotate(late, 19n) ^ rotate(late, 61n) ^ (late >> 6n)
  return word(words, at - 16) + low + word(words, at - 7) + high
}

function mix(state: BigUint64Array, words: BigUint64Array, rounds: BigUint64Array): void {
  let [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n, f = 0n, g = 0n, h = 0n] = state
  for (let round = 0; round < 80; round++) {
    const choice = (e & f) ^ (~e & g)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const high = rotate(e, 14n) ^ rotate(e, 18n) ^ rotate(e, 41n)
    const low = rotate(a, 28n) ^ rotate(a, 34n) ^ rotate(a, 39n)
    const sum = h + high + choice + word(rounds, round) + word(words, round)
    h = g
    g = f
    f = e
    e = BigInt.asUintN(64, d + sum)
    d = c
    c = b
    b = a
    a = BigInt.asUintN(64, sum + low + majority)
  }
  for (const [at, value] of [a, b, c, d, e, f, g, h].entries()) state[at] = word(state, at) + value
}

function rotate(value: bigint, bits: bigint): bigint {
  return BigInt.asUintN(64, (value >> bits) | (value << (64n - bits)))
}

function word(words: BigUint64Array, at: number): bigint {
  return words[at] ?? 0n
}
