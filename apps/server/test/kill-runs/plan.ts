import { createDice, type Dice } from '../e2e/storm.ts'

export const VICTIMS = ['front end', 'worker', 'backend', 'postgres', 'nats'] as const
export const PHASES = ['before', 'installing', 'staging', 'loading', 'streaming'] as const
/** `kill`: no goodbye. `freeze`: connections stay open and nothing answers. */
export const WAYS = ['kill', 'freeze'] as const
/** The way of one program to the database or to the bus. */
export const LINKS = ['database link', 'bus link'] as const
/** `cut`: connections end, and none is taken. `hang`: connections stay open and nothing passes. */
export const LINK_WAYS = ['cut', 'hang'] as const

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

/** Makes the plan of a seed. Seventy seeds in a row have every victim in every phase, in every way. */
export function makePlan(seed: number): Plan {
  const chosen = COMBINATIONS[(seed * STRIDE) % COMBINATIONS.length]
  if (chosen === undefined) throw new Error('a seed is a positive integer')
  const dice = createDice(seed)
  return { seed, ...chosen, delayMs: dice.below(400), outageMs: 200 + dice.below(8000), dice }
}
