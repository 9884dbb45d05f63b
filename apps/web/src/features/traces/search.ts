import { readSearchChoice, readSearchNumber, readSearchText } from '../../lib/search-values.ts'

/** Ranges of the summary in hours. */
export const RANGES = [1, 6, 24, 72, 168] as const
/** Rows of a page. */
export const PAGE_SIZES = [50, 200, 1000] as const
/** Choices of the filter by status, for requests and for calls. */
export const REQUEST_STATUSES = ['2xx', '4xx', 'failed', 'running'] as const
export const CALL_STATUSES = ['completed', 'failed', 'running'] as const
/** Choices of the filter by duration, in milliseconds. */
export const DURATIONS = [100, 500, 1000, 5000, 30_000] as const

/** Search parameters of the page of traces. An absent one has its default. */
export interface TracesSearch {
  /** Requests are the default. */
  readonly kind?: 'backend' | undefined
  /** Hours before now; 24 when it is left out. */
  readonly hours?: number | undefined
  /** A bar of the chart that narrows the range, in milliseconds since 1970. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly model?: string | undefined
  readonly status?: string | undefined
  readonly user?: string | undefined
  /** Milliseconds that a trace took at least. */
  readonly min?: number | undefined
  readonly q?: string | undefined
  /** From 2 on. */
  readonly page?: number | undefined
  readonly per?: number | undefined
  /** Later pages show the traces of this time, so that new traces do not move them. */
  readonly at?: number | undefined
  readonly live?: true | undefined
}

/** Reads the search parameters of the page. */
export function readTracesSearch(parameters: Record<string, unknown>): TracesSearch {
  const kind = parameters.kind === 'backend' ? 'backend' : undefined
  // older addresses
  const status = parameters.status === '5xx' ? 'failed' : parameters.status
  const hours = readSearchChoice(parameters.hours, RANGES)
  const per = readSearchChoice(parameters.per, PAGE_SIZES)
  const from = readSearchNumber(parameters.from)
  const to = readSearchNumber(parameters.to)
  return {
    kind,
    hours: hours === 24 ? undefined : hours,
    ...(from !== undefined && to !== undefined && from < to ? { from, to } : {}),
    model: readSearchText(parameters.model),
    status: readSearchChoice(status, kind === 'backend' ? CALL_STATUSES : REQUEST_STATUSES),
    user: kind === 'backend' ? undefined : readSearchText(parameters.user),
    min: readSearchNumber(parameters.min, { min: 1, max: 1e9 }),
    q: readSearchText(parameters.q)?.slice(0, 256),
    page: readSearchNumber(parameters.page, { min: 2, max: 1e6 }),
    per: per === 50 ? undefined : per,
    at: readSearchNumber(parameters.at, { min: 1 }),
    live: String(parameters.live) === 'true' ? true : undefined,
  }
}

/** Whether any filter narrows the list beyond its range. */
export function hasFilters({ model, status, user, min, q, from }: TracesSearch): boolean {
  return [model, status, user, min, q, from].some((value) => value !== undefined)
}

/** Removes every filter. */
export const noFilters = {
  from: undefined,
  to: undefined,
  model: undefined,
  status: undefined,
  user: undefined,
  min: undefined,
  q: undefined,
} satisfies TracesSearch
