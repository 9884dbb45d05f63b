import { AuthError } from '../errors.ts'
import type { QuotaStore, UsageGroup, UsageQuery, UsageRecord, UsageStore } from '../ports/usage.ts'
import { applyQuotaWork, type QuotaLedger, type Reservation } from '../quotas/apply-work.ts'
import { HOUR_MS, startOfBucket, startOfHour } from '../usage/buckets.ts'
import { addHours, hourKey, mergeGroups, sumHours, type UsageHour } from '../usage/merge-groups.ts'
import type { MemoryState } from './state.ts'

/** Hours that touch the time from `since` on, the first of them cut to it where its records are still there. */
function selectHours(state: MemoryState, since: number): readonly UsageHour[] {
  const first = startOfHour(since)
  const isCut = since > first && state.prunedBefore <= since
  const whole = [...state.hours.values()].filter(({ hour }) => hour >= (isCut ? first + HOUR_MS : first))
  if (!isCut) return whole
  const edge = state.records.filter(({ createdAt }) => createdAt >= since && createdAt < first + HOUR_MS)
  return [...whole, ...sumHours(edge)]
}

function group(state: MemoryState, query: UsageQuery, limit: number): readonly UsageGroup[] {
  const { bucket, since = 0, userId, apiKeyId, withoutLegacy = false, byModel } = query
  const hours = selectHours(state, since).filter(
    (hour) =>
      (userId === undefined || hour.userId === userId) &&
      (apiKeyId === undefined || hour.apiKeyId === apiKeyId) &&
      !(withoutLegacy && hour.source === 'legacy'),
  )
  const groups = mergeGroups(
    hours.map(({ hour, month: _, ...rest }) => ({
      ...rest,
      model: byModel ? rest.model : '',
      bucketStart: startOfBucket(hour, bucket),
    })),
  )
  if (groups.length > limit) throw new AuthError('unprocessable', `more than ${limit} rows`, { code: 'too_many_rows' })
  return groups
}

function append(state: MemoryState, records: readonly UsageRecord[]): void {
  const fresh = records.filter(({ id }, index) => {
    return !state.recordIds.has(id) && records.findIndex((one) => one.id === id) === index
  })
  for (const record of fresh) state.recordIds.add(record.id)
  state.records.push(...fresh)
  for (const hour of sumHours(fresh)) {
    const key = hourKey(hour)
    const before = state.hours.get(key)
    state.hours.set(key, before === undefined ? hour : addHours(before, hour))
  }
}

function prune(
  state: MemoryState,
  { maxRecords, before, limit }: { readonly maxRecords: number; readonly before: number; readonly limit: number },
): number {
  const ordered = [...state.records].sort((left, right) => left.createdAt - right.createdAt)
  const surplus = Math.max(0, ordered.length - maxRecords)
  const removed = ordered.filter(({ createdAt }, index) => index < surplus || createdAt < before).slice(0, limit)
  const newest = removed.at(-1)
  if (newest === undefined) return 0
  const ids = new Set(removed.map(({ id }) => id))
  state.records = state.records.filter(({ id }) => !ids.has(id))
  for (const id of ids) state.recordIds.delete(id)
  state.prunedBefore = Math.max(state.prunedBefore, newest.createdAt + 1)
  return removed.length
}

/** Usage in memory. */
export function createMemoryUsage(state: MemoryState): UsageStore {
  return {
    append: async (records) => append(state, records),
    group: async (query, { limit }) => group(state, query, limit),
    // records without a source come from older databases alone
    backfillSources: async () => 0,
    prune: async (limits) => prune(state, limits),
  }
}

function createLedger(state: MemoryState): QuotaLedger {
  const take = (isPicked: (reservation: Reservation) => boolean): readonly Reservation[] => {
    const picked = [...state.reservations].filter(([, reservation]) => isPicked(reservation))
    for (const [key] of picked) state.reservations.delete(key)
    return picked.map(([, reservation]) => reservation)
  }
  return {
    lockCounters: async (rules) => rules.flatMap(({ id }) => state.counters.get(id) ?? []),
    takeReservations: async (ids) => take(({ id }) => ids.includes(id)),
    takeExpired: async (ruleIds, now) => take(({ ruleId, expiresAt }) => ruleIds.includes(ruleId) && expiresAt <= now),
    async putReservations(reservations) {
      for (const one of reservations) state.reservations.set(`${one.id}:${one.ruleId}`, one)
    },
    async writeCounters(counters) {
      for (const counter of counters) if (state.rules.has(counter.ruleId)) state.counters.set(counter.ruleId, counter)
    },
  }
}

/** Quotas in memory. */
export function createMemoryQuotas(state: MemoryState): QuotaStore {
  let last: Promise<unknown> = Promise.resolve()
  return {
    listRules: async (userId) => [...state.rules.values()].filter((rule) => rule.userId === userId),
    async putRule(rule) {
      const before = [...state.rules.values()].find(
        ({ userId, model }) => userId === rule.userId && model === rule.model,
      )
      const stored = { ...rule, id: before?.id ?? rule.id }
      state.rules.set(stored.id, stored)
      state.counters.delete(stored.id)
      state.revision += 1
      return stored
    },
    async removeRule({ id, userId }) {
      if (state.rules.get(id)?.userId !== userId) return false
      state.rules.delete(id)
      state.counters.delete(id)
      state.revision += 1
      return true
    },
    readCounters: async (ruleIds) => ruleIds.flatMap((id) => state.counters.get(id) ?? []),
    apply(work) {
      // one after the other, as transactions are
      const verdicts = last.then(() => applyQuotaWork(work, createLedger(state)))
      last = verdicts.catch(() => undefined)
      return verdicts
    },
  }
}
