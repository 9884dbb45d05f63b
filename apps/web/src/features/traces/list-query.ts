import { isOtherDay } from '../../lib/format.ts'
import type { TracesSearch } from './search.ts'

/** Query parameters of a list of traces. */
export type ListQuery = Readonly<Record<string, string>>

export const HOUR_MS = 3_600_000

/** Whether a list of the last hours has times of another day. */
export const reachesOtherDay = (hours = 24): boolean => isOtherDay(Date.now() - hours * HOUR_MS)

/** The part of the search that distinguishes lists. */
export const toKey = ({ kind: _, live: __, ...search }: TracesSearch) => search

/** The query of the figures above a list. The figures of the bar that narrows the range are in the chart. */
export function toSummaryQuery({ kind, hours = 24, model, status, user, min, q }: TracesSearch): ListQuery {
  if (kind === 'backend') return { hours: String(hours) }
  return {
    hours: String(hours),
    ...withoutEmpty([
      ['model', model],
      ['status', status],
      ['user', user],
      ['min_duration_ms', min === undefined ? undefined : String(min)],
      ['q', q],
    ]),
  }
}

function withoutEmpty(entries: readonly (readonly [string, string | undefined])[]): ListQuery {
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined))
}

/** The query of a list at this moment. */
export function toQuery(search: TracesSearch, now = Date.now()): ListQuery {
  const { hours = 24, from, to, model, status, user, min, q, page = 1, per = 50, at } = search
  const since = from ?? now - hours * HOUR_MS
  const until = page > 1 && at !== undefined ? Math.min(at, to ?? at) : to
  return withoutEmpty([
    ['limit', String(per)],
    ['offset', page > 1 ? String((page - 1) * per) : undefined],
    ['since', new Date(since).toISOString()],
    ['until', until === undefined ? undefined : new Date(until).toISOString()],
    ['model', model],
    ['status', status],
    ['user', user],
    ['min_duration_ms', min === undefined ? undefined : String(min)],
    ['q', q],
  ])
}
