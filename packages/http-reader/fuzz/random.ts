/** A source of choices that a seed repeats. */
export interface Random {
  /** An integer from 0 up to, and without, the bound. */
  below(bound: number): number
  /** @param probability 0..1 */
  chance(probability: number): boolean
  pick<T>(values: readonly [T, ...T[]]): T
}

/** Makes a source of choices (the generator is mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (bound: number): number => Math.floor(next() * bound)
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (values) => values[below(values.length)] ?? values[0],
  }
}
