import { randomInt } from 'node:crypto'

const SEEDS = 2 ** 31

/** Options of {@link chooseSeed}. */
export interface SeedOptions {
  /** Number of the answer, from 0. It is added to a fixed seed, because all answers would be equal otherwise. */
  readonly choice: number
  /** A seed for requests without one, 0 to 2147483647. @default at random */
  readonly randomSeed?: (() => number) | undefined
}

/** Chooses the seed of one answer. @param seed of the request; -1 = another one each time */
export function chooseSeed(seed: number | undefined, { choice, randomSeed }: SeedOptions): number {
  if (seed === undefined || seed === -1) return (randomSeed ?? (() => randomInt(SEEDS)))()
  // A seed beyond 32 bits counts by its low ones.
  const moved = ((seed | 0) + choice) | 0
  // Backends read -1 as the wish for a random seed.
  return moved === -1 ? SEEDS - 1 : moved
}
