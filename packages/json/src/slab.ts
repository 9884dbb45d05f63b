/** Words of 32 bits in one slab. */
const SLAB_WORDS = 16 * 1024
/** Larger arrays get memory of their own, so that none of them keeps a whole slab alive. */
const MAX_WORDS = SLAB_WORDS / 16

let slab = new Int32Array(SLAB_WORDS)
let used = 0

/**
 * Zeroed memory for a small array: a range of a larger one that is never given out twice. An array of its own costs more
 * than most documents take to read.
 *
 * @param count words of 32 bits
 */
export function takeWords(count: number): Int32Array {
  // NaN must not reach the counter, because every later call adds to it.
  if (!(count >= 0)) throw new RangeError(`${count} words of memory`)
  if (count > MAX_WORDS) return new Int32Array(count)
  if (used + count > SLAB_WORDS) {
    slab = new Int32Array(SLAB_WORDS)
    used = 0
  }
  used += count
  return slab.subarray(used - count, used)
}

/** {@link takeWords} for bytes. */
export function takeBytes(count: number): Uint8Array {
  if (count > MAX_WORDS * Int32Array.BYTES_PER_ELEMENT) return new Uint8Array(count)
  const words = takeWords(Math.ceil(count / Int32Array.BYTES_PER_ELEMENT))
  return new Uint8Array(words.buffer, words.byteOffset, count)
}
