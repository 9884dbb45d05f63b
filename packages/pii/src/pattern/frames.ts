/** Rounds that a count can tell apart. */
const COUNT_LIMIT = 2 ** 31

/**
 * How many rounds the loops around a state have made, innermost first, each distinct stack of counts under one number. 0
 * is outside of every loop.
 */
export class Frames {
  private parents: number[] = [0]
  private counts: number[] = [0]
  private byKey = new Map<number, number>()

  get size(): number {
    return this.parents.length
  }

  /** The stack `parent` with one more loop on top. */
  of(parent: number, count: number): number {
    const key = parent * COUNT_LIMIT + Math.min(count, COUNT_LIMIT - 1)
    const known = this.byKey.get(key)
    if (known !== undefined) return known
    const frame = this.parents.push(parent) - 1
    this.counts.push(count)
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

  /** Keeps nothing but the frames that `copy` is asked for; the caller replaces its own by what it answers. */
  compact(renumber: (copy: (frame: number) => number) => void): void {
    const fresh = new Frames()
    const copy = (frame: number): number => (frame === 0 ? 0 : fresh.of(copy(this.parent(frame)), this.count(frame)))
    renumber(copy)
    this.parents = fresh.parents
    this.counts = fresh.counts
    this.byKey = fresh.byKey
  }
}
