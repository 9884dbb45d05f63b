import { SvcError } from '@svc/errors'
import type { Clock } from '../ports.ts'
import type { OpenSession } from './session-entries.ts'
import type { SessionKey } from './session-key.ts'
import { createSessionPool, type Lease } from './session-pool.ts'

/** A session that one request opens, with the address and the token of its caller. */
export interface NamedSession {
  readonly key: SessionKey
  readonly open: OpenSession
}

/** The sessions of servers that requests name. They take no room from the servers of models, nor from other callers. */
export interface NamedSessions {
  /** Leases a session, which ends once it is given back. @throws {SvcError} `rate_limited`; as a lease of the pool */
  lease(caller: string, session: NamedSession, signal: AbortSignal): Promise<Lease>
  /** Number of sessions that are open or being opened. */
  readonly size: number
  /** Ends all sessions. */
  close(): Promise<void>
}

/** Options of {@link createNamedSessions}. */
export interface NamedSessionsOptions {
  readonly maxSessions: number
  readonly maxOfCaller: number
  readonly clock: Clock
}

/** Creates the sessions. */
export function createNamedSessions({ maxSessions, maxOfCaller, clock }: NamedSessionsOptions): NamedSessions {
  const pool = createSessionPool({ maxSessions, idleMs: 0, clock })
  /** Leases by caller. */
  const counts = new Map<string, number>()

  function giveBack(caller: string): void {
    const left = (counts.get(caller) ?? 0) - 1
    if (left > 0) counts.set(caller, left)
    else counts.delete(caller)
  }
  return {
    async lease(caller, { key, open }, signal) {
      const count = counts.get(caller) ?? 0
      if (count >= maxOfCaller) throw tooMany(maxOfCaller)
      counts.set(caller, count + 1)
      // Nobody else waits for the opening.
      const openOrLeave: OpenSession = (cut) => open(AbortSignal.any([cut, signal]))
      const held = await pool.lease(key, openOrLeave, signal).catch((error: unknown) => {
        giveBack(caller)
        pool.retire(key.group)
        throw error
      })
      let isHeld = true
      return {
        session: held.session,
        release() {
          if (!isHeld) return
          isHeld = false
          giveBack(caller)
          held.release()
          pool.retire(key.group)
        },
      }
    },
    get size() {
      return pool.size
    },
    close: () => pool.close(),
  }
}

function tooMany(max: number): SvcError {
  return new SvcError('rate_limited', `requests of one caller can use no more than ${max} MCP servers at a time`, {
    code: 'mcp_sessions',
    retryAfterMs: 1000,
  })
}
