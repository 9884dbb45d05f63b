/** Code points as ranges, both ends included, in order, neither touching nor overlapping. */
export type CodePointSet = readonly CodePointRange[]
/** First and last code point. */
export type CodePointRange = readonly [first: number, last: number]

const LAST = 0x10_ff_ff

/** The set of some ranges in any order. */
export function toSet(ranges: readonly CodePointRange[]): CodePointSet {
  const united: [number, number][] = []
  for (const [first, last] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const before = united.at(-1)
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else united.push([first, last])
  }
  return united
}

/** The set of the characters of a text. */
export function toCharacterSet(text: string): CodePointSet {
  return toSet([...text].map((character) => single(character.codePointAt(0) ?? 0)))
}

function single(codePoint: number): CodePointRange {
  return [codePoint, codePoint]
}

/** Union of sets. */
export function union(...sets: readonly CodePointSet[]): CodePointSet {
  return toSet(sets.flat())
}

/** Every code point but these. */
export function complement(set: CodePointSet): CodePointSet {
  const rest: CodePointRange[] = []
  let next = 0
  for (const [first, last] of set) {
    if (first > next) rest.push([next, first - 1])
    next = last + 1
  }
  if (next <= LAST) rest.push([next, LAST])
  return rest
}

/** Intersection of two sets. */
export function intersect(a: CodePointSet, b: CodePointSet): CodePointSet {
  return complement(union(complement(a), complement(b)))
}

/** Difference of two sets. */
export function subtract(a: CodePointSet, b: CodePointSet): CodePointSet {
  return intersect(a, complement(b))
}

/** Whether a code point is in a set. */
export function includes(set: CodePointSet, codePoint: number): boolean {
  return set.some(([first, last]) => first <= codePoint && codePoint <= last)
}

/** Number of code points in a set. */
export function countCodePoints(set: CodePointSet): number {
  return set.reduce((sum, [first, last]) => sum + last - first + 1, 0)
}

/** Decimal digits. */
export const DIGITS: CodePointSet = toSet([[0x30, 0x39]])
/** Characters allowed unescaped in a JSON string: no quotation mark, backslash, control character or lone surrogate. */
export const PLAIN: CodePointSet = toSet([
  [0x20, 0x21],
  [0x23, 0x5b],
  [0x5d, 0xd7_ff],
  [0xe0_00, LAST],
])
