import { AuthError } from '../errors.ts'
import type { QuotaCounter, QuotaStore, UsageGroup, UsageQuery, UsageRecord, UsageStore } from '../ports/usage.ts'
import { applyQuotaWork } from '../quotas/apply-work.ts'
import { createMemoryLedger, dropRule, toRuleId } from '../quotas/memory-ledger.ts'
import { planReads, type UsageRead } from '../usage/plan-reads.ts'
import { addSums, joinSumKey, mergeGroups, sumRecords, toSum } from '../usage/sums.ts'
import { type MemoryState, removeWhere } from './state.ts'

/** The sums that a part of a report reads, with the buckets that they fall in. */
function readPart(state: MemoryState, part: UsageRead): readonly UsageGroup[] {
  const isWithin = (time: number): boolean => time >= part.from && (part.to === undefined || time < part.to)
  const { span } = part
  const sums =
    span === 'record'
      ? state.records.filter(({ createdAt }) => isWithin(createdAt)).map((record) => toSum(record, 'hour'))
      : [...state.sums.values()].filter((sum) => sum.span === span && isWithin(sum.start))
  return sums.map(({ span: _, start, ...rest }) => ({ ...rest, bucketStart: part.bucketStart ?? start }))
}

function group(state: MemoryState, query: UsageQuery, limit: number): readonly UsageGroup[] {
  const { userId, apiKeyId, withoutLegacy = false, byModel, byKey = true } = query
  const found = planReads(query, state.prunedBefore)
    .flatMap((part) => readPart(state, part))
    .filter(
      (one) =>
        (userId === undefined || one.userId === userId) &&
        (apiKeyId === undefined || one.apiKeyId === apiKeyId) &&
        !(withoutLegacy && one.source === 'legacy'),
    )
  const names = new Map<string, string>()
  for (const one of found) if (one.userName > (names.get(one.userId) ?? '')) names.set(one.userId, one.userName)
  const groups = mergeGroups(
    found.map((one) => ({
      ...one,
      ...(byModel ? {} : { model: '' }),
      ...(byKey ? {} : { userName: names.get(one.userId) ?? '', apiKeyId: '', apiKeyName: '' }),
    })),
  )
  if (groups.length > limit) throw new AuthError('unprocessable', `more than ${limit} rows`, { code: 'too_many_rows' })
  return groups
}

function append(state: MemoryState, records: readonly UsageRecord[]): void {
  const fresh = new Map(records.map((record) => [record.id, record]))
  for (const id of fresh.keys()) if (state.recordIds.has(id)) fresh.delete(id)
  for (const record of fresh.values()) {
    state.recordIds.add(record.id)
    state.records.push(record)
  }
  for (const sum of sumRecords([...fresh.values()])) {
    const key = joinSumKey(sum)
    const before = state.sums.get(key)
    state.sums.set(key, before === undefined ? sum : addSums(before, sum))
  }
}

function prune(state: MemoryState, limits: Parameters<UsageStore['prune']>[0]): number {
  const { maxRecords, before, hoursBefore, daysBefore, limit } = limits
  const old = removeWhere(
    state.sums,
    ({ span, start }) => (span === 'hour' && start < hoursBefore) || (span === 'day' && start < daysBefore),
  )
  const ordered = [...state.records].sort((left, right) => left.createdAt - right.createdAt)
  const surplus = Math.max(0, ordered.length - maxRecords)
  const removed = ordered.filter(({ createdAt }, index) => index < surplus || createdAt < before).slice(0, limit)
  const newest = removed.at(-1)
  if (newest === undefined) return old
  const ids = new Set(removed.map(({ id }) => id))
  state.records = state.records.filter(({ id }) => !ids.has(id))
  for (const id of ids) state.recordIds.delete(id)
  state.prunedBefore = Math.max(state.prunedBefore, newest.createdAt + 1)
  return removed.length + old
}

/** Usage in memory. */
export function createMemoryUsage(state: MemoryState): UsageStore {
  return {
    append: async (records) => append(state, records),
    group: async (query, { limit }) => group(state, query, limit),
    // only older databases have records without a source
    backfillSources: async () => 0,
    prune: async (limits) => prune(state, limits),
  }
}

/** Quotas in memory. */
export function createMemoryQuotas(state: MemoryState): QuotaStore {
  let last: Promise<unknown> = Promise.resolve()
  const write = (counters: readonly QuotaCounter[]): void => {
    for (const counter of counters) {
      const id = toRuleId(counter.ruleId)
      if (state.rules.has(id) || state.limits.has(id)) state.counters.set(counter.ruleId, counter)
    }
  }
  const ledger = createMemoryLedger(state, write)
  return {
    listRules: async (userId) => [...state.rules.values()].filter((rule) => rule.userId === userId),
    listRulesByUsers: async (userIds) => [...state.rules.values()].filter((rule) => userIds.includes(rule.userId)),
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
      dropRule(state, id)
      state.revision += 1
      return true
    },
    readCounters: async (ruleIds) => ruleIds.flatMap((id) => state.counters.get(id) ?? []),
    writeCounters: async (counters) => write(counters),
    async removeStray() {
      for (const id of [...state.counters.keys()]) {
        const ruleId = toRuleId(id)
        if (!state.rules.has(ruleId) && !state.limits.has(ruleId)) state.counters.delete(id)
      }
      return undefined
    },
    apply(work) {
      // one after the other, as transactions are
      const verdicts = last.then(() => applyQuotaWork(work, ledger))
      last = verdicts.catch(() => undefined)
      return verdicts
    },
  }
}
