import { coversBits, fitBits, mayBeLast, pruneBits, toBits } from './count-bits.ts'
import {
  type Around,
  addEntry,
  ageRanges,
  fromSegments,
  listSegments,
  type Segment,
  type Value,
} from './count-ranges.ts'
import type { CountedLoop } from './counted-loop.ts'

export type { Value } from './count-ranges.ts'

/** The value before the first round. */
export function enterLoop(loop: CountedLoop, around: Value): Value {
  if (typeof around === 'number' && loop.isPacked) return around * loop.base
  return fromSegments(known, loop, [{ low: 0, high: 0, around }]) ?? 0
}

/** One round done, another one begins; undefined when no count allows it. */
export function anotherRound(loop: CountedLoop, value: Value): Value | undefined {
  if (typeof value === 'number') {
    if ((value % loop.base) + 1 < loop.base) return value + 1
    return loop.max === Number.POSITIVE_INFINITY ? value : undefined
  }
  if (typeof value === 'bigint') return pruneBits(loop, value << 1n) || undefined
  return ageRanges(known, loop, value)
}

/** The current round was the last; undefined when no count allows it. */
export function leaveLoop(loop: CountedLoop, value: Value): Value | undefined {
  if (typeof value === 'number') return value % loop.base < loop.threshold ? undefined : Math.floor(value / loop.base)
  if (typeof value === 'bigint') return mayBeLast(loop, value) ? 0 : undefined
  return value.done?.all
}

/** Unites two values. `loop`: the innermost around the position; undefined outside of all. */
export function join(loop: CountedLoop | undefined, one: Value, other: Value): Value {
  if (one === other || loop === undefined) return one
  if (typeof one === 'number' && typeof other === 'number') {
    if (loop.isOrdered) return Math.min(one, other)
    if (compared(loop, one, other) !== 'no') return one
    if (compared(loop, other, one) !== 'no') return other
  }
  if (loop.usesBits) return pruneBits(loop, toBits(one) | toBits(other))
  return (
    joinEntry(loop, one, other) ??
    joinEntry(loop, other, one) ??
    fromSegments(known, loop, joined(loop, toSegments(loop, one), toSegments(loop, other))) ??
    one
  )
}

/** Whether the known rounds from the left and from the right of a character add up to rounds that each loop allows. */
export function areCompatible(loop: CountedLoop | undefined, left: Value, right: Value): boolean {
  return fit(loop, left, right) !== 'no'
}

/** Whether one value can do everything that the other can. May return false where that is hard to decide. */
function covers(loop: CountedLoop | undefined, one: Value, other: Value): boolean {
  if (one === other || loop === undefined) return true
  if (typeof one === 'number' && typeof other === 'number') return compared(loop, one, other) !== 'no'
  if (loop.usesBits) return coversBits(loop, toBits(one), toBits(other))
  return coversSegments(loop, toSegments(loop, one), toSegments(loop, other))
}

/** `within`: for any counts of the inner loops. */
type Answer = 'no' | 'yes' | 'within'

/** Whether one stack of counts can do everything that the other can. */
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
  if (loop.usesBits) return fitBits(loop, toBits(left), toBits(right)) ? 'yes' : 'no'
  return fitSegments(loop, toSegments(loop, left), toSegments(loop, right))
}

function fitRounds({ min, max, restarts }: CountedLoop, least: number, most: number): Answer {
  if (least > max || most < min) return 'no'
  // With a round to spare a new one can begin here, and with it all inner counts.
  return restarts && least < max ? 'within' : 'yes'
}

function fitSegments(loop: CountedLoop, left: readonly Segment[], right: readonly Segment[]): Answer {
  let best: Answer = 'no'
  const ofRight = [...byAround(right)]
  for (const [around, ranges] of byAround(left)) {
    for (const [otherAround, otherRanges] of ofRight) {
      const outside = fit(loop.parent, around, otherAround)
      if (outside === 'within') return outside
      const inside = outside === 'yes' ? fitRanges(loop, ranges, otherRanges) : 'no'
      if (inside === 'within') return inside
      if (inside === 'yes') best = inside
    }
  }
  return best
}

