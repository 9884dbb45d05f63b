import { cleanAmount, cleanSeconds } from '../clean-figures.ts'
import type { CallOptions, Clock, Logger } from '../ports/clock.ts'
import type { UsageRecord, UsageStore } from '../ports/usage.ts'
import { createStoreDeadline } from '../store-deadline.ts'
import { systemClock } from '../system-clock.ts'
import { withSignal } from '../with-signal.ts'

/** Keeps records while the store is away, so that they survive the end of the process. Its calls never fail. */
export interface UsageJournal {
  keep(records: readonly UsageRecord[]): void
  /** Called when all kept records are stored. */
  clear(): void
}

/** Options of {@link createUsageRecorder}. */
export interface UsageRecorderOptions {
  readonly store: UsageStore
  /** @default the clock of the machine */
  readonly clock?: Pick<Clock, 'sleep'> | undefined
  readonly logger?: Logger | undefined
  /** Longest time that a record waits for others to be stored with, milliseconds. @default 0 */
  readonly gatherMs?: number | undefined
  /** Records that wait while the store is away; then the oldest ones are dropped and counted. @default 50000 */
  readonly maxWaiting?: number | undefined
  /** See {@link UsageStore.append}. @default that of the store */
  readonly maxLabelValues?: number | undefined
  /** @default none: records that wait end with the process */
  readonly journal?: UsageJournal | undefined
}

/** Takes usage records away from the requests that they are of. */
export interface UsageRecorder {
  /** Takes a record; it is stored within a moment, or as soon as the store is back. */
  record(record: UsageRecord): void
  /** Resolves when all earlier records are stored. @throws the error of the store; the records are kept */
  flush(options: CallOptions): Promise<void>
  /** Stores waiting records, and stops trying. @throws the error of the store */
  close(options: CallOptions): Promise<void>
  /** Records that wait. */
  readonly waiting: number
  /** Records that were dropped because too many waited. */
  readonly dropped: number
}

const MAX_WAITING = 50_000
const MAX_BATCH = 500
const MAX_TEXT = 200
const MAX_TAGS = 16
const STORE_TIMEOUT_MS = 30_000
const FIRST_RETRY_MS = 100
const MAX_RETRY_MS = 2000
/** NUL and lone surrogates, which databases store in different ways or not at all. */
const UNSTORABLE = /[\0\ud800-\udfff]/gu

const cleanText = (text: string): string => text.slice(0, MAX_TEXT).replace(UNSTORABLE, '\ufffd')
const cleanCount = (count: number): number =>
  Number.isFinite(count) ? Math.min(Math.max(0, Math.trunc(count)), Number.MAX_SAFE_INTEGER) : 0

function cleanTags(tags: Readonly<Record<string, string>>): UsageRecord['tags'] {
  const pairs = Object.entries(tags).slice(0, MAX_TAGS)
  return pairs.length === 0
    ? undefined
    : Object.fromEntries(pairs.map(([name, value]) => [cleanText(name), cleanText(value)]))
}

/** Names every field: V8 makes an object slowly whose fields follow a spread. */
function clean(record: UsageRecord): UsageRecord {
  const { id, source, apiKeyId, apiKeyName } = record
  return {
    id,
    userId: cleanText(record.userId),
    userName: cleanText(record.userName),
    source,
    apiKeyId: apiKeyId === undefined ? undefined : cleanText(apiKeyId),
    apiKeyName: apiKeyName === undefined ? undefined : cleanText(apiKeyName),
    model: cleanText(record.model),
    endpoint: cleanText(record.endpoint),
    promptTokens: cleanAmount(record.promptTokens),
    completionTokens: cleanAmount(record.completionTokens),
    totalTokens: cleanAmount(record.totalTokens),
    durationMs: cleanCount(record.durationMs),
    createdAt: cleanCount(record.createdAt),
    cachedTokens: cleanAmount(record.cachedTokens ?? 0),
    reasoningTokens: cleanAmount(record.reasoningTokens ?? 0),
    isEstimated: record.isEstimated === true,
    seconds: cleanSeconds(record.seconds ?? 0),
    characters: cleanAmount(record.characters ?? 0),
    images: cleanAmount(record.images ?? 0),
    cacheWriteTokens: cleanAmount(record.cacheWriteTokens ?? 0),
    costMicros: record.costMicros === undefined ? undefined : cleanCount(record.costMicros),
    currency: record.currency === undefined ? '' : cleanText(record.currency),
    endUser: record.endUser === undefined ? undefined : cleanText(record.endUser),
    tags: record.tags === undefined ? undefined : cleanTags(record.tags),
  }
}

/**
 * Stores records in batches: one runs at a time, the next one takes the records that have come meanwhile. While the
 * store is away, records wait and are kept in the journal, and the recorder tries again. A record that is stored twice
 * counts once.
 */
export function createUsageRecorder(options: UsageRecorderOptions): UsageRecorder {
  const { store, clock = systemClock, logger, journal, maxLabelValues } = options
  const { gatherMs = 0, maxWaiting = MAX_WAITING } = options
  const withDeadline = createStoreDeadline(STORE_TIMEOUT_MS)
  const closing = new AbortController()
  let waiting: UsageRecord[] = []
  let storing: Promise<void> | undefined
  let [isRunning, isAway] = [false, false]
  let dropped = 0

  async function storeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_BATCH)
      await withDeadline((call) => store.append(batch, { ...call, maxLabelValues }))
      const stored = new Set(batch)
      waiting = waiting.filter((record) => !stored.has(record))
    }
    if (!isAway) return
    isAway = false
    journal?.clear()
    logger?.info({}, 'usage is stored again')
  }

  function noteAway(error: unknown): void {
    if (isAway) return
    isAway = true
    journal?.keep(waiting)
    logger?.warn({ err: error }, 'usage cannot be stored, it waits')
  }

  function storeNow(): Promise<void> {
    storing ??= storeAll()
      .catch((error: unknown) => {
        noteAway(error)
        throw error
      })
      .finally(() => {
        storing = undefined
      })
    return storing
  }

  const rest = (ms: number): Promise<void> => clock.sleep(ms, { signal: closing.signal }).catch(() => undefined)

  async function run(): Promise<void> {
    isRunning = true
    if (gatherMs > 0) await rest(gatherMs)
    let retryMs = FIRST_RETRY_MS
    while (waiting.length > 0 && !closing.signal.aborted) {
      const isStored = await storeNow().then(
        () => true,
        () => false,
      )
      if (isStored) continue
      await rest(retryMs)
      retryMs = Math.min(retryMs * 2, MAX_RETRY_MS)
    }
    isRunning = false
  }

  async function flush({ signal }: CallOptions): Promise<void> {
    signal.throwIfAborted()
    // a batch that runs may have begun before the last record came
    if (storing !== undefined) await withSignal(storing, signal).catch(() => signal.throwIfAborted())
    if (waiting.length > 0) await withSignal(storeNow(), signal)
  }

  return {
    get waiting() {
      return waiting.length
    },
    get dropped() {
      return dropped
    },
    record(given) {
      const record = clean(given)
      waiting.push(record)
      if (waiting.length > maxWaiting) {
        waiting.shift()
        dropped += 1
      }
      if (isAway) journal?.keep([record])
      if (!isRunning) void run()
    },
    flush,
    async close(call) {
      closing.abort()
      try {
        await flush(call)
      } catch (error) {
        noteAway(error)
        throw error
      }
    },
  }
}
