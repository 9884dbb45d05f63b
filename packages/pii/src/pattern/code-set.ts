/** A set of code points: inclusive ranges `[low, high, low, high, …]`, ascending and never touching. */
export type CodeSet = readonly number[]

/** The highest code point. */
export const MAX_CODE_POINT = 0x10ffff

/** The set of all code points in the given ranges, which may overlap and come in any order. */
export function toCodeSet(ranges: readonly (readonly [number, number])[]): CodeSet {
  const set: number[] = []
  for (const [low, high] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = set.at(-1)
    if (last !== undefined && low <= last + 1) set[set.length - 1] = Math.max(last, high)
    else set.push(low, high)
  }
  return set
}

/** The ranges of a set as pairs. */
export function toRanges(set: CodeSet): [number, number][] {
  const ranges: [number, number][] = []
  for (let at = 0; at < set.length; at += 2) ranges.push([set[at] ?? 0, set[at + 1] ?? 0])
  return ranges
}

/** Every code point that the set does not hold. */
export function complement(set: CodeSet): CodeSet {
  const rest: number[] = []
  let next = 0
  for (const [low, high] of toRanges(set)) {
    if (low > next) rest.push(next, low - 1)
    next = high + 1
  }
  if (next <= MAX_CODE_POINT) rest.push(next, MAX_CODE_POINT)
  return rest
}

/** Every code point that any of the sets holds. */
export function union(...sets: readonly CodeSet[]): CodeSet {
  return toCodeSet(sets.flatMap(toRanges))
}

/** Whether the set holds a code point. */
export function contains(set: CodeSet, code: number): boolean {
  for (let at = 0; at < set.length; at += 2) {
    if (code < (set[at] ?? 0)) return false
    if (code <= (set[at + 1] ?? 0)) return true
  }
  return false
}

/** `\d`: ASCII digits. */
export const DIGIT: CodeSet = [0x30, 0x39]
/** `\w`: ASCII letters, digits and the underscore. */
export const WORD: CodeSet = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a]
/** `\s`: tab, line feed, form feed, carriage return and the blank; not the vertical tab. */
export const SPACE: CodeSet = [0x09, 0x0a, 0x0c, 0x0d, 0x20, 0x20]

/** Whether a code unit is the first half of a surrogate pair. */
export function isHighSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800
}

/** Whether a code unit is the second half of a surrogate pair. */
export function isLowSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00
}

/** Whether a code point is a word character, for `\b`. */
export function isWordCode(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || code === 0x5f
  )
}
