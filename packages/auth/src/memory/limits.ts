import type { LimitStore, LimitSubjectKind } from '../ports/limits.ts'
import { dropRule } from '../quotas/memory-ledger.ts'
import type { MemoryState } from './state.ts'

/** Removes the limits of a subject that is gone. */
export function removeLimitsOf(state: MemoryState, kind: LimitSubjectKind, subjectId: string): void {
  for (const { id, subject } of [...state.limits.values()]) {
    if (subject.kind !== kind || subject.id !== subjectId) continue
    state.limits.delete(id)
    dropRule(state, id)
  }
}

/** Limits in memory. */
export function createMemoryLimits(state: MemoryState): LimitStore {
  return {
    list: async () => [...state.limits.values()],
    async create(limit, { most }) {
      if (state.limits.size >= most) return false
      state.limits.set(limit.id, limit)
      state.revision += 1
      return true
    },
    async change(limit, { restarts }) {
      if (!state.limits.has(limit.id)) return false
      state.limits.set(limit.id, limit)
      if (restarts) dropRule(state, limit.id)
      state.revision += 1
      return true
    },
    async remove(id) {
      if (!state.limits.delete(id)) return false
      dropRule(state, id)
      state.revision += 1
      return true
    },
    async removeOldCounters(id, { before }) {
      const old = [...state.counters.values()].filter(
        ({ ruleId, windowStart, parallel = 0 }) =>
          ruleId.startsWith(`${id}:`) && windowStart < before && parallel === 0,
      )
      for (const { ruleId } of old) state.counters.delete(ruleId)
      return old.length
    },
  }
}
