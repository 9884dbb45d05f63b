import type { PatternNode } from '../ast.ts'
import type { CodeSet } from '../code-set.ts'
import { createPositionAutomaton, type PositionAutomaton } from './positions.ts'
import { Shapes } from './shapes.ts'

/** A pattern with counted rounds, ready to be read from both sides. */
export interface CountingAutomaton {
  readonly positions: PositionAutomaton
  readonly forward: Shapes
  readonly backward: Shapes
}

/** Builds the automaton of a simplified pattern; undefined for a pattern that `positionAutomaton` does not support. */
export function createCountingAutomaton(node: PatternNode, notBefore?: CodeSet): CountingAutomaton | undefined {
  const positions = createPositionAutomaton(node, notBefore)
  return (
    positions && {
      positions,
      forward: new Shapes(positions, positions.forward),
      backward: new Shapes(positions, positions.backward),
    }
  )
}
