import type { QuotaCounter } from '../ports/usage.ts'
import type { QuotaLedger } from './apply-work.ts'
import { moveReservation } from './counts.ts'
import { createMemoryLedger, dropRule, type QuotaCounts } from './memory-ledger.ts'

/** Counters and reservations in memory, and the counters that are not stored yet. */
export interface CounterCache {
  /** The counts that work is applied to. */
  readonly ledger: QuotaLedger
  /** Whether there are counters that are not stored. */
  readonly hasChanges: boolean
  /** The rules without a counter here. */
  listMissing(ruleIds: readonly string[]): readonly string[]
  read(ruleIds: readonly string[]): readonly QuotaCounter[]
  /** Keeps the stored counters of rules; a rule without one begins at zero. */
  load(ruleIds: readonly string[], stored: readonly QuotaCounter[]): void
  /** Drops a rule, or a limit with all its counters, and the reservations under it. */
  forget(ruleId: string): void
  /** Takes the changed counters as they are stored: without reservations, which end with the process. */
  takeChanges(): readonly QuotaCounter[]
  /** Marks counters as not stored again. */
  putBack(counters: readonly QuotaCounter[]): void
  /** Drops counters beyond the bound that are stored and that no request under way counts in. */
  dropSurplus(): void
}

/** Rules whose counters stay in memory without a change that is not stored. */
const MAX_KEPT = 10_000

/** Returns counters without what the reservations hold. */
function withoutReservations({ counters, reservations }: QuotaCounts, ids: Iterable<string>): readonly QuotaCounter[] {
  const settled = new Map([...ids].flatMap((id) => counters.get(id) ?? []).map((one) => [one.ruleId, one]))
  for (const held of reservations.values()) {
    for (const reservation of held) {
      const counter = settled.get(reservation.ruleId)
      if (counter !== undefined) settled.set(counter.ruleId, moveReservation(counter, reservation, -1))
    }
  }
  return [...settled.values()].map((counter) => ({ ...counter, parallel: 0 }))
}

/** Creates an empty cache. */
export function createCounterCache(): CounterCache {
  const counts: QuotaCounts = { counters: new Map(), reservations: new Map() }
  const changed = new Set<string>()

  return {
    ledger: createMemoryLedger(counts, (counters) => {
      for (const counter of counters) {
        counts.counters.set(counter.ruleId, counter)
        changed.add(counter.ruleId)
      }
    }),
    get hasChanges() {
      return changed.size > 0
    },
    listMissing: (ruleIds) => ruleIds.filter((id) => !counts.counters.has(id)),
    read: (ruleIds) => ruleIds.flatMap((id) => counts.counters.get(id) ?? []),
    load(ruleIds, stored) {
      for (const ruleId of ruleIds) counts.counters.set(ruleId, { ruleId, windowStart: 0, requests: 0, tokens: 0 })
      for (const counter of stored) counts.counters.set(counter.ruleId, counter)
    },
    forget(ruleId) {
      for (const id of dropRule(counts, ruleId)) changed.delete(id)
    },
    takeChanges() {
      const counters = withoutReservations(counts, changed)
      changed.clear()
      return counters
    },
    putBack(counters) {
      for (const { ruleId } of counters) changed.add(ruleId)
    },
    dropSurplus() {
      if (counts.counters.size <= MAX_KEPT) return
      const inUse = new Set([...counts.reservations.values()].flatMap((held) => held.map(({ ruleId }) => ruleId)))
      for (const id of counts.counters.keys()) {
        if (counts.counters.size <= MAX_KEPT) return
        if (!inUse.has(id) && !changed.has(id)) counts.counters.delete(id)
      }
    },
  }
}
