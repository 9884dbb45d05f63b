/** Distance of the places that are remembered, in code units. */
export const CHECKPOINT_UNITS = 64

/** Places and states that are kept; then all are forgotten. */
const MAX_KEPT = 1 << 16

/** More than an automaton has states at a time. */
const STATES = 2 ** 20

/**
 * Where in a text no match can end any more, by the state of the automaton: so that the same stretch is not read in vain for
 * one start after the other. States count for as long as the automaton keeps them.
 */
export class DeadEnds {
  private readonly known = new Set<number>()
  /** Those that the try under way came through, ascending by place. */
  private passed: number[] = []
  private flushes = -1

  /** Whether nothing can come of a state at a place. If that is not known it is remembered as one on the way. */
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

  /** A try is over: behind its end (-1: without a match) nothing came of the states it came through. */
  finish(end: number): void {
    for (let key = this.passed.pop(); key !== undefined && key >= (end + 1) * STATES; key = this.passed.pop()) {
      if (this.known.size >= MAX_KEPT) this.known.clear()
      this.known.add(key)
    }
    this.passed = []
  }
}
