import { enterLoop, type Value } from './counts.ts'
import { type Flow, GUARD_SETS, listLoops, type Position, type PositionAutomaton, type Step } from './positions.ts'

/** Limit of the cache: a unit is about one number. */
const MAX_UNITS = 1 << 16

/** The characters of a pattern that may just have been read, for any counts of rounds. */
export interface Shape {
  readonly positions: readonly Position[]
  /** Characters of the shape that may be the last, by the holding guards. */
  readonly last: readonly (readonly Position[])[]
  /** By column: the move of the next character; filled in on demand. */
  readonly moves: (Move | undefined)[]
}

/** The result of one more character. */
export interface Move {
  readonly next: Shape
  /** By position of the next shape: the steps to it. */
  readonly steps: readonly (readonly Step[])[]
  /** By position of the next shape: the value of a match that begins with it, if one may. */
  readonly begun: readonly (Value | undefined)[]
}

/** The shapes of an automaton in one direction of reading, created on demand in a bounded cache. */
export class Shapes {
  readonly empty: Shape
  /** Whether any rounds are counted. */
  readonly isCounted: boolean
  private readonly automaton: PositionAutomaton
  private readonly flow: Flow
  private readonly classes: number
  private known = new Map<string, Shape>()
  private units = 0

  constructor(automaton: PositionAutomaton, flow: Flow) {
    this.automaton = automaton
    this.flow = flow
    this.classes = automaton.alphabet.size
    this.isCounted = automaton.positions.some(({ loop }) => loop !== undefined)
    this.empty = this.findShape([])
  }

  /** Reads a character of a class; guards hold between it and the previous one, and a match may begin with it. */
  move(shape: Shape, characterClass: number, guards: number, begins: boolean): Move {
    const column = ((guards * this.classes + characterClass) << 1) | (begins ? 1 : 0)
    const known = shape.moves[column]
    if (known !== undefined) return known
    const built = this.build(shape, characterClass, guards, begins)
    shape.moves[column] = built
    return built
  }

  private build(shape: Shape, characterClass: number, guards: number, begins: boolean): Move {
    const steps = new Map<Position, Step[]>()
    for (const { index } of shape.positions) {
      for (const step of this.flow.steps[index] ?? []) {
        if (step.to.flags[characterClass] !== 1 || (step.guards & ~guards) !== 0) continue
        const alike = steps.get(step.to)
        if (alike === undefined) steps.set(step.to, [step])
        else alike.push(step)
      }
    }
    const begun = new Map<Position, Value>()
    for (const { position, guards: needed } of begins ? this.flow.first : []) {
      if (position.flags[characterClass] !== 1 || (needed & ~guards) !== 0) continue
      begun.set(position, enterAll(position))
      if (!steps.has(position)) steps.set(position, [])
    }
    const positions = [...steps.keys()].sort((one, other) => one.index - other.index)
    const next = this.findShape(positions)
    const all = positions.map((position) => steps.get(position) ?? [])
    this.count(positions.length * 2 + all.reduce((sum, some) => sum + some.length, 8))
    return { next, steps: all, begun: positions.map((position) => begun.get(position)) }
  }

  private findShape(positions: readonly Position[]): Shape {
    const key = positions.map(({ index }) => index).join()
    const known = this.known.get(key)
    if (known !== undefined) return known
    const sets = this.automaton.guards === 0 ? 1 : GUARD_SETS
    const last = Array.from({ length: sets }, (_, guards) =>
      positions.filter(({ index }) => this.flow.last[index]?.some((needed) => (needed & ~guards) === 0) === true),
    )
    const shape = { positions, last, moves: [] }
    this.known.set(key, shape)
    this.count(positions.length * 2 + this.classes + 16)
    return shape
  }

  /** Past the limit the cache is emptied; shapes in use are freed with their last user. */
  private count(units: number): void {
    this.units += units
    if (this.units <= MAX_UNITS) return
    this.units = 0
    this.known = new Map()
  }
}

function enterAll(position: Position): Value {
  return listLoops(undefined, position.loop).reduce<Value>((value, loop) => enterLoop(loop, value), 0)
}
