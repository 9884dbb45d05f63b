import type { QuotaCounter } from '../ports/usage.ts'
import type { QuotaLedger, Reservation } from './apply-work.ts'

/** Counters and reservations in memory. */
export interface QuotaCounts {
  /** By rule. */
  readonly counters: Map<string, QuotaCounter>
  /** By request. */
  readonly reservations: Map<string, readonly Reservation[]>
}

/**
 * The rule that a counter belongs to. Counters of a limit for "each" have the id of the limit, a colon and the id of the
 * one that is counted.
 */
export function toRuleId(counterId: string): string {
  const colon = counterId.indexOf(':')
  return colon < 0 ? counterId : counterId.slice(0, colon)
}

/** Forgets the counters and the reservations of a rule or a limit. @returns the ids of its counters */
export function dropRule({ counters, reservations }: QuotaCounts, ruleId: string): readonly string[] {
  const dropped = [...counters.keys()].filter((id) => toRuleId(id) === ruleId)
  for (const id of dropped) counters.delete(id)
  for (const [id, held] of reservations) {
    const kept = held.filter((one) => toRuleId(one.ruleId) !== ruleId)
    if (kept.length === 0) reservations.delete(id)
    else if (kept.length < held.length) reservations.set(id, kept)
  }
  return dropped
}

/** A ledger for the only process that counts. @param onWrite takes the counters that have changed */
export function createMemoryLedger(
  { counters, reservations }: QuotaCounts,
  onWrite: (counters: readonly QuotaCounter[]) => void,
): QuotaLedger {
  return {
    lockCounters: async (rules) => rules.flatMap(({ id }) => counters.get(id) ?? []),
    takeReservations: async (ids) =>
      ids.flatMap((id) => {
        const taken = reservations.get(id) ?? []
        reservations.delete(id)
        return taken
      }),
    async takeExpired(ruleIds, now) {
      const asked = new Set(ruleIds)
      const taken: Reservation[] = []
      for (const [id, held] of reservations) {
        const expired = held.filter(({ ruleId, expiresAt }) => expiresAt <= now && asked.has(ruleId))
        if (expired.length === 0) continue
        taken.push(...expired)
        const kept = held.filter((one) => !expired.includes(one))
        if (kept.length === 0) reservations.delete(id)
        else reservations.set(id, kept)
      }
      return taken
    },
    async putReservations(made) {
      for (const one of made) reservations.set(one.id, [...(reservations.get(one.id) ?? []), one])
    },
    writeCounters: async (changed) => onWrite(changed),
  }
}
