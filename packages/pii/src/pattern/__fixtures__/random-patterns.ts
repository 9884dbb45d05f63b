import type { PatternNode } from '../ast.ts'
import { PatternSyntaxError } from '../errors.ts'
import { parsePattern } from '../grammar.ts'

/** Pseudo-random numbers, the same in every run. */
export class Dice {
  private state: number

  constructor(seed: number) {
    this.state = (seed * 2654435761 + 1) >>> 0
  }

  /** A whole number from 0 to `sides` - 1. */
  roll(sides: number): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.roll(choices.length)] ?? choices[0]
  }
}

const LITERALS = ['a', 'b', 'c', 'a', 'b', '-', 'é', '🔑'] as const
const CLASSES = ['[ab]', '[a-c]', '[^a]', '[^a-c-]', '\\w', '\\d', '\\s', '\\W', '[b🔑]', '[^🔑]', '[a-c1]'] as const
const ASSERTIONS = ['\\b', '^', '$'] as const

/** Size of the bounds of quantifiers. */
export type Bounds = 'small' | 'large'

function quantifier(dice: Dice, bounds: Bounds): string {
  const large = bounds === 'large'
  const low = dice.roll(3) === 0 ? dice.roll(large ? 40 : 4) : dice.roll(3)
  const high = low + dice.roll(large ? 60 : 3)
  return dice.pick(['?', '*', '+', `{${low}}`, `{${low},}`, `{${low},${Math.max(high, 1)}}`, '??', '*?'])
}

function piece(dice: Dice, depth: number, bounds: Bounds): string {
  const kind = dice.roll(depth > 0 ? 10 : 7)
  if (kind < 3) return dice.pick(LITERALS)
  if (kind < 5) return dice.pick(CLASSES)
  if (kind === 5) return `${dice.pick(LITERALS)}${quantifier(dice, bounds)}`
  if (kind === 6) return dice.roll(4) === 0 ? dice.pick(ASSERTIONS) : `${dice.pick(CLASSES)}${quantifier(dice, bounds)}`
  const arms = Array.from({ length: 1 + dice.roll(3) }, () => row(dice, depth - 1, bounds)).join('|')
  return `(?:${arms})${dice.roll(2) === 0 ? quantifier(dice, bounds) : ''}`
}

function row(dice: Dice, depth: number, bounds: Bounds): string {
  return Array.from({ length: dice.roll(4) }, () => piece(dice, depth, bounds)).join('')
}

/** A pattern of the grammar, most often with a literal run. */
function randomPattern(dice: Dice, bounds: Bounds): string {
  const run = dice.pick(['abc', 'aab', 'aaa', 'abab', 'bca', 'a-b', '(?:abc|bca)', '(?:aab|ab-)', 'éab', 'a🔑b'])
  const shape = dice.roll(5)
  if (shape === 0) return `${run}${row(dice, 3, bounds)}`
  if (shape === 1) return `${row(dice, 3, bounds)}${run}`
  if (shape === 2) return `(?:${row(dice, 2, bounds)}${run}${row(dice, 2, bounds)})${quantifier(dice, bounds)}`
  if (shape === 3) return `${row(dice, 2, bounds)}${run}${row(dice, 1, bounds)}|${run}${row(dice, 2, bounds)}`
  return `${row(dice, 2, bounds)}${run}${row(dice, 2, bounds)}`
}

/** The next random pattern that the grammar accepts. */
export function acceptedPattern(dice: Dice, bounds: Bounds): { readonly source: string; readonly node: PatternNode } {
  for (;;) {
    const source = randomPattern(dice, bounds)
    try {
      return { source, node: parsePattern(source) }
    } catch (error) {
      if (!(error instanceof PatternSyntaxError)) throw error
    }
  }
}

/** A text in which such patterns find matches. */
export function randomText(dice: Dice, pieces: number): string {
  const parts = ['a', 'b', 'c', 'a', 'b', 'abc', 'aab', 'aaa', 'abab', 'bca', 'a-b', '-', ' ', '1', '\n', 'é', '🔑', 'x']
  const lone = '\ud83d'
  const some = [...parts, ...parts, ...parts, lone, '\udd11']
  return Array.from({ length: dice.roll(pieces) + 1 }, () => some[dice.roll(some.length)] ?? 'a').join('')
}

const NEST_PIECES = ['a', 'b', 'a', 'ab', '[ab]', '[a-c]', 'c', '\\b', '[^a]'] as const
const LOW_BOUNDS = [0, 0, 1, 1, 2, 3, 5, 9] as const

function nest(dice: Dice, depth: number): string {
  const pieces = Array.from({ length: 1 + dice.roll(3) }, () => {
    const isGroup = depth > 0 && dice.roll(3) > 0
    const arms = Array.from({ length: isGroup ? 1 + dice.roll(2) : 0 }, () => nest(dice, depth - 1))
    const low = dice.pick(LOW_BOUNDS)
    const range = `{${low},${Math.max(1, low + dice.pick([0, 1, 2, 4, 8, 25]))}}`
    const quantifier = dice.pick(['', '', range, range, range, `{${low},}`, `{${Math.max(low, 1)}}`, '*', '+', '?'])
    return `${isGroup ? `(?:${arms.join('|')})` : dice.pick(NEST_PIECES)}${quantifier}`
  })
  return pieces.join('')
}

/** Nested repeats with bounds that are large enough to be counted; not always with a literal run. */
export function nestedPattern(dice: Dice): string {
  return `${nest(dice, 1 + dice.roll(3))}${dice.pick(['', 'c', 'x', 'abc'])}`
}

/** A text with long attempts of such patterns. */
export function nestedText(dice: Dice): string {
  if (dice.roll(4) === 0) return randomText(dice, 30)
  return Array.from({ length: 1 + dice.roll(70) }, () =>
    dice.roll(8) === 0 ? dice.pick(['a', 'b', 'c', '-', 'x']) : dice.pick(['a', 'a', 'a', 'b']),
  ).join('')
}
