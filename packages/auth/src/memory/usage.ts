import { AuthError } from '../errors.ts'
import type { QuotaCounter, QuotaStore, UsageGroup, UsageQuery, UsageRecord, UsageStore } from '../ports/usage.ts'
import { applyQuotaWork } from '../quotas/apply-work.ts'
import { createMemoryLedger, dropRule, toRuleId } from '../quotas/memory-ledger.ts'
import { type KeepValues, type LabelSum, sumLabels } from '../usage/labels.ts'
import { planReads, type UsageRead } from '../usage/plan-reads.ts'
import { addSums, joinSumKey, mergeGroups, sumRecords, toSum, type UsageSum } from '../usage/sums.ts'
import { type MemoryState, removeWhere } from './state.ts'

/** All sums, or those of a label. */
function listSums(state: MemoryState, label: UsageQuery['label']): readonly UsageSum[] {
  if (label === undefined) return [...state.sums.values()]
  return [...state.labelSums.values()]
    .filter((sum) => sum.label === label.name && (label.value === undefined || sum.value === label.value))
    .map(({ label: _, value, ...sum }) => (label.isGroup === true ? { ...sum, labelValue: value } : sum))
}

/** The sums that a part of a report reads, with the buckets that they fall in. */
function readPart(state: MemoryState, part: UsageRead, label: UsageQuery['label']): readonly UsageGroup[] {
  const isWithin = (time: number): boolean => time >= part.from && (part.to === undefined || time < part.to)
  const { span } = part
  const sums =
    span === 'record'
      ? state.records.filter(({ createdAt }) => isWithin(createdAt)).map((record) => toSum(record, 'hour'))
      : listSums(state, label).filter((sum) => sum.span === span && isWithin(sum.start))
  return sums.map(({ span: _, start, ...rest }) => ({ ...rest, bucketStart: part.bucketStart ?? start }))
}

const NO_NAMES = { model: '', userId: '', userName: '', source: 'web', apiKeyId: '', apiKeyName: '' } as const

function group(state: MemoryState, query: UsageQuery, limit: number): readonly UsageGroup[] {
  const { userId, apiKeyId, withoutLegacy = false, byModel, byKey = true, label } = query
  const found = planReads(query, state.prunedBefore)
    .flatMap((part) => readPart(state, part, label))
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
      ...(label?.isGroup === true ? NO_NAMES : {}),
    })),
  )
  if (groups.length > limit) throw new AuthError('unprocessable', `more than ${limit} rows`, { code: 'too_many_rows' })
  return groups
}

const joinLabelKey = (sum: LabelSum): string => JSON.stringify([sum.label, sum.value, joinSumKey(sum)])

function keepIn(state: MemoryState): KeepValues {
  return async ({ day, label, values, max }) => {
    const key = `${day} ${label}`
    const kept = state.labels.get(key) ?? { day, values: new Set<string>() }
    state.labels.set(key, kept)
    for (const value of values) if (kept.values.size < max) kept.values.add(value)
    return new Set([...values].filter((value) => kept.values.has(value)))
  }
}

async function append(
  state: MemoryState,
  records: readonly UsageRecord[],
  maxValues: number | undefined,
): Promise<void> {
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
  for (const sum of await sumLabels([...fresh.values()], { maxValues, keep: keepIn(state) })) {
    const key = joinLabelKey(sum)
    const before = state.labelSums.get(key)
    state.labelSums.set(key, before === undefined ? sum : { ...sum, ...addSums(before, sum) })
  }
}

function prune(state: MemoryState, limits: Parameters<UsageStore['prune']>[0]): number {
  const { maxRecords, before, hoursBefore, daysBefore, limit } = limits
  const isOld = ({ span, start }: UsageSum): boolean =>
    (span === 'hour' && start < hoursBefore) || (span === 'day' && start < daysBefore)
  removeWhere(state.labels, ({ day }) => day < hoursBefore)
  const old = removeWhere(state.sums, isOld) + removeWhere(state.labelSums, isOld)
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
    append: (records, { maxLabelValues }) => append(state, records, maxLabelValues),
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
