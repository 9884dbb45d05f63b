import type { CountedLoop } from './counted-loop.ts'

/**
 * The known rounds of the loops around a position in a pattern: 0 outside of every loop; one stack of counts as a
 * number; sets of them as bits for a single loop, and else as ranges. Values never change.
 */
export type Value = number | bigint | CountRanges

/** Queries on the values around a loop, which are the values of its parent. */
export interface Around {
  join(loop: CountedLoop | undefined, one: Value, other: Value): Value
  covers(loop: CountedLoop | undefined, one: Value, other: Value): boolean
}

/** Ranges of births, ascending, shared by many sets of counts: each has a part of them, and only the end grows. */
class Births {
  readonly firsts: number[] = []
  readonly lasts: number[] = []
  readonly around: Value[] = []

  copy(from: number, to: number): Births {
    const copied = new Births()
    for (let at = from; at < to; at++) copied.add(this.firsts[at] ?? 0, this.lasts[at] ?? 0, this.around[at] ?? 0)
    return copied
  }

  add(first: number, last: number, around: Value): void {
    this.firsts.push(first)
    this.lasts.push(last)
    this.around.push(around)
  }
}

/** The youngest births of a set. */
interface Youngest {
  readonly first: number
  readonly last: number
  readonly around: Value
}

/**
 * Counts that may be the last, ascending, by their births; none can do everything that lower ones can. `all`: their
 * outer values.
 */
interface Done {
  readonly births: readonly number[]
  readonly around: readonly Value[]
  readonly all: Value
}

/**
 * Counts of a loop, each with the known rounds of the loops around it. A count is stored as its birth, the age at which
 * it was 0, so that one more round for all of them is one step of the age.
 */
export class CountRanges {
  readonly age: number
  readonly births: Births
  /** Index of the first birth of the set. */
  readonly head: number
  readonly tail: number
  readonly youngest: Youngest | undefined
  readonly done: Done | undefined

  constructor(age: number, births: Births, head: number, tail: number, youngest?: Youngest, done?: Done) {
    this.age = age
    this.births = births
    this.head = head
    this.tail = tail
    this.youngest = youngest
    this.done = done
  }
}

/** Counts as ascending ranges. */
export interface Segment {
  readonly low: number
  readonly high: number
  readonly around: Value
}

/** The ranges of a set. */
export function listSegments({ threshold, max }: CountedLoop, ranges: CountRanges): Segment[] {
  const { age, births, head, tail, youngest, done } = ranges
  const segments: Segment[] = []
  const most = threshold - 1
  if (youngest !== undefined) {
    const { first, last, around } = youngest
    segments.push({ low: age - last, high: Math.min(age - first, most), around })
  }
  for (let at = tail - 1; at >= head; at--) {
    const [first = 0, last = 0, around = 0] = [births.firsts[at], births.lasts[at], births.around[at]]
    segments.push({ low: age - last, high: Math.min(age - first, most), around })
  }
  for (const [at, birth] of (done?.births ?? []).entries()) {
    const count = max === Number.POSITIVE_INFINITY ? threshold : age - birth
    segments.push({ low: count, high: count, around: done?.around[at] ?? 0 })
  }
  return segments
}

/**
 * Builds the set of ascending ranges, without counts that the loop does not allow, or that lower counts make redundant.
 */
export function fromSegments(known: Around, loop: CountedLoop, segments: readonly Segment[]): Value | undefined {
  const { threshold, max } = loop
  const births = new Births()
  let done: Done | undefined
  for (const { low, high, around } of segments.toReversed()) {
    if (low >= max) continue
    if (high >= threshold) done = withDone(known, loop, done, -Math.max(low, threshold), around)
    if (low < threshold) addBirths(births, -Math.min(high, threshold - 1), -low, around)
  }
  return simplest(loop, new CountRanges(0, births, 0, births.firsts.length, undefined, done))
}

function addBirths(births: Births, first: number, last: number, around: Value): void {
  const at = births.lasts.length - 1
  if (at >= 0 && births.lasts[at] === first - 1 && births.around[at] === around) births.lasts[at] = last
  else births.add(first, last, around)
}

