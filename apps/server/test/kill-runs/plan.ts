import { createDice, type Dice } from '../e2e/storm.ts'

export const VICTIMS = ['front end', 'worker', 'backend', 'postgres', 'nats'] as const
export const PHASES = ['before', 'installing', 'staging', 'loading', 'streaming'] as const
/** `kill`: no goodbye. `freeze`: connections stay open and nothing answers. */
export const WAYS = ['kill', 'freeze'] as const
/** The ways of one program to the database, to the bus, of all front ends to one worker, and all ways of a worker. */
export const LINKS = ['database link', 'bus link', 'worker link', 'worker network'] as const
/**
 * `cut`: connections end, and none is taken. `hang`: connections stay open and nothing passes. `half-open`: nothing
 * passes in one direction, or on the connections of before. `slow`: bytes come late and few at a time.
 */
export const LINK_WAYS = ['cut', 'hang', 'half-open', 'slow'] as const

/** What happens in a run. */
export interface Plan {
  readonly seed: number
  readonly victim: (typeof VICTIMS | typeof LINKS)[number]
  readonly phase: (typeof PHASES)[number]
  readonly way: (typeof WAYS | typeof LINK_WAYS)[number]
  /** Time from the phase to the blow, milliseconds. */
  readonly delayMs: number
  /** Time from the blow to the restart, milliseconds. */
  readonly outageMs: number
  /** Source of everything else that is left to chance. */
  readonly dice: Dice
}

const COMBINATIONS = PHASES.flatMap((phase) => [
  ...VICTIMS.flatMap((victim) => WAYS.map((way) => ({ victim, phase, way }))),
  ...LINKS.flatMap((victim) => LINK_WAYS.map((way) => ({ victim, phase, way }))),
])
/** Has no factor in common with the number of combinations: so many seeds in a row meet each of them once. */
const STRIDE = 17
/** Runs that share a cluster, and its clocks. */
const PER_WORLD = 10
const APART_MS = 30_000

/** Makes the plan of a seed. 130 seeds in a row have every victim in every phase, in every way. */
export function makePlan(seed: number): Plan {
  const chosen = COMBINATIONS[(seed * STRIDE) % COMBINATIONS.length]
  if (chosen === undefined) throw new Error('a seed is a positive integer')
  const dice = createDice(seed)
  return { seed, ...chosen, delayMs: dice.below(400), outageMs: 200 + dice.below(8000), dice }
}

/** Number of the cluster of a seed. */
export const worldOf = (seed: number): number => Math.floor(seed / PER_WORLD)

/**
 * How far the clocks of both front ends and both workers are from those of the engines, milliseconds. Each second
 * cluster has clocks that are apart.
 */
export function clocksOf(seed: number): readonly number[] {
  const shift = [0, APART_MS, 0, -APART_MS][worldOf(seed) % 4] ?? 0
  return [shift, 0, 0, shift]
}
