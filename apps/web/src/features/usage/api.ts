import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'
import type { components } from '../../lib/schema.gen.ts'
import type { LabelQuery, Period } from './search.ts'

/** Usage of one model, account and source in one bucket. */
export type UsageRow = components['schemas']['UsageRow']

/** Parameters of a question about usage. */
export interface UsageQuestion {
  readonly period: Period
  /** Everybody's usage instead of one's own. */
  readonly isAll: boolean
  /** @default all requests, not grouped */
  readonly label?: LabelQuery | undefined
}

/** A sum by tag or end user as a row; its value stands in place of the model. */
function toRow({ value, ...sums }: components['schemas']['UsageGroup']): UsageRow {
  return { ...sums, model: value, user_id: '', user_name: '', source: 'web' }
}

/** Usage over time by model, account, source and key. */
export const usageQuery = ({ period, isAll, label = {} }: UsageQuestion) =>
  queryOptions({
    queryKey: ['usage', 'rows', period, isAll, label],
    queryFn: async ({ signal }) => {
      const options = { params: { query: { period, ...label } }, signal }
      const reply = await unwrap(
        isAll ? api.GET('/api/auth/admin/usage', options) : api.GET('/api/auth/usage', options),
      )
      return reply.groups === undefined ? reply.usage : reply.groups.map(toRow)
    },
    placeholderData: keepPreviousData,
  })

/** A price of the list. */
export type Price = components['schemas']['PriceListRequest']['prices'][number]

/** The price list in use with its version. */
export const priceQuery = queryOptions({
  queryKey: ['usage', 'prices'],
  queryFn: async ({ signal }) => {
    const reply = api.GET('/api/prices', { signal })
    const list = await unwrap(reply)
    return { list, version: (await reply).response.headers.get('etag') ?? '' }
  },
})

/** Replaces the price list, unless it has changed since it was read. */
export async function savePrices(body: components['schemas']['PriceListRequest'], version: string): Promise<void> {
  await unwrap(api.PUT('/api/prices', { body, headers: { 'if-match': version } }))
}

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
