/** Most digits of the header's number. */
const LIMIT = 1e8
const UNITS: ReadonlyArray<readonly [string, number]> = [
  ['m', 1],
  ['S', 1000],
  ['M', 60_000],
  ['H', 3_600_000],
]

/** The value of the header `grpc-timeout`, rounded up; undefined for a time that the header cannot express. */
export function formatTimeout(milliseconds: number): string | undefined {
  for (const [unit, factor] of UNITS) {
    const amount = Math.ceil(Math.max(0, milliseconds) / factor)
    if (amount < LIMIT) return `${amount}${unit}`
  }
  return undefined
}
