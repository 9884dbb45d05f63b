/** The first 32 bits of the fractional parts of roots of the first primes (FIPS 180-4). */
function fractions(root: (prime: number) => number, count: number): Int32Array {
  const values: number[] = []
  for (let number = 2; values.length < count; number++) {
    if (isPrime(number)) values.push((root(number) % 1) * 2 ** 32)
  }
  return Int32Array.from(values)
}

function isPrime(number: number): boolean {
  for (let factor = 2; factor * factor <= number; factor++) if (number % factor === 0) return false
  return true
}

const ROUNDS = fractions(Math.cbrt, 64)
const START = fractions(Math.sqrt, 8)

const rotate = (value: number, by: number): number => (value >>> by) | (value << (32 - by))

/** SHA-256, synchronously: for the checks of a few short texts. Web Crypto's is asynchronous. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array((((bytes.length + 8) >> 6) + 1) << 6)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 4, bytes.length * 8)
  const state = Int32Array.from(START)
  for (let block = 0; block < padded.length; block += 64) addBlock(state, view, block)
  const result = new DataView(new ArrayBuffer(32))
  for (const [index, value] of state.entries()) result.setInt32(index * 4, value)
  return new Uint8Array(result.buffer)
}

function addBlock(state: Int32Array, view: DataView, block: number): void {
  const words = new Int32Array(64)
  const word = (index: number): number => words[index] ?? 0
  for (let index = 0; index < 16; index++) words[index] = view.getInt32(block + index * 4)
  for (let index = 16; index < 64; index++) {
    const far = word(index - 15)
    const near = word(index - 2)
    const one = rotate(far, 7) ^ rotate(far, 18) ^ (far >>> 3)
    const two = rotate(near, 17) ^ rotate(near, 19) ^ (near >>> 10)
    words[index] = word(index - 16) + one + word(index - 7) + two
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let index = 0; index < 64; index++) {
    const sum = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const first = (h + sum + ((e & f) ^ (~e & g)) + (ROUNDS[index] ?? 0) + word(index)) | 0
    const other = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const second = (other + ((a & b) ^ (a & c) ^ (b & c))) | 0
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0]
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index] ?? 0) + value
}
