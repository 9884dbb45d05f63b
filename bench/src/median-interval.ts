/** A median with the interval that holds it. */
export interface MedianInterval {
  readonly median: number
  readonly low: number
  readonly high: number
}

/** Share of samples whose interval holds the true median. */
const CONFIDENCE = 0.95

/** Fewest values that an interval of this confidence takes: with less, even the least and the most do not suffice. */
export const FEWEST_VALUES = 6

/**
 * The median of independent values, and an interval that holds the true median with 95 % confidence. It is the interval
 * of the sign test: its ends are values themselves, and it assumes nothing about how the values are spread.
 *
 * @throws {RangeError} for less than six values, or one that is not finite
 */
export function findMedianInterval(values: readonly number[]): MedianInterval {
  if (values.length < FEWEST_VALUES) throw new RangeError(`an interval takes ${FEWEST_VALUES} values or more`)
  if (!values.every(Number.isFinite)) throw new RangeError('a value is not a finite number')
  const sorted = [...values].sort((one, other) => one - other)
  const at = (index: number): number => sorted[index] ?? Number.NaN
  const { length } = sorted
  const left = countLeftOut(length)
  return { median: findMiddle(sorted), low: at(left), high: at(length - 1 - left) }
}

/** The median: of an even number of values the mean of the middle two, and of none not a number. */
export function findMiddle(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other)
  const at = (index: number): number => sorted[index] ?? Number.NaN
  return (at(Math.floor((sorted.length - 1) / 2)) + at(Math.floor(sorted.length / 2))) / 2
}

/** Values at each end that the interval of `count` values leaves out. */
function countLeftOut(count: number): number {
  // chance that none of `count` values lies below the median, then that one does, and so on
  let chance = 0.5 ** count
  let below = chance
  let left = 0
  while (2 * below <= 1 - CONFIDENCE) {
    left += 1
    chance *= (count - left + 1) / left
    below += chance
  }
  return left - 1
}
