import { contains, isWordCode } from '../code-set.ts'
import type { SourceText } from '../source-text.ts'
import { GUARD, type PositionAutomaton } from './positions.ts'

/** The guards of an automaton that hold at an offset of a text. */
export function findGuards({ guards, notBefore }: PositionAutomaton, text: SourceText, at: number): number {
  if (guards === 0) return 0
  const code = at < text.length ? text.codeAt(at) : -1
  let holding = 0
  if (text.startsSegment(at)) holding |= GUARD.start
  if (text.endsSegment(at)) holding |= GUARD.end
  if (isWordCode(text.codeBefore(at)) !== isWordCode(code)) holding |= GUARD.boundary
  if (code < 0 || notBefore === undefined || !contains(notBefore, code)) holding |= GUARD.notBefore
  return holding & guards
}
