import type { Frames } from './frames.ts'

/** Stacks of a state that new ones are compared with. */
const COMPARED = 12

/**
 * The visited states before one character. States come in the order of their starts, so work that an earlier one can do
 * need not be repeated.
 */
export class VisitedStates {
  private readonly frames: Frames
  private readonly seenAt: Float64Array
  /** By state: its visited stacks, the most covering first. */
  private readonly covering: number[][]
  private readonly exact = new Set<number>()
  private readonly hasLoops: boolean
  private step = 0

  constructor(states: number, hasLoops: boolean, frames: Frames) {
    this.frames = frames
    this.hasLoops = hasLoops
    this.seenAt = new Float64Array(states)
    this.covering = hasLoops ? Array.from({ length: states }, () => []) : []
  }

  /** Forgets all states before the next character. */
  clear(): void {
    this.step++
    if (this.hasLoops) this.exact.clear()
  }

  /** Whether a state adds nothing to the visited ones; marks it as visited. */
  has(state: number, frame: number): boolean {
    const isFirst = this.seenAt[state] !== this.step
    this.seenAt[state] = this.step
    if (!this.hasLoops) return !isFirst
    const covering = this.covering[state]
    if (covering === undefined) return false
    if (isFirst) covering.length = 0
    if (covering.some((seen) => this.frames.covers(seen, frame))) return true
    const weaker = covering.findIndex((seen) => this.frames.covers(frame, seen))
    if (weaker >= 0) covering[weaker] = frame
    else if (covering.length < COMPARED) covering.push(frame)
    const key = frame * this.seenAt.length + state
    if (this.exact.has(key)) return true
    this.exact.add(key)
    return false
  }
}
