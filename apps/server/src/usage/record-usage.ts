import { randomBytes } from 'node:crypto'
import { toUsageSource } from '@svc/auth'
import type { UsageRecorder as StoredUsage } from '@svc/auth/usage'
import type { UsageRecorder } from '../monitoring/recorders.ts'

/** Makes usage records of finished requests. Names are copied, so that they outlive renamed and removed keys (§2.6). */
export function createUsageRecords(stored: Pick<StoredUsage, 'record'>): UsageRecorder {
  const nextId = createRecordIds()
  return {
    record(entry) {
      const { principal, promptTokens, completionTokens, media, at } = entry
      const { apiKey } = principal
      stored.record({
        id: nextId(at),
        userId: principal.id,
        userName: principal.name,
        source: toUsageSource(principal),
        apiKeyId: apiKey?.id,
        apiKeyName: apiKey?.name,
        model: entry.servedModel,
        endpoint: entry.endpoint,
        promptTokens,
        completionTokens,
        totalTokens: promptTokens + completionTokens,
        durationMs: entry.durationMs,
        createdAt: at,
        cachedTokens: entry.cachedTokens,
        reasoningTokens: entry.reasoningTokens,
        isEstimated: entry.isEstimated,
        seconds: media?.seconds,
        characters: media?.characters,
        images: media?.images,
      })
    },
  }
}

/**
 * Makes ids of records that grow with time, so that new rows are together in the index of a table. They are unique
 * among all processes.
 */
export function createRecordIds(): (at: number) => string {
  const own = randomBytes(8).toString('hex')
  let counter = 0
  return (at) => {
    counter = (counter + 1) % 0x1000000
    const time = Math.max(0, Math.trunc(at)).toString(16).padStart(12, '0')
    return `${time}${counter.toString(16).padStart(6, '0')}${own}`
  }
}
