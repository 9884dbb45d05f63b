import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'
import type { components } from '../../lib/schema.gen.ts'
import type { Period } from './search.ts'

/** Usage of one model, account and source in one bucket. */
export type UsageRow = components['schemas']['UsageRow']

/** Parameters of a question about usage. */
export interface UsageQuestion {
  readonly period: Period
  /** Everybody's usage instead of one's own. */
  readonly isAll: boolean
}

/** Usage over time by model, account, source and key. */
export const usageQuery = ({ period, isAll }: UsageQuestion) =>
  queryOptions({
    queryKey: ['usage', 'rows', period, isAll],
    queryFn: async ({ signal }) => {
      const options = { params: { query: { period } }, signal }
      return (await unwrap(isAll ? api.GET('/api/auth/admin/usage', options) : api.GET('/api/auth/usage', options)))
        .usage
    },
    placeholderData: keepPreviousData,
  })

/** Whether the server has left keys out of its sums by key. */
export const truncatedQuery = ({ period, isAll }: UsageQuestion) =>
  queryOptions({
    queryKey: ['usage', 'truncated', period, isAll],
    queryFn: async ({ signal }) => {
      const options = { params: { query: { period } }, signal }
      return (
        await unwrap(
          isAll ? api.GET('/api/auth/admin/usage/sources', options) : api.GET('/api/auth/usage/sources', options),
        )
      ).truncated
    },
  })
