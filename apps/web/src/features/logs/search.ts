import { readSearchChoice, readSearchNumber, readSearchText } from '../../lib/search-values.ts'

export const STREAMS = ['stdout', 'stderr'] as const
export const TIMES = ['clock', 'exact', 'none'] as const

/** Search parameters of the page of logs. */
export interface LogsSearch {
  readonly q?: string | undefined
  readonly stream?: (typeof STREAMS)[number] | undefined
  readonly wrap?: true | undefined
  /** Form of the times; `clock` when it is left out. */
  readonly time?: (typeof TIMES)[number] | undefined
  /** Opens the log at this time, in milliseconds since 1970. */
  readonly at?: number | undefined
}

/** Reads the search parameters of the page. */
export function readLogsSearch(parameters: Record<string, unknown>): LogsSearch {
  const time = readSearchChoice(parameters.time, TIMES)
  return {
    q: readSearchText(parameters.q),
    stream: readSearchChoice(parameters.stream, STREAMS),
    wrap: String(parameters.wrap) === 'true' ? true : undefined,
    time: time === 'clock' ? undefined : time,
    at: readSearchNumber(parameters.at, { min: 1 }),
  }
}
