const FIRST_WORDS = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
] as const

/** The first 32 bits behind the point of the cube roots of the first 64 primes (FIPS 180-4). */
const ROUND_WORDS = Uint32Array.from(findPrimes(64), (prime) => (Math.cbrt(prime) % 1) * 2 ** 32)

const encoder = new TextEncoder()

/**
 * SHA-256 of the UTF-8 of a text, in lower-case hex digits. Computed at once: WebCrypto answers later, which is too
 * slow for each line of a large file.
 */
export function hashText(text: string): string {
  const state = Uint32Array.from(FIRST_WORDS)
  const words = padMessage(encoder.encode(text))
  const schedule = new Uint32Array(64)
  for (let block = 0; block < words.length; block += 16) {
    fillSchedule(schedule, words.subarray(block, block + 16))
    mixBlock(state, schedule)
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('')
}

function findPrimes(count: number): number[] {
  const primes: number[] = []
  for (let number = 2; primes.length < count; number++) {
    if (primes.every((prime) => number % prime !== 0)) primes.push(number)
  }
  return primes
}

/** The message with a one bit, zeros and its length behind it, as big-endian words. */
function padMessage(bytes: Uint8Array): Uint32Array {
  const blocks = Math.ceil((bytes.length + 9) / 64)
  const padded = new Uint8Array(blocks * 64)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n)
  return Uint32Array.from({ length: blocks * 16 }, (_, index) => view.getUint32(index * 4))
}

const rotate = (word: number, bits: number) => (word >>> bits) | (word << (32 - bits))

function fillSchedule(schedule: Uint32Array, block: Uint32Array): void {
  schedule.set(block)
  for (let index = 16; index < 64; index++) {
    const early = schedule[index - 15] ?? 0
    const late = schedule[index - 2] ?? 0
    const one = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)
    const other = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10)
    schedule[index] = (schedule[index - 16] ?? 0) + one + (schedule[index - 7] ?? 0) + other
  }
}

function mixBlock(state: Uint32Array, schedule: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let index = 0; index < 64; index++) {
    const upper = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const first = (h + upper + ((e & f) ^ (~e & g)) + (ROUND_WORDS[index] ?? 0) + (schedule[index] ?? 0)) | 0
    const lower = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const second = (lower + ((a & b) ^ (a & c) ^ (b & c))) | 0
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0]
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index] ?? 0) + word
}
