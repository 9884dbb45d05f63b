import type { CallOptions, Logger } from '../ports/clock.ts'
import type { UsageRecord, UsageStore } from '../ports/usage.ts'

/** What {@link createUsageRecorder} needs. */
export interface UsageRecorderOptions {
  readonly store: UsageStore
  readonly logger?: Logger | undefined
  /** Records that wait while the store is away; then the oldest ones are dropped and counted. @default 50000 */
  readonly maxWaiting?: number | undefined
  /** Told of records that are stored, so that a journal can forget them. */
  readonly onStored?: ((records: readonly UsageRecord[]) => void) | undefined
}

/** Takes usage records away from the requests that they are of. */
export interface UsageRecorder {
  /** Takes a record; it is stored as soon as the store is free. */
  record(record: UsageRecord): void
  /** Resolves when everything that was taken before is stored. @throws what the store fails with; the records are kept */
  flush(options: CallOptions): Promise<void>
  /** Records that wait. */
  readonly waiting: number
  /** Records that were dropped because too many waited. */
  readonly dropped: number
}

const MAX_WAITING = 50_000
const MAX_BATCH = 500
const MAX_TEXT = 200
const STORE_TIMEOUT_MS = 30_000
/** NUL and lone surrogates, which databases store in different ways or not at all. */
const UNSTORABLE = /[\0\ud800-\udfff]/gu

const cleanText = (text: string): string => text.slice(0, MAX_TEXT).replace(UNSTORABLE, '\ufffd')
const cleanCount = (count: number): number =>
  Number.isFinite(count) ? Math.min(Math.max(0, Math.trunc(count)), Number.MAX_SAFE_INTEGER) : 0

function clean(record: UsageRecord): UsageRecord {
  const { apiKeyId, apiKeyName } = record
  return {
    ...record,
    userId: cleanText(record.userId),
    userName: cleanText(record.userName),
    ...(apiKeyId === undefined ? {} : { apiKeyId: cleanText(apiKeyId) }),
    ...(apiKeyName === undefined ? {} : { apiKeyName: cleanText(apiKeyName) }),
    model: cleanText(record.model),
    endpoint: cleanText(record.endpoint),
    promptTokens: cleanCount(record.promptTokens),
    completionTokens: cleanCount(record.completionTokens),
    totalTokens: cleanCount(record.totalTokens),
    durationMs: cleanCount(record.durationMs),
    createdAt: cleanCount(record.createdAt),
  }
}

/**
 * Stores records in batches: one runs at a time, the next one takes what has come meanwhile. While the store is away the
 * records wait, and the next record or flush tries again; a record that is stored twice counts once.
 */
export function createUsageRecorder(options: UsageRecorderOptions): UsageRecorder {
  const { store, logger, maxWaiting = MAX_WAITING, onStored } = options
  let waiting: UsageRecord[] = []
  let running: Promise<void> | undefined
  let dropped = 0
  let isAway = false

  async function storeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_BATCH)
      await store.append(batch, { signal: AbortSignal.timeout(STORE_TIMEOUT_MS) })
      const stored = new Set(batch)
      waiting = waiting.filter((record) => !stored.has(record))
      isAway = false
      onStored?.(batch)
    }
  }

  function start(): Promise<void> {
    running ??= storeAll().finally(() => {
      running = undefined
    })
    return running
  }

  return {
    get waiting() {
      return waiting.length
    },
    get dropped() {
      return dropped
    },
    record(record) {
      waiting.push(clean(record))
      if (waiting.length > maxWaiting) {
        waiting.shift()
        dropped += 1
      }
      if (running !== undefined) return
      start().catch((error: unknown) => {
        if (!isAway) logger?.warn({ err: error }, 'usage cannot be stored, it waits')
        isAway = true
      })
    },
    async flush({ signal }) {
      signal.throwIfAborted()
      // a batch that runs may have begun before the last record came
      await running?.catch(() => undefined)
      if (waiting.length > 0) await start()
    },
  }
}
