import { Alphabet } from '../alphabet.ts'
import { classifyEmptiness, collectSets, type PatternNode } from '../ast.ts'
import type { CodeSet } from '../code-set.ts'
import { type CountedLoop, countedLoop } from './counted-loop.ts'
import { unroll } from './unroll.ts'

/** Conditions between two characters, as flags. */
export const GUARD = { start: 1, end: 2, boundary: 4, notBefore: 8 } as const

/** Number of sets of guards. */
export const GUARD_SETS = 16

/** Most pairs of adjacent characters; a larger pattern is not supported. */
const MAX_STEPS = 1 << 14

/** More characters than any pattern has. */
const MAX_POSITIONS = 2 ** 20

/** A character of a pattern. */
export interface Position {
  readonly index: number
  /** Flags by class of its characters. */
  readonly flags: Uint8Array
  /** The innermost counted loop around it. */
  readonly loop: CountedLoop | undefined
}

/** A step from one character of a pattern to an adjacent one. */
export interface Step {
  readonly from: Position
  readonly to: Position
  readonly guards: number
  /** The innermost loop around both that is not left. */
  readonly kept: CountedLoop | undefined
  /** Whether that loop begins another round. */
  readonly isRound: boolean
  /** The loops around only `from`, innermost first, and the loops around only `to`, outermost first. */
  readonly left: readonly CountedLoop[]
  readonly entered: readonly CountedLoop[]
  /** Divisor of a stack of counts as a number, for leaving loops that may be left at any time; 0 for other loops. */
  readonly divisor: number
  /** Factor for entering loops. */
  readonly factor: number
}

/** A character with which a match may begin or end, under guards. */
export interface Edge {
  readonly position: Position
  readonly guards: number
}

/** The characters of a pattern and their order, in one direction of reading. */
export interface Flow {
  /** First characters. */
  readonly first: readonly Edge[]
  /** By position: the steps from it. */
  readonly steps: readonly (readonly Step[])[]
  /** By position: guards under which it may be the last; undefined if it may not. */
  readonly last: readonly (readonly number[])[]
}

/**
 * A pattern as its characters: read from the left and from the right. Rounds of large repeats are counted, not
 * expanded.
 */
export interface PositionAutomaton {
  readonly alphabet: Alphabet
  readonly positions: readonly Position[]
  readonly forward: Flow
  readonly backward: Flow
  /** All guards of any step. */
  readonly guards: number
  /** Characters that may not follow a match. */
  readonly notBefore: CodeSet | undefined
}

/**
 * Builds the automaton of a simplified pattern; undefined when it would be too large, or when a counted round may be
 * empty under a condition.
 */
export function createPositionAutomaton(node: PatternNode, notBefore?: CodeSet): PositionAutomaton | undefined {
  const builder = new Builder(node)
  return builder.build(node, notBefore)
}

/** Facts about a part of a pattern. */
interface Part {
  readonly first: readonly Edge[]
  readonly last: readonly Edge[]
  /** Guards under which it may be empty: empty list for never, else any one of them must hold. */
  readonly nothing: readonly number[]
}

const NOTHING: Part = { first: [], last: [], nothing: [0] }

class Builder {
  private readonly alphabet: Alphabet
  private readonly positions: Position[] = []
  private readonly steps: Step[] = []
  /** The same by the connected characters. */
  private readonly between = new Map<number, Step[]>()
  private guards = 0
  private isUnfit = false

  constructor(node: PatternNode) {
    const sets = new Map(collectSets(node).map((set) => [set.join(), set]))
    this.alphabet = new Alphabet([...sets.values()])
  }

  build(node: PatternNode, notBefore: CodeSet | undefined): PositionAutomaton | undefined {
    const whole = this.part(unroll(node), undefined)
    if (this.isUnfit) return undefined
    const { alphabet, positions, steps } = this
    const after = notBefore === undefined ? 0 : GUARD.notBefore
    const last = whole.last.map(({ position, guards }) => ({ position, guards: guards | after }))
    for (const { guards } of [...whole.first, ...last]) this.guards |= guards
    return {
      alphabet,
      positions,
      forward: createFlow(positions, whole.first, steps, last),
      backward: createFlow(positions, last, steps.map(reversed), whole.first),
      guards: this.guards,
      notBefore,
    }
  }

  private part(node: PatternNode, loop: CountedLoop | undefined): Part {
    if (this.isUnfit) return NOTHING
    switch (node.kind) {
      case 'literal':
        return this.character([node.code, node.code], loop)
      case 'class':
        return this.character(node.set, loop)
      case 'assertion': {
        const guard = node.assertion === 'start' ? GUARD.start : node.assertion === 'end' ? GUARD.end : GUARD.boundary
        return { first: [], last: [], nothing: [guard] }
      }
      case 'sequence':
        return node.items.reduce<Part>((before, item) => this.inRow(before, this.part(item, loop), loop), NOTHING)
      case 'choice': {
        const arms = node.arms.map((arm) => this.part(arm, loop))
        return {
          first: arms.flatMap((arm) => arm.first),
          last: arms.flatMap((arm) => arm.last),
          nothing: weakest(arms.flatMap((arm) => arm.nothing)),
        }
      }
      case 'repeat':
        return this.repeat(node.body, node.min, node.max, loop)
    }
  }

