/** Distance of the recorded positions, in code units. */
export const CHECKPOINT_UNITS = 64

/** Most recorded positions and states; then all are forgotten. */
const MAX_KEPT = 1 << 16

/** More than an automaton has states at a time. */
const STATES = 2 ** 20

/**
 * Records states of the automaton at positions from which no match can end, so that the same range is not read in vain
 * for one start after the other. Records are valid as long as the automaton keeps its states.
 */
export class DeadEnds {
  private readonly known = new Set<number>()
  /** Positions of the current attempt, ascending. */
  private passed: number[] = []
  private flushes = -1

  /** Whether a state at a position is a dead end. An unknown one is recorded as part of the attempt. */
  isKnown(position: number, state: number, flushes: number): boolean {
    if (flushes !== this.flushes) {
      this.known.clear()
      this.passed = []
      this.flushes = flushes
    }
    const key = position * STATES + state
    if (this.known.has(key)) return true
    this.passed.push(key)
    return false
  }

  /** Ends an attempt: its states after the end of the match (-1: without a match) are dead ends. */
  finish(end: number): void {
    for (let key = this.passed.pop(); key !== undefined && key >= (end + 1) * STATES; key = this.passed.pop()) {
      if (this.known.size >= MAX_KEPT) this.known.clear()
      this.known.add(key)
    }
    this.passed = []
  }
}
