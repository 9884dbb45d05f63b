import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'
import type { ListedPage } from '../../lib/held-rows.ts'
import type { components } from '../../lib/schema.gen.ts'
import { type EventsSearch, KINDS } from './search.ts'

/** One line of the audit log; it holds no text of a request. */
export type AuditEvent = components['schemas']['PiiEvent']

/** Events that the server keeps. */
export const RING = 10_000
const LIVE_MS = 5_000

/** The newest events that match, the newest first. */
export const eventsQuery = ({ live, action, ...search }: EventsSearch) =>
  queryOptions({
    queryKey: ['events', search],
    queryFn: async ({ signal }): Promise<ListedPage<AuditEvent>> => {
      const { kind, origin, user, correlation, pattern, change, target, limit = 100 } = search
      const entries: readonly (readonly [string, string | undefined])[] = [
        ['kind', kind ?? KINDS.join(',')],
        ['origin', origin],
        ['user_id', user],
        ['correlation_id', correlation],
        ['pattern_id', pattern],
        ['change', change],
        ['target', target],
        ['limit', String(limit)],
      ]
      const query = Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined))
      const { events } = await unwrap(api.GET('/api/pii/events', { params: { query }, signal }))
      return { rows: events, total: events.length }
    },
    placeholderData: keepPreviousData,
    refetchInterval: live === true && LIVE_MS,
    // the server cannot filter by action, so the page leaves out events with other actions
    select: ({ rows }) => {
      const shown = action === undefined ? rows : rows.filter((event) => event.action === action)
      return { rows: shown, total: rows.length }
    },
  })
