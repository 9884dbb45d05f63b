import { toFields, toNumber } from '@svc/proxy/replies'

/** A range of time, in seconds. */
export interface TimeRange {
  readonly start: number
  readonly end: number
}

/** Reads a range of time of a reply. */
export function readTimeRange(value: unknown): TimeRange {
  const { start, end } = toFields(value)
  return { start: toNumber(start) ?? 0, end: toNumber(end) ?? 0 }
}
