import type { CallOptions, Clock, Logger } from '../ports/clock.ts'
import type { QuotaCounter, QuotaStore } from '../ports/usage.ts'
import { createStoreDeadline } from '../store-deadline.ts'
import { applyQuotaWork, type QuotaWork } from './apply-work.ts'
import { createMemoryLedger, dropRule, type QuotaCounts } from './memory-ledger.ts'

/** What {@link createExclusiveQuotaStore} needs. */
export interface ExclusiveQuotaStoreOptions {
  /** The place of the rules and of the counters. Nobody else may write counters there. */
  readonly store: QuotaStore
  readonly clock: Pick<Clock, 'sleep'>
  readonly logger?: Logger | undefined
  /** How long a change of a counter may wait before it is stored, milliseconds. @default 250 */
  readonly delayMs?: number | undefined
}

/** Quotas that one process alone decides. */
export interface ExclusiveQuotaStore extends QuotaStore {
  flush(options: CallOptions): Promise<void>
  /** Stores what is not stored yet, and stops. @throws what the store fails with */
  close(options: CallOptions): Promise<void>
}

const DELAY_MS = 250
const STORE_TIMEOUT_MS = 10_000
/** Rules whose counters stay in memory without a change that is not stored. */
const MAX_KEPT = 10_000

/** Counters as they are stored: without reservations, which end with the process. */
function withoutReservations({ counters, reservations }: QuotaCounts, ids: Iterable<string>): readonly QuotaCounter[] {
  const settled = new Map([...ids].flatMap((id) => counters.get(id) ?? []).map((one) => [one.ruleId, one]))
  for (const held of reservations.values()) {
    for (const { ruleId, windowStart, tokens } of held) {
      const counter = settled.get(ruleId)
      if (counter?.windowStart !== windowStart) continue
      const left = { requests: counter.requests - 1, tokens: counter.tokens - tokens }
      settled.set(ruleId, { ...counter, requests: Math.max(0, left.requests), tokens: Math.max(0, left.tokens) })
    }
  }
  return [...settled.values()]
}

/**
 * Decides quotas in memory and stores their counters a moment later: no request waits for the disk. It is exact as long
 * as one process alone uses the place, such as the owner of a SQLite file. A process that is killed loses the counts of
 * the last moment and the reservations of its requests.
 *
 * While the store cannot be written, requests under rules fail with `unavailable`: they are never unlimited.
 */
export function createExclusiveQuotaStore(options: ExclusiveQuotaStoreOptions): ExclusiveQuotaStore {
  const { store, clock, logger, delayMs = DELAY_MS } = options
  const withDeadline = createStoreDeadline(STORE_TIMEOUT_MS)
  const counts: QuotaCounts = { counters: new Map(), reservations: new Map() }
  const changed = new Set<string>()
  const closing = new AbortController()
  let last: Promise<unknown> = Promise.resolve()
  let writing: Promise<void> | undefined
  let isBehind = false

  const ledger = createMemoryLedger(counts, (counters) => {
    for (const counter of counters) {
      counts.counters.set(counter.ruleId, counter)
      changed.add(counter.ruleId)
    }
  })

  /** Runs work that no other may come between. */
  function alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(work)
    last = turn.catch(() => undefined)
    return turn
  }

  function forget(ruleId: string): void {
    dropRule(counts, ruleId)
    changed.delete(ruleId)
  }

  /** Drops counters that are stored and that no request under way counts in. */
  function dropSurplus(): void {
    if (counts.counters.size <= MAX_KEPT) return
    const inUse = new Set([...counts.reservations.values()].flatMap((held) => held.map(({ ruleId }) => ruleId)))
    for (const id of counts.counters.keys()) {
      if (counts.counters.size <= MAX_KEPT) return
      if (!inUse.has(id) && !changed.has(id)) counts.counters.delete(id)
    }
  }

  async function write(): Promise<void> {
    if (changed.size === 0) return
    const ids = [...changed]
    const counters = withoutReservations(counts, ids)
    changed.clear()
    try {
      await withDeadline((call) => store.writeCounters(counters, call))
    } catch (error) {
      for (const id of ids) changed.add(id)
      if (!isBehind) logger?.warn({ err: error }, 'quota counters cannot be stored')
      isBehind = true
      throw error
    }
    isBehind = false
    dropSurplus()
  }

  async function writeUntilDone(): Promise<void> {
    while (changed.size > 0 && !closing.signal.aborted) {
      await clock.sleep(delayMs, { signal: closing.signal }).catch(() => undefined)
      await alone(write).catch(() => undefined)
    }
    writing = undefined
  }

  async function load(ruleIds: readonly string[]): Promise<void> {
    const missing = ruleIds.filter((id) => !counts.counters.has(id))
    if (missing.length === 0) return
    const stored = await withDeadline((call) => store.readCounters(missing, call))
    for (const ruleId of missing) counts.counters.set(ruleId, { ruleId, windowStart: 0, requests: 0, tokens: 0 })
    for (const counter of stored) counts.counters.set(counter.ruleId, counter)
  }

  async function apply(work: QuotaWork): ReturnType<QuotaStore['apply']> {
    if (isBehind) await write()
    await load([...work.requests, ...work.settlements].flatMap(({ rules }) => rules.map(({ id }) => id)))
    const verdicts = await applyQuotaWork(work, ledger)
    if (changed.size > 0) writing ??= writeUntilDone()
    return verdicts
  }

  return {
    listRules: (userId, call) => store.listRules(userId, call),
    listRulesByUsers: (userIds, call) => store.listRulesByUsers(userIds, call),
    putRule: (rule, call) =>
      alone(async () => {
        const stored = await store.putRule(rule, call)
        forget(stored.id)
        return stored
      }),
    removeRule: (rule, call) =>
      alone(async () => {
        const isRemoved = await store.removeRule(rule, call)
        if (isRemoved) forget(rule.id)
        return isRemoved
      }),
    readCounters: (ruleIds, call) =>
      alone(async () => {
        const missing = ruleIds.filter((id) => !counts.counters.has(id))
        const stored = missing.length === 0 ? [] : await store.readCounters(missing, call)
        return [...stored, ...ruleIds.flatMap((id) => counts.counters.get(id) ?? [])]
      }),
    writeCounters: (counters, call) => store.writeCounters(counters, call),
    apply: (work) => alone(() => apply(work)),
    flush: () => alone(write),
    async close() {
      closing.abort()
      await writing
      await alone(write)
    },
  }
}
