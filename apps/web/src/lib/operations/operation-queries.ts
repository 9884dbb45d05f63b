import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../api-client.ts'
import type { Operation, OperationRecord } from './operation.ts'

/**
 * The operations of the server. Only its watcher polls, and all other users share its data.
 */
export const operationsQuery = queryOptions({
  queryKey: ['operations', 'list'],
  staleTime: 15_000,
  async queryFn({ signal }): Promise<readonly Operation[]> {
    return (await unwrap(api.GET('/api/operations', { signal }))).operations
  },
})

/** The last 50 operations that have ended, the newest first. */
export const operationHistoryQuery = queryOptions({
  queryKey: ['operations', 'history'],
  async queryFn({ signal }): Promise<readonly OperationRecord[]> {
    return (await unwrap(api.GET('/api/operations/history', { signal }))).operations
  },
})