  private character(set: CodeSet, loop: CountedLoop | undefined): Part {
    const position = { index: this.positions.length, flags: this.alphabet.toFlags(set), loop }
    this.positions.push(position)
    const edges = [{ position, guards: 0 }]
    return { first: edges, last: edges, nothing: [] }
  }

  private inRow(left: Part, right: Part, loop: CountedLoop | undefined): Part {
    this.connect(left.last, right.first, loop, false)
    return {
      first: [...left.first, ...guarded(right.first, left.nothing)],
      last: [...right.last, ...guarded(left.last, right.nothing)],
      nothing: weakest(left.nothing.flatMap((one) => right.nothing.map((other) => one | other))),
    }
  }

  private repeat(node: PatternNode, min: number, max: number, around: CountedLoop | undefined): Part {
    const isCounted = max > 1 && (max < Number.POSITIVE_INFINITY || min > 1)
    // Empty rounds are not followed: they must not be required.
    if (isCounted && min > 1 && classifyEmptiness(node) === 'conditional') this.isUnfit = true
    const loop = isCounted ? countedLoop({ min, max, parent: around, isLoose: isLoose(node) }) : around
    const body = this.part(node, loop)
    if (max > 1) this.connect(body.last, body.first, loop, isCounted)
    return { first: body.first, last: body.last, nothing: min === 0 ? [0] : body.nothing }
  }

  private connect(
    last: readonly Edge[],
    first: readonly Edge[],
    kept: CountedLoop | undefined,
    isRound: boolean,
  ): void {
    if (this.steps.length + last.length * first.length > MAX_STEPS) this.isUnfit = true
    if (this.isUnfit) return
    for (const { position: from, guards: before } of last) {
      for (const { position: to, guards: after } of first) {
        this.addStep(createStep(from, to, before | after, kept, isRound))
      }
    }
  }

  private addStep(step: Step): void {
    const key = step.from.index * MAX_POSITIONS + step.to.index
    const alike = this.between.get(key) ?? []
    if (alike.some((other) => serves(other, step))) return
    this.guards |= step.guards
    this.between.set(key, [...alike, step])
    this.steps.push(step)
  }
}

/** Whether one step between two characters can replace another. */
function serves(one: Step, other: Step): boolean {
  if (one.kept !== other.kept || (one.guards & ~other.guards) !== 0) return false
  return one.isRound === other.isRound || (!one.isRound && one.kept?.threshold === 0)
}

/** Whether each character of a pattern may be its first and its last, without conditions. */
function isLoose(node: PatternNode): boolean {
  switch (node.kind) {
    case 'literal':
    case 'class':
      return true
    case 'assertion':
      return false
    case 'sequence':
      return node.items.every(
        (item) => isLoose(item) && (node.items.length === 1 || classifyEmptiness(item) === 'always'),
      )
    case 'choice':
      return node.arms.every(isLoose)
    case 'repeat':
      return node.min <= 1 && isLoose(node.body)
  }
}

function createFlow(
  positions: readonly Position[],
  first: readonly Edge[],
  steps: readonly Step[],
  last: readonly Edge[],
): Flow {
  const from: Step[][] = positions.map(() => [])
  for (const step of steps) from[step.from.index]?.push(step)
  const ends: number[][] = positions.map(() => [])
  for (const { position, guards } of last) ends[position.index]?.push(guards)
  return { first, steps: from, last: ends }
}

function reversed({ from, to, guards, kept, isRound }: Step): Step {
  return createStep(to, from, guards, kept, isRound)
}

function createStep(
  from: Position,
  to: Position,
  guards: number,
  kept: CountedLoop | undefined,
  isRound: boolean,
): Step {
  const left = listLoops(kept, from.loop).toReversed()
  const entered = listLoops(kept, to.loop)
  const isEasy = left.every((loop) => loop.threshold === 0) && (to.loop?.isPacked ?? true)
  const product = (loops: readonly CountedLoop[]): number => loops.reduce((all, loop) => all * loop.base, 1)
  return {
    from,
    to,
    guards,
    kept,
    isRound,
    left,
    entered,
    divisor: isEasy ? product(left) : 0,
    factor: product(entered),
  }
}

/** The loops inside one (undefined: all) up to another, outermost first. */
export function listLoops(outer: CountedLoop | undefined, inner: CountedLoop | undefined): readonly CountedLoop[] {
  const loops: CountedLoop[] = []
  for (let loop = inner; loop !== outer && loop !== undefined; loop = loop.parent) loops.unshift(loop)
  return loops
}

/** The same edges, under any one of some additional guards. */
function guarded(edges: readonly Edge[], conditions: readonly number[]): Edge[] {
  return conditions.flatMap((more) => edges.map(({ position, guards }) => ({ position, guards: guards | more })))
}

/** Guards without the guards that require more than another one. */
function weakest(all: readonly number[]): number[] {
  const distinct = [...new Set(all)]
  return distinct.filter((one) => !distinct.some((other) => other !== one && (other & ~one) === 0))
}
