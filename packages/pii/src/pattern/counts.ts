import { bitsOf, coversBits, fitBits, mayBeLast, prunedBits } from './count-bits.ts'
import type { CountedLoop } from './counted-loop.ts'

/**
 * What is known of the rounds of the loops around a place in a pattern: 0 outside of every loop; one stack of counts as a
 * number; sets of them as bits where there is one loop, and else as ranges. Values never change.
 */
export type Value = number | bigint | CountRanges

/** Counts of a loop as ascending ranges, each with what is known of the loops around it. */
class CountRanges {
  readonly lows: number[] = []
  readonly highs: number[] = []
  readonly around: Value[] = []
}

/** In front of the first round. */
export function enterLoop(loop: CountedLoop, around: Value): Value {
  if (typeof around === 'number' && loop.isPacked) return around * loop.base
  return rangesOf(0, around)
}

/** One round done, another one begins; undefined when no count allows for it. */
export function anotherRound(loop: CountedLoop, value: Value): Value | undefined {
  if (typeof value === 'number') {
    if ((value % loop.base) + 1 < loop.base) return value + 1
    return loop.max === Number.POSITIVE_INFINITY ? value : undefined
  }
  if (typeof value === 'bigint') return prunedBits(loop, value << 1n) || undefined
  const { lows, highs, around } = value
  const writer = new RangeWriter(loop)
  for (let at = 0; at < lows.length; at++) writer.add((lows[at] ?? 0) + 1, (highs[at] ?? 0) + 1, around[at] ?? 0)
  return writer.finish()
}

/** The round under way was the last; undefined when no count allows for it. */
export function leaveLoop(loop: CountedLoop, value: Value): Value | undefined {
  if (typeof value === 'number') return value % loop.base < loop.threshold ? undefined : Math.floor(value / loop.base)
  if (typeof value === 'bigint') return mayBeLast(loop, value) ? 0 : undefined
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
  if (typeof one === 'number' && typeof other === 'number') {
    if (loop.isOrdered) return Math.min(one, other)
    if (compared(loop, one, other) !== 'no') return one
    if (compared(loop, other, one) !== 'no') return other
  }
  if (loop.usesBits) return prunedBits(loop, bitsOf(one) | bitsOf(other))
  return joinRanges(loop, toRanges(loop, one), toRanges(loop, other))
}

/** Whether what is known from the left and from the right of a character add up to rounds that each loop allows for. */
export function areCompatible(loop: CountedLoop | undefined, left: Value, right: Value): boolean {
  return fit(loop, left, right) !== 'no'
}

/** Whether one value can do whatever the other can. May say no where that is hard to tell. */
function covers(loop: CountedLoop | undefined, one: Value, other: Value): boolean {
  if (one === other || loop === undefined) return true
  if (typeof one === 'number' && typeof other === 'number') return compared(loop, one, other) !== 'no'
  if (loop.usesBits) return coversBits(loop, bitsOf(one), bitsOf(other))
  return coversRanges(loop, toRanges(loop, one), toRanges(loop, other))
}

/** `within`: whatever the counts of the loops inside are. */
type Answer = 'no' | 'yes' | 'within'

/** Whether one stack of counts can do whatever the other can. */
function compared(loop: CountedLoop | undefined, one: number, other: number): Answer {
  if (loop === undefined) return 'yes'
  const { base, parent } = loop
  const around = compared(parent, Math.floor(one / base), Math.floor(other / base))
  if (around !== 'yes') return around
  const count = one % base
  const otherCount = other % base
  if (count === otherCount) return 'yes'
  if (count > otherCount || count < loop.threshold) return 'no'
  return loop.restarts ? 'within' : 'yes'
}

function fit(loop: CountedLoop | undefined, left: Value, right: Value): Answer {
  if (loop === undefined) return 'yes'
  if (typeof left === 'number' && typeof right === 'number') {
    const { base, parent } = loop
    const around = fit(parent, Math.floor(left / base), Math.floor(right / base))
    const rounds = (left % base) + (right % base) + 1
    return around === 'yes' ? fitRounds(loop, rounds, rounds) : around
  }
  if (loop.usesBits) return fitBits(loop, bitsOf(left), bitsOf(right)) ? 'yes' : 'no'
  return fitRanges(loop, toRanges(loop, left), toRanges(loop, right))
}

