/** Largest distinguishable number of rounds: more than any text has characters. */
const COUNT_LIMIT = 2 ** 28

/**
 * Numbers of rounds of the loops around a state, innermost first; each distinct stack of counts has one number. 0 is
 * outside of every loop.
 */
export class Frames {
  private parents: number[] = [0]
  private counts: number[] = [0]
  private free: boolean[] = [true]
  private byKey = new Map<number, number>()

  get size(): number {
    return this.parents.length
  }

  /**
   * The stack `parent` with one more loop on top; `isFree`: it may be left after any round, so that fewer rounds are
   * better.
   */
  of(parent: number, count: number, isFree: boolean): number {
    const key = (parent * COUNT_LIMIT + Math.min(count, COUNT_LIMIT - 1)) * 2 + (isFree ? 1 : 0)
    const known = this.byKey.get(key)
    if (known !== undefined) return known
    const frame = this.parents.push(parent) - 1
    this.counts.push(count)
    this.free.push(isFree)
    this.byKey.set(key, frame)
    return frame
  }

  /** The stack without its innermost loop. */
  parent(frame: number): number {
    return this.parents[frame] ?? 0
  }

  /** Rounds of the innermost loop. */
  count(frame: number): number {
    return this.counts[frame] ?? 0
  }

  /**
   * Whether everything that can follow with one stack can also follow with the other. Both belong to the same state.
   */
  covers(other: number, frame: number): boolean {
    let one = other
    let two = frame
    while (one !== two) {
      const [least, most] = [this.count(one), this.count(two)]
      if (least > most || (least < most && this.free[two] !== true)) return false
      one = this.parent(one)
      two = this.parent(two)
    }
    return true
  }

  /** Keeps only the frames that `copy` is called for; the caller replaces its own by the results. */
  compact(renumber: (copy: (frame: number) => number) => void): void {
    const fresh = new Frames()
    const copy = (frame: number): number =>
      frame === 0 ? 0 : fresh.of(copy(this.parent(frame)), this.count(frame), this.free[frame] === true)
    renumber(copy)
    this.parents = fresh.parents
    this.counts = fresh.counts
    this.free = fresh.free
    this.byKey = fresh.byKey
  }
}
