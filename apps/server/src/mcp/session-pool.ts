import { untilAborted } from '../concurrency/until-aborted.ts'
import { callCancelled } from './failures.ts'
import type { Session } from './session.ts'
import { createSessionEntries, type EntryOptions, type OpenSession } from './session-entries.ts'
import type { SessionKey } from './session-key.ts'

/** A session that a request may use until it gives it back. */
export interface Lease {
  readonly session: Session
  /** Gives the session back. A second call does nothing. */
  release(): void
}

/** Keeps sessions open between requests, and lets requests share them. */
export interface SessionPool {
  /**
   * Leases a session; opens one where there is none. The opening goes on when the caller leaves.
   *
   * @throws {SvcError} `unavailable` where too many are open, `mcp_server_paused`; those of `open`
   */
  lease(key: SessionKey, open: OpenSession, signal: AbortSignal): Promise<Lease>
  /** Ends the sessions of a group whose ids are not listed, once nobody uses them. */
  retire(group: string, keptIds?: ReadonlySet<string>): void
  /** Number of sessions that are open or being opened. */
  readonly size: number
  /** Ends all sessions. */
  close(): Promise<void>
}

/** Creates an empty pool. */
export function createSessionPool(options: EntryOptions): SessionPool {
  const entries = createSessionEntries(options)
  return {
    get size() {
      return entries.size
    },
    async lease(key, open, signal) {
      const entry = entries.take(key, open)
      entry.leases += 1
      entry.isRetired = false
      entry.idle?.abort()
      const release = once(() => {
        entry.leases -= 1
        entries.endWhenIdle(entry)
      })
      try {
        return { session: await untilAborted(entry.opening, signal), release }
      } catch (error) {
        release()
        throw signal.aborted ? callCancelled(signal) : error
      }
    },
    retire: (group, keptIds = new Set()) => entries.retire(group, keptIds),
    close: () => entries.close(),
  }
}

function once(act: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) act()
    isDone = true
  }
}
