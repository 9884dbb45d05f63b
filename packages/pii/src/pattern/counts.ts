/** A repeat whose rounds are counted. */
export interface CountedLoop {
  readonly min: number
  readonly max: number
  /** The loop around it. */
  readonly parent: CountedLoop | undefined
  /** Rounds done from which on the one under way may be the last: of such counts the lower can do whatever a higher can. */
  readonly threshold: number
  /** Whether the lowest count alone says everything: it may be left after any round, and no other loop is around it. */
  readonly isLeast: boolean
}

/**
 * What is known of the rounds of the loops around a place in a pattern: 0 outside of every loop, the least count of rounds
 * done for a loop that `isLeast`, and else sets of counts. Values never change.
 */
export type Value = number | Counts

/** Counts of a loop as ascending ranges, each with what is known of the loops around it. */
export class Counts {
  readonly lows: number[] = []
  readonly highs: number[] = []
  readonly around: Value[] = []
}

export function countedLoop(min: number, max: number, parent: CountedLoop | undefined): CountedLoop {
  const threshold = Math.max(min - 1, 0)
  return { min, max, parent, threshold, isLeast: parent === undefined && threshold === 0 }
}

/** In front of the first round. */
export function enterLoop(loop: CountedLoop, around: Value): Value {
  if (loop.isLeast) return 0
  const counts = new Counts()
  counts.lows.push(0)
  counts.highs.push(0)
  counts.around.push(around)
  return counts
}

/** One round done, another one begins; undefined when no count allows for it. */
export function anotherRound(loop: CountedLoop, value: Value): Value | undefined {
  if (typeof value === 'number') return value + 1 < loop.max ? value + 1 : undefined
  const { lows, highs, around } = value
  const writer = new CountsWriter(loop)
  for (let at = 0; at < lows.length; at++) writer.add((lows[at] ?? 0) + 1, (highs[at] ?? 0) + 1, around[at] ?? 0)
  return writer.finish()
}

/** The round under way was the last; undefined when no count allows for it. */
export function leaveLoop(loop: CountedLoop, value: Value): Value | undefined {
  if (typeof value === 'number') return 0
  const { highs, around } = value
  let all: Value | undefined
  for (let at = highs.length - 1; at >= 0 && (highs[at] ?? 0) >= loop.threshold; at--) {
    const one = around[at] ?? 0
    all = all === undefined ? one : join(loop.parent, all, one)
  }
  return all
}

/** Everything that is in one value or the other. `loop`: the innermost around the place; undefined outside of all. */
export function join(loop: CountedLoop | undefined, one: Value, other: Value): Value {
  if (one === other || loop === undefined) return one
  if (typeof one === 'number' || typeof other === 'number') return one < other ? one : other
  const writer = new CountsWriter(loop)
  const ends = one.lows.length
  const otherEnds = other.lows.length
  let at = 0
  let otherAt = 0
  let low = one.lows[0] ?? 0
  let otherLow = other.lows[0] ?? 0
  while (at < ends && otherAt < otherEnds) {
    const high = one.highs[at] ?? 0
    const otherHigh = other.highs[otherAt] ?? 0
    const around = one.around[at] ?? 0
    const otherAround = other.around[otherAt] ?? 0
    if (low < otherLow) {
      const until = Math.min(high, otherLow - 1)
      writer.add(low, until, around)
      low = until + 1
    } else if (otherLow < low) {
      const until = Math.min(otherHigh, low - 1)
      writer.add(otherLow, until, otherAround)
      otherLow = until + 1
    } else {
      const until = Math.min(high, otherHigh)
      writer.add(low, until, join(loop.parent, around, otherAround))
      low = until + 1
      otherLow = until + 1
    }
    if (low > high) low = one.lows[++at] ?? 0
    if (otherLow > otherHigh) otherLow = other.lows[++otherAt] ?? 0
  }
  for (; at < ends; low = one.lows[++at] ?? 0) writer.add(low, one.highs[at] ?? 0, one.around[at] ?? 0)
  for (; otherAt < otherEnds; otherLow = other.lows[++otherAt] ?? 0) {
    writer.add(otherLow, other.highs[otherAt] ?? 0, other.around[otherAt] ?? 0)
  }
  return writer.finish() ?? one
}

