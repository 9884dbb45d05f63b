import type { CallOptions, Clock, Logger } from '../ports/clock.ts'
import type { QuotaStore } from '../ports/usage.ts'
import { createStoreDeadline } from '../store-deadline.ts'
import { applyQuotaWork, type QuotaWork } from './apply-work.ts'
import { type CounterCache, createCounterCache } from './counter-cache.ts'

/** Options of {@link createExclusiveQuotaStore}. */
export interface ExclusiveQuotaStoreOptions {
  /** The place of the rules and of the counters. Nobody else may write counters there. */
  readonly store: QuotaStore
  readonly clock: Pick<Clock, 'sleep'>
  readonly logger?: Logger | undefined
  /** Longest time before a change of a counter is stored, milliseconds. @default 250 */
  readonly delayMs?: number | undefined
}

/** Quotas that only one process decides. */
export interface ExclusiveQuotaStore extends QuotaStore {
  flush(options: CallOptions): Promise<void>
  /** Stores all changes, and stops. @throws the error of the store */
  close(options: CallOptions): Promise<void>
}

const DELAY_MS = 250
const STORE_TIMEOUT_MS = 10_000

/** Creates a queue that runs one piece of work at a time. */
function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work)
    last = turn.catch(() => undefined)
    return turn
  }
}

/** Stores the changes of a cache. */
interface CounterWriter {
  /** Whether the store has refused the last write. */
  readonly isBehind: boolean
  /** Stores all changes. @throws the error of the store */
  write(): Promise<void>
  /** Stores changes a moment later, and tries again until they are stored. */
  schedule(): void
  /** Ends the waits of scheduled writes. Resolves when none is under way. */
  stop(): Promise<void>
}

interface CounterWriterOptions extends Omit<ExclusiveQuotaStoreOptions, 'store'> {
  readonly cache: CounterCache
  /** Stores the changes that it takes. */
  readonly store: (counters: ReturnType<CounterCache['takeChanges']>) => Promise<void>
  /** Runs a write that no other work may come between. */
  readonly alone: (work: () => Promise<void>) => Promise<void>
}

function createCounterWriter(options: CounterWriterOptions): CounterWriter {
  const { cache, store, alone, clock, logger, delayMs = DELAY_MS } = options
  const closing = new AbortController()
  let writing: Promise<void> | undefined
  let isBehind = false

  async function write(): Promise<void> {
    if (!cache.hasChanges) return
    const counters = cache.takeChanges()
    try {
      await store(counters)
    } catch (error) {
      cache.putBack(counters)
      if (!isBehind) logger?.warn({ err: error }, 'quota counters cannot be stored')
      isBehind = true
      throw error
    }
    isBehind = false
    cache.dropSurplus()
  }

  async function writeUntilDone(): Promise<void> {
    while (cache.hasChanges && !closing.signal.aborted) {
      await clock.sleep(delayMs, { signal: closing.signal }).catch(() => undefined)
      await alone(write).catch(() => undefined)
    }
    writing = undefined
  }

  return {
    get isBehind() {
      return isBehind
    },
    write,
    schedule() {
      if (cache.hasChanges) writing ??= writeUntilDone()
    },
    async stop() {
      closing.abort()
      await writing
    },
  }
}

/**
 * Decides quotas in memory and stores their counters a moment later: no request waits for the disk. It is exact as long
 * only one process uses the place, such as the owner of a SQLite file. A process that is killed loses the counts of the
 * last moment and the reservations of its requests.
 *
 * While the store cannot be written, requests under rules fail with `unavailable`: they are never unlimited.
 */
export function createExclusiveQuotaStore(options: ExclusiveQuotaStoreOptions): ExclusiveQuotaStore {
  const { store } = options
  const withDeadline = createStoreDeadline(STORE_TIMEOUT_MS)
  const alone = createTurns()
  const cache = createCounterCache()
  const writer = createCounterWriter({
    ...options,
    cache,
    alone,
    store: (counters) => withDeadline((call) => store.writeCounters(counters, call)),
  })

  async function load(ruleIds: readonly string[]): Promise<void> {
    const missing = cache.listMissing(ruleIds)
    if (missing.length > 0) cache.load(missing, await withDeadline((call) => store.readCounters(missing, call)))
  }

  async function apply(work: QuotaWork): ReturnType<QuotaStore['apply']> {
    if (writer.isBehind) await writer.write()
    await load([...work.requests, ...work.settlements].flatMap(({ rules }) => rules.map(({ id }) => id)))
    const verdicts = await applyQuotaWork(work, cache.ledger)
    writer.schedule()
    return verdicts
  }

  return {
    listRules: (userId, call) => store.listRules(userId, call),
    listRulesByUsers: (userIds, call) => store.listRulesByUsers(userIds, call),
    putRule: (rule, call) =>
      alone(async () => {
        const stored = await store.putRule(rule, call)
        cache.forget(stored.id)
        return stored
      }),
    removeRule: (rule, call) =>
      alone(async () => {
        const isRemoved = await store.removeRule(rule, call)
        if (isRemoved) cache.forget(rule.id)
        return isRemoved
      }),
    readCounters: (ruleIds, call) =>
      alone(async () => {
        const missing = cache.listMissing(ruleIds)
        const stored = missing.length === 0 ? [] : await store.readCounters(missing, call)
        return [...stored, ...cache.read(ruleIds)]
      }),
    writeCounters: (counters, call) => store.writeCounters(counters, call),
    removeStray: (asked) => store.removeStray(asked),
    apply: (work) => alone(() => apply(work)),
    restart: (limitId, change) =>
      alone(async () => {
        const isChanged = await change()
        if (isChanged) cache.forget(limitId)
        return isChanged
      }),
    flush: () => alone(writer.write),
    async close() {
      await writer.stop()
      await alone(writer.write)
    },
  }
}
