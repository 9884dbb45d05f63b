/** Pseudo-random numbers, the same in every run. */
export interface Random {
  /** In 0..1, 1 exclusive. */
  uniform(): number
  /** With mean 0 and deviation 1. */
  normal(): number
  /** A whole number from 0 up to `limit`, exclusive. */
  below(limit: number): number
}

/** A generator that starts from a seed (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    uniform,
    normal: () => Math.sqrt(-2 * Math.log(uniform() + 1e-12)) * Math.cos(2 * Math.PI * uniform()),
    below: (limit) => Math.floor(uniform() * limit),
  }
}
