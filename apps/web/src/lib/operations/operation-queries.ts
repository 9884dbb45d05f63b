import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../api-client.ts'
import { type Operation, type OperationRecord, readOperationState } from './operation.ts'
import { TransferMeter } from './transfer-rate.ts'

const meter = new TransferMeter()

/**
 * The operations of the server. Its watcher alone asks again from time to time, so everyone else shares what it learns.
 */
export const operationsQuery = queryOptions({
  queryKey: ['operations', 'list'],
  staleTime: 15_000,
  async queryFn({ signal }): Promise<readonly Operation[]> {
    const { operations } = await unwrap(api.GET('/api/operations', { signal }))
    const now = Date.now()
    meter.keepOnly(new Set(operations.map(({ jobID }) => jobID)))
    return operations.map((operation) => {
      const { jobID, currentBytes, totalBytes } = operation
      const isTransfer = currentBytes !== undefined && readOperationState(operation) === 'running'
      return isTransfer ? { ...operation, ...meter.measure(jobID, currentBytes, totalBytes, now) } : operation
    })
  },
})

/** The last 50 operations that have ended, the newest first. */
export const operationHistoryQuery = queryOptions({
  queryKey: ['operations', 'history'],
  async queryFn({ signal }): Promise<readonly OperationRecord[]> {
    return (await unwrap(api.GET('/api/operations/history', { signal }))).operations
  },
})
