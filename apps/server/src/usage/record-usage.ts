import { randomBytes } from 'node:crypto'
import { toUsageSource } from '@svc/auth'
import type { UsageRecorder as StoredUsage } from '@svc/auth/usage'
import type { UsageRecord, UsageRecorder } from '../monitoring/recorders.ts'
import { costOfCalls } from '../spend/cost-of-calls.ts'
import type { PriceBook } from '../spend/price-book.ts'

/** Parts of {@link createUsageRecords}. */
export interface UsageRecordParts {
  readonly stored: Pick<StoredUsage, 'record'>
  /** The prices at the time of a record. */
  readonly book: PriceBook
  /** Called with every known cost. @param costMicros whole millionths of `currency` */
  readonly onCost?:
    | ((cost: { readonly model: string; readonly currency: string; readonly costMicros: number }) => void)
    | undefined
}

/**
 * Makes usage records of finished requests. Names are copied, so that they outlive renamed and removed keys (§2.6). The
 * cost is that of the prices which hold now, and never changes afterwards.
 */
export function createUsageRecords({ stored, book, onCost }: UsageRecordParts): UsageRecorder {
  const nextId = createRecordIds()
  return {
    record(entry) {
      const { principal, promptTokens, completionTokens, media, at, attribution } = entry
      const { apiKey } = principal
      const { currency } = book
      const costMicros = currency === undefined ? undefined : findCost(book, entry)
      if (currency !== undefined && costMicros !== undefined) {
        onCost?.({ model: entry.servedModel, currency, costMicros })
      }
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
        cacheWriteTokens: entry.cacheWriteTokens,
        costMicros,
        currency,
        endUser: attribution?.endUser,
        tags: attribution?.tags,
      })
    },
  }
}

function findCost(book: PriceBook, entry: UsageRecord): number | undefined {
  const { model, durationMs, at } = entry
  if (entry.isReplayed === true) return 0
  return costOfCalls(book, [{ model, usage: entry }], { durationMs, at }).costs[0]
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
