/** Bounds the exchanges that others begin. */
export interface ExchangeLimit {
  /** Admits an exchange of a member. @returns a function that ends it; undefined for one too many */
  begin(id: string, now: number): (() => void) | undefined
}

const MAX_RUNNING = 64
/** Most exchanges of a member at the same time, and within a period. */
const MAX_OF_MEMBER = 2
const MAX_IN_PERIOD = 100
const PERIOD_MS = 10_000

/** Creates a limit with nothing running. */
export function createExchangeLimit(): ExchangeLimit {
  const running = new Map<string, number>()
  /** Begun in this period. */
  const begun = new Map<string, number>()
  let total = 0
  let endsAt = 0

  return {
    begin(id, now) {
      if (now >= endsAt) {
        begun.clear()
        endsAt = now + PERIOD_MS
      }
      const own = running.get(id) ?? 0
      const count = begun.get(id) ?? 0
      if (total >= MAX_RUNNING || own >= MAX_OF_MEMBER || count >= MAX_IN_PERIOD) return undefined
      total += 1
      running.set(id, own + 1)
      begun.set(id, count + 1)
      return () => {
        total -= 1
        const left = (running.get(id) ?? 1) - 1
        if (left === 0) running.delete(id)
        else running.set(id, left)
      }
    },
  }
}
