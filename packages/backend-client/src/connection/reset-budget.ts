/** Half of a Node server's limit of broken-off calls, beyond which it closes the connection: 1000, then 33 a second. */
const BURST = 500
const PER_SECOND = 16

/** Number of calls that one connection may still break off. */
export interface ResetBudget {
  /** Takes one; false when there are none left. */
  spend(nowMs: number): boolean
}

/**
 * A full budget. HTTP/2 servers take many broken-off calls on one connection for an attack, and close the connection
 * with every other call on it. A host whose users often leave looks the same.
 */
export function createResetBudget(nowMs: number): ResetBudget {
  let left = BURST
  let at = nowMs
  return {
    spend(now) {
      left = Math.min(BURST, left + ((now - at) / 1000) * PER_SECOND) - 1
      at = now
      return left >= 0
    },
  }
}