/** One round more for all counts; undefined when none is allowed. */
export function ageRanges(known: Around, loop: CountedLoop, ranges: CountRanges): Value | undefined {
  const { births, tail } = ranges
  let { head, youngest } = ranges
  const age = ranges.age + 1
  const ripe = age - loop.threshold
  let done = withoutOldest(known, loop, ranges.done, age)
  if (head < tail) {
    const around = births.around[head]
    if ((births.firsts[head] ?? 0) <= ripe && around !== undefined) done = withDone(known, loop, done, ripe, around)
    if (births.lasts[head] === ripe) head++
  } else if (youngest !== undefined && youngest.first <= ripe) {
    done = withDone(known, loop, done, ripe, youngest.around)
    if (youngest.last === ripe) youngest = undefined
  }
  return simplest(loop, new CountRanges(age, births, head, tail, youngest, done))
}

/** The same with a new count of 0; undefined when there is already one. */
export function addEntry(known: Around, loop: CountedLoop, ranges: CountRanges, around: Value): Value | undefined {
  const { age, births, head, tail, youngest, done } = ranges
  if (loop.threshold === 0) {
    return done?.births[0] === age
      ? undefined
      : new CountRanges(age, births, head, tail, youngest, withDone(known, loop, done, age, around))
  }
  if ((youngest?.last ?? births.lasts[tail - 1]) === age && (youngest !== undefined || head < tail)) return undefined
  if (youngest === undefined) return new CountRanges(age, births, head, tail, { first: age, last: age, around }, done)
  if (youngest.last === age - 1 && youngest.around === around) {
    return new CountRanges(age, births, head, tail, { first: youngest.first, last: age, around }, done)
  }
  const next = { first: age, last: age, around }
  // The end of shared births may grow for one set only; unused births are dropped from time to time.
  if (births.firsts.length === tail && head <= MAX_UNUSED) {
    births.add(youngest.first, youngest.last, youngest.around)
    return new CountRanges(age, births, head, tail + 1, next, done)
  }
  const copied = births.copy(head, tail)
  copied.add(youngest.first, youngest.last, youngest.around)
  return new CountRanges(age, copied, 0, tail - head + 1, next, done)
}

/** Most unused births that are kept. */
const MAX_UNUSED = 4096

function withDone(known: Around, loop: CountedLoop, done: Done | undefined, birth: number, around: Value): Done {
  if (done === undefined) return { births: [birth], around: [around], all: around }
  // Without an upper bound, all counts that may be the last are equal.
  if (loop.max === Number.POSITIVE_INFINITY) {
    const all = known.join(loop.parent, done.all, around)
    return { births: [birth], around: [all], all }
  }
  const births = [birth]
  const kept = [around]
  let all = around
  for (const [at, one] of done.around.entries()) {
    if (known.covers(loop.parent, all, one)) continue
    births.push(done.births[at] ?? 0)
    kept.push(one)
    all = known.join(loop.parent, all, one)
  }
  return { births, around: kept, all }
}

/** Without the count that a loop no longer allows. */
function withoutOldest(known: Around, loop: CountedLoop, done: Done | undefined, age: number): Done | undefined {
  if (done === undefined || age - (done.births.at(-1) ?? 0) < loop.max) return done
  const around = done.around.slice(0, -1)
  const [first] = around
  if (first === undefined) return undefined
  const all = around.reduce((one, other) => known.join(loop.parent, one, other), first)
  return { births: done.births.slice(0, -1), around, all }
}

/** The set as one number if it is one stack; undefined for an empty set. */
function simplest(loop: CountedLoop, ranges: CountRanges): Value | undefined {
  const { head, tail, youngest, done } = ranges
  const some = tail - head + (youngest === undefined ? 0 : 1) + (done?.births.length ?? 0)
  if (some > 1) return ranges
  const [only] = listSegments(loop, ranges)
  if (only === undefined) return undefined
  const isOne = only.low === only.high && typeof only.around === 'number' && loop.isPacked
  return isOne ? Number(only.around) * loop.base + only.low : ranges
}
