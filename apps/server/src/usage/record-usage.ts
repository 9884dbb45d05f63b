import { toUsageSource } from '@svc/auth'
import type { UsageRecorder as StoredUsage } from '@svc/auth/usage'
import type { UsageRecorder } from '../monitoring/recorders.ts'
import { createRecordIds } from './record-ids.ts'

/** Makes usage records of finished requests. Names are copied, so that they outlive renamed and removed keys (§2.6). */
export function createUsageRecords(stored: Pick<StoredUsage, 'record'>): UsageRecorder {
  const nextId = createRecordIds()
  return {
    record({ principal, servedModel, endpoint, durationMs, at, ...figures }) {
      const { promptTokens, completionTokens, cachedTokens, reasoningTokens, isEstimated, media } = figures
      const { apiKey } = principal
      stored.record({
        id: nextId(at),
        userId: principal.id,
        userName: principal.name,
        source: toUsageSource(principal),
        ...(apiKey === undefined ? {} : { apiKeyId: apiKey.id, apiKeyName: apiKey.name }),
        model: servedModel,
        endpoint,
        promptTokens,
        completionTokens,
        totalTokens: promptTokens + completionTokens,
        durationMs,
        createdAt: at,
        cachedTokens,
        reasoningTokens,
        isEstimated,
        ...media,
      })
    },
  }
}
