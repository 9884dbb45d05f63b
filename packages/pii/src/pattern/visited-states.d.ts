import type { Frames } from './frames.ts'
/**
 * The states seen in front of one character. States come in the order of their starts, so that whatever an earlier one can
 * do need not be done again.
 */
export declare class VisitedStates {
  private readonly frames
  private readonly seenAt
  /** By state: the stacks it was seen with, those that cover the most first. */
  private readonly covering
  private readonly exact
  private readonly hasLoops
  private step
  constructor(states: number, hasLoops: boolean, frames: Frames)
  /** In front of the next character nothing is seen yet. */
  clear(): void
  /** Whether a state adds nothing to those seen; it is seen from now on. */
  has(state: number, frame: number): boolean
}
