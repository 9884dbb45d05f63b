import { createDice, type Dice } from '../e2e/storm.ts'

export const VICTIMS = ['front end', 'worker', 'backend', 'postgres', 'nats'] as const
export const PHASES = ['before', 'installing', 'staging', 'loading', 'streaming'] as const
/** `kill`: no goodbye. `freeze`: connections stay open and nothing answers, as on a half-open network. */
export const WAYS = ['kill', 'freeze'] as const

/** What happens in a run. */
export interface Plan {
  readonly seed: number
  readonly victim: (typeof VICTIMS)[number]
  readonly phase: (typeof PHASES)[number]
  readonly way: (typeof WAYS)[number]
  /** Time from the phase to the blow, milliseconds. */
  readonly delayMs: number
  /** Time from the blow to the restart, milliseconds. */
  readonly outageMs: number
  /** Source of everything else that is left to chance. */
  readonly dice: Dice
}

const COMBINATIONS = VICTIMS.flatMap((victim) => PHASES.flatMap((phase) => WAYS.map((way) => ({ victim, phase, way }))))
/** Has no factor in common with the number of combinations: so many seeds in a row meet each of them once. */
const STRIDE = 17

/** Makes the plan of a seed. Fifty seeds in a row have every victim in every phase, killed and frozen. */
export function makePlan(seed: number): Plan {
  const chosen = COMBINATIONS[(seed * STRIDE) % COMBINATIONS.length]
  if (chosen === undefined) throw new Error('a seed is a positive integer')
  const dice = createDice(seed)
  return { seed, ...chosen, delayMs: dice.below(400), outageMs: 200 + dice.below(8000), dice }
}