/** Whether what is known from the left and from the right of a character add up to rounds that each loop allows for. */
export function areCompatible(loop: CountedLoop | undefined, left: Value, right: Value): boolean {
  if (loop === undefined) return true
  if (typeof left === 'number' || typeof right === 'number') return Number(left) + Number(right) < loop.max
  for (let at = 0; at < left.lows.length; at++) {
    for (let rightAt = 0; rightAt < right.lows.length; rightAt++) {
      const least = (left.lows[at] ?? 0) + (right.lows[rightAt] ?? 0) + 1
      const most = (left.highs[at] ?? 0) + (right.highs[rightAt] ?? 0) + 1
      if (least > loop.max || most < loop.min) continue
      if (areCompatible(loop.parent, left.around[at] ?? 0, right.around[rightAt] ?? 0)) return true
    }
  }
  return false
}

/** Whether one value can do whatever the other can. May say no where that is hard to tell. */
function covers(loop: CountedLoop | undefined, one: Value, other: Value): boolean {
  if (one === other || loop === undefined) return true
  if (typeof one === 'number' || typeof other === 'number') return one <= other
  let at = 0
  for (let otherAt = 0; otherAt < other.lows.length; otherAt++) {
    const low = other.lows[otherAt] ?? 0
    const high = other.highs[otherAt] ?? 0
    const around = other.around[otherAt] ?? 0
    while (at < one.lows.length && (one.highs[at] ?? 0) < low) at++
    const holds = at < one.lows.length && (one.lows[at] ?? 0) <= low && (one.highs[at] ?? 0) >= high
    if (holds && covers(loop.parent, one.around[at] ?? 0, around)) continue
    if (low < loop.threshold || !coversFromBelow(loop, one, low, around)) return false
  }
  return true
}

/** Whether a lower count that may be the last covers a count. */
function coversFromBelow(loop: CountedLoop, one: Counts, count: number, around: Value): boolean {
  for (let at = one.lows.length - 1; at >= 0 && (one.highs[at] ?? 0) >= loop.threshold; at--) {
    if ((one.lows[at] ?? 0) <= count && covers(loop.parent, one.around[at] ?? 0, around)) return true
  }
  return false
}

/** Puts counts together from ascending ranges; leaves out what the loop does not allow for and what lower counts cover. */
class CountsWriter {
  private readonly counts = new Counts()
  private readonly loop: CountedLoop
  /** What is around the counts so far that may be the last. */
  private last: Value | undefined

  constructor(loop: CountedLoop) {
    this.loop = loop
  }

  add(low: number, high: number, around: Value): void {
    const { threshold, max } = this.loop
    if (low >= max) return
    if (high < threshold) {
      this.append(low, high, around)
      return
    }
    if (low < threshold) this.append(low, threshold - 1, around)
    this.addLast(Math.max(low, threshold), around)
  }

  /** A count that may be the last. */
  private addLast(count: number, around: Value): void {
    const { loop, last } = this
    if (last !== undefined && covers(loop.parent, last, around)) return
    this.last = last === undefined ? around : join(loop.parent, last, around)
    if (loop.max < Number.POSITIVE_INFINITY) this.append(count, count, around)
  }

  /** The counts, when something is left of them. */
  finish(): Counts | undefined {
    const { loop, last, counts } = this
    // Without an upper bound, all counts that may be the last are one.
    if (last !== undefined && loop.max === Number.POSITIVE_INFINITY) this.append(loop.threshold, loop.threshold, last)
    return counts.lows.length === 0 ? undefined : counts
  }

  private append(low: number, high: number, around: Value): void {
    const { lows, highs, around: all } = this.counts
    const at = highs.length - 1
    if (at >= 0 && highs[at] === low - 1 && all[at] === around) {
      highs[at] = high
      return
    }
    lows.push(low)
    highs.push(high)
    all.push(around)
  }
}
