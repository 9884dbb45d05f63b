import type { Principal } from '@svc/auth'
import { SvcError } from '@svc/errors'
import { ByteBudget } from '../http/byte-meter.ts'
import type { SessionMemory } from './session/session-memory.ts'

/** Bounds of all sessions of a process. */
export interface RoomLimits {
  /** Sessions at once. */
  readonly total: number
  /** Sessions of one account at once; 0 = no bound of its own. */
  readonly perAccount: number
}

/** A place of a session. */
export interface Room {
  readonly memory: SessionMemory
  /** Gives the place back; a second time does nothing. */
  leave(): void
}

/** The places of the sessions of a process. */
export interface Rooms {
  readonly open: number
  /** @throws {SvcError} `rate_limited` (`too_many_sessions`) for an account, `unavailable` for the process */
  enter(principal: Principal): Room
}

/** Heard sound, conversations and settings of all sessions together, bytes. */
const MAX_BYTES = 512 * 1024 * 1024

/** Creates the places. @param limits are read at each entry */
export function createRooms(limits: () => RoomLimits): Rooms {
  const budget = new ByteBudget(MAX_BYTES)
  const byAccount = new Map<string, number>()
  let open = 0

  return {
    get open() {
      return open
    },
    enter({ kind, id }) {
      const { total, perAccount } = limits()
      const own = byAccount.get(id) ?? 0
      if (open >= total) throw full()
      // shared keys and a server without accounts stand for many
      if ((kind === 'user' || kind === 'service') && perAccount > 0 && own >= perAccount) throw tooMany(perAccount)
      open += 1
      byAccount.set(id, own + 1)
      const counted = budget.open()
      let isHere = true
      return {
        memory: {
          // work that ends after its session holds nothing any more
          add: (bytes) => !isHere || counted.add(bytes),
          subtract: (bytes) => counted.subtract(bytes),
        },
        leave() {
          if (!isHere) return
          isHere = false
          open -= 1
          counted.release()
          const left = (byAccount.get(id) ?? 1) - 1
          if (left === 0) byAccount.delete(id)
          else byAccount.set(id, left)
        },
      }
    },
  }
}

function full(): SvcError {
  return new SvcError('unavailable', 'too many realtime sessions are open; retry shortly', {
    code: 'too_many_sessions',
    retryAfterMs: 5000,
  })
}

function tooMany(count: number): SvcError {
  return new SvcError('rate_limited', `an account has at most ${count} realtime sessions at once`, {
    code: 'too_many_sessions',
    retryAfterMs: 5000,
  })
}