function fitRounds({ min, max, restarts }: CountedLoop, least: number, most: number): Answer {
  if (least > max || most < min) return 'no'
  // With a round to spare a new one can begin here, and with it all counts inside.
  return restarts && least < max ? 'within' : 'yes'
}

function fitRanges(loop: CountedLoop, left: CountRanges, right: CountRanges): Answer {
  let best: Answer = 'no'
  for (let at = 0; at < left.lows.length; at++) {
    for (let rightAt = 0; rightAt < right.lows.length; rightAt++) {
      const around = fit(loop.parent, left.around[at] ?? 0, right.around[rightAt] ?? 0)
      if (around === 'within') return around
      if (around === 'no') continue
      const least = (left.lows[at] ?? 0) + (right.lows[rightAt] ?? 0) + 1
      const most = (left.highs[at] ?? 0) + (right.highs[rightAt] ?? 0) + 1
      const rounds = fitRounds(loop, least, most)
      if (rounds === 'within') return rounds
      if (rounds === 'yes') best = rounds
    }
  }
  return best
}

function rangesOf(count: number, around: Value): CountRanges {
  const ranges = new CountRanges()
  ranges.lows.push(count)
  ranges.highs.push(count)
  ranges.around.push(around)
  return ranges
}

function toRanges({ base }: CountedLoop, value: Value): CountRanges {
  if (value instanceof CountRanges) return value
  // Bits are kept for loops of which there are no ranges.
  const stack = Number(value)
  return rangesOf(stack % base, Math.floor(stack / base))
}

function joinRanges(loop: CountedLoop, one: CountRanges, other: CountRanges): Value {
  const writer = new RangeWriter(loop)
  let at = 0
  let otherAt = 0
  let low = one.lows[0] ?? Number.POSITIVE_INFINITY
  let otherLow = other.lows[0] ?? Number.POSITIVE_INFINITY
  while (low < Number.POSITIVE_INFINITY || otherLow < Number.POSITIVE_INFINITY) {
    const high = one.highs[at] ?? Number.POSITIVE_INFINITY
    const otherHigh = other.highs[otherAt] ?? Number.POSITIVE_INFINITY
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
    if (low > high) low = one.lows[++at] ?? Number.POSITIVE_INFINITY
    if (otherLow > otherHigh) otherLow = other.lows[++otherAt] ?? Number.POSITIVE_INFINITY
  }
  return writer.finish() ?? one
}

function coversRanges(loop: CountedLoop, one: CountRanges, other: CountRanges): boolean {
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
function coversFromBelow(loop: CountedLoop, one: CountRanges, count: number, around: Value): boolean {
  for (let at = one.lows.length - 1; at >= 0 && (one.highs[at] ?? 0) >= loop.threshold; at--) {
    if ((one.lows[at] ?? 0) <= count && covers(loop.parent, one.around[at] ?? 0, around)) return true
  }
  return false
}

/** Puts counts together from ascending ranges; leaves out what the loop does not allow for and what lower counts cover. */
class RangeWriter {
  private readonly ranges = new CountRanges()
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

  private append(low: number, high: number, around: Value): void {
    const { lows, highs, around: all } = this.ranges
    const at = highs.length - 1
    if (at >= 0 && highs[at] === low - 1 && all[at] === around) {
      highs[at] = high
      return
    }
    lows.push(low)
    highs.push(high)
    all.push(around)
  }

  /** The counts, when something is left of them. */
  finish(): Value | undefined {
    const { loop, last, ranges } = this
    // Without an upper bound, all counts that may be the last are one.
    if (last !== undefined && loop.max === Number.POSITIVE_INFINITY) this.append(loop.threshold, loop.threshold, last)
    const [low] = ranges.lows
    const [around] = ranges.around
    if (low === undefined || around === undefined) return undefined
    const isOne = ranges.lows.length === 1 && ranges.highs[0] === low
    return isOne && typeof around === 'number' && loop.isPacked ? around * loop.base + low : ranges
  }
}