/** The ranges of counts with equal outer values, ascending: often there are few such groups, and many ranges. */
function byAround(segments: readonly Segment[]): Map<Value, Segment[]> {
  const groups = new Map<Value, Segment[]>()
  for (const segment of segments) {
    const group = groups.get(segment.around)
    if (group === undefined) groups.set(segment.around, [segment])
    else group.push(segment)
  }
  return groups
}

function fitRanges(loop: CountedLoop, left: readonly Segment[], right: readonly Segment[]): Answer {
  let best: Answer = 'no'
  let at = right.length - 1
  // The higher the left count, the lower the least sufficient right one.
  for (const { low, high } of left) {
    while (at > 0 && high + (right[at - 1]?.high ?? 0) + 1 >= loop.min) at--
    const other = right[at]
    const rounds = other === undefined ? 'no' : fitRounds(loop, low + other.low + 1, high + other.high + 1)
    if (rounds === 'within') return rounds
    if (rounds === 'yes') best = rounds
  }
  return best
}

function toSegments(loop: CountedLoop, value: Value): readonly Segment[] {
  if (typeof value === 'object') return listSegments(loop, value)
  // Loops with bits never have ranges.
  const stack = Number(value)
  const count = stack % loop.base
  return [{ low: count, high: count, around: Math.floor(stack / loop.base) }]
}

/** Unites both when one of them is a count of 0 only, and the other has none. */
function joinEntry(loop: CountedLoop, value: Value, entry: Value): Value | undefined {
  if (typeof value !== 'object') return undefined
  const around = entryAround(loop, entry)
  return around === undefined ? undefined : addEntry(known, loop, value, around)
}

/** The outer value of a count of 0; undefined for any other value. */
function entryAround(loop: CountedLoop, value: Value): Value | undefined {
  if (typeof value === 'number') return value % loop.base === 0 ? value / loop.base : undefined
  if (typeof value !== 'object' || value.tail - value.head + (value.done?.births.length ?? 0) > 1) return undefined
  const [only, ...others] = listSegments(loop, value)
  return only !== undefined && others.length === 0 && only.high === 0 ? only.around : undefined
}

function joined(loop: CountedLoop, one: readonly Segment[], other: readonly Segment[]): Segment[] {
  const all: Segment[] = []
  let at = 0
  let otherAt = 0
  let mine = one[0]
  let others = other[0]
  while (mine !== undefined || others !== undefined) {
    const low = Math.min(mine?.low ?? Number.POSITIVE_INFINITY, others?.low ?? Number.POSITIVE_INFINITY)
    const first = mine?.low === low ? mine : undefined
    const second = others?.low === low ? others : undefined
    // Up to the point where both continue unchanged.
    const high = Math.min(
      first?.high ?? Number.POSITIVE_INFINITY,
      second?.high ?? Number.POSITIVE_INFINITY,
      first === undefined ? (mine?.low ?? Number.POSITIVE_INFINITY) - 1 : Number.POSITIVE_INFINITY,
      second === undefined ? (others?.low ?? Number.POSITIVE_INFINITY) - 1 : Number.POSITIVE_INFINITY,
    )
    const around = first && second ? join(loop.parent, first.around, second.around) : (first ?? second)?.around
    all.push({ low, high, around: around ?? 0 })
    if (first !== undefined) mine = first.high > high ? { ...first, low: high + 1 } : one[++at]
    if (second !== undefined) others = second.high > high ? { ...second, low: high + 1 } : other[++otherAt]
  }
  return all
}

function coversSegments(loop: CountedLoop, one: readonly Segment[], other: readonly Segment[]): boolean {
  let at = 0
  for (const { low, high, around } of other) {
    for (let mine = one[at]; mine !== undefined && mine.high < low; mine = one[at]) at++
    const mine = one[at]
    const holds = mine !== undefined && mine.low <= low && mine.high >= high
    if (holds && covers(loop.parent, mine.around, around)) continue
    if (low < loop.threshold || !coversFromBelow(loop, one, low, around)) return false
  }
  return true
}

/** Whether a lower count that may be the last covers a count. */
function coversFromBelow(loop: CountedLoop, one: readonly Segment[], count: number, around: Value): boolean {
  return one.some(
    ({ low, high, around: mine }) => high >= loop.threshold && low <= count && covers(loop.parent, mine, around),
  )
}

const known: Around = { join, covers }
