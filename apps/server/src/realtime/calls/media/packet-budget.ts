/** Packets of a client in a second: twenty times as many as sound has. More are dropped. */
const MAX_PACKETS = 1000
/** A client that sends so many in a second means harm. */
const FLOOD = 10_000
const WINDOW_MS = 1000

/** Bounds the work that the packets of a client make. */
export interface PacketBudget {
  /** Counts a packet. @param now milliseconds of a clock that never goes back */
  count(now: number): 'take' | 'drop' | 'flood'
}

/** Creates the budget of a call. */
export function createPacketBudget(): PacketBudget {
  let since = Number.NEGATIVE_INFINITY
  let packets = 0
  return {
    count(now) {
      if (now - since >= WINDOW_MS) {
        since = now
        packets = 0
      }
      packets++
      if (packets > FLOOD) return 'flood'
      return packets > MAX_PACKETS ? 'drop' : 'take'
    },
  }
}
