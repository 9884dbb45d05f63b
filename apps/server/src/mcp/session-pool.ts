import { SvcError } from '@svc/errors'
import { untilAborted } from '../concurrency/until-aborted.ts'
import type { Clock } from '../ports.ts'
import { callCancelled, serverFailed } from './failures.ts'
import type { Session } from './session.ts'

/** A session that a request may use until it gives it back. */
export interface Lease {
  readonly session: Session
  /** Gives the session back. A second call does nothing. */
  release(): void
}

/** What a session is for. */
export interface SessionKey {
  /** Sessions of one group end together. */
  readonly group: string
  /** Stands for the settings of the server: another one is another session. */
  readonly id: string
  readonly server: string
}

/** Keeps sessions open between requests, and lets requests share them. */
export interface SessionPool {
  /**
   * Leases a session; opens one where there is none. The opening goes on when the caller leaves.
   *
   * @throws {SvcError} `unavailable` where too many are open, and after repeated failures; those of `open`
   */
  lease(key: SessionKey, open: (signal: AbortSignal) => Promise<Session>, signal: AbortSignal): Promise<Lease>
  /** Ends the sessions of a group whose ids are not listed, once nobody uses them. */
  retire(group: string, keptIds?: ReadonlySet<string>): void
  /** Number of sessions that are open or being opened. */
  readonly size: number
  /** Ends all sessions. */
  close(): Promise<void>
}

/** Options of {@link createSessionPool}. */
export interface PoolOptions {
  readonly maxSessions: number
  readonly idleMs: number
  readonly clock: Clock
}

/** Time that a session must live for its end to count as the first one. */
const STABLE_MS = 60_000
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 60_000
/** Maximum number of servers whose failures are remembered. */
const MAX_TROUBLES = 1000

interface Entry {
  readonly key: SessionKey
  readonly opening: Promise<Session>
  /** Ends the opening. */
  readonly cut: AbortController
  session: Session | undefined
  leases: number
  usedAt: number
  isRetired: boolean
  readonly idle: { timer: AbortController | undefined }
}

interface Trouble {
  readonly failures: number
  /** Monotonic milliseconds of the next attempt. */
  readonly until: number
}

/** Creates an empty pool. */
export function createSessionPool({ maxSessions, idleMs, clock }: PoolOptions): SessionPool {
  const entries = new Map<string, Entry>()
  const ending = new Set<Promise<void>>()
  const troubles = new Map<string, Trouble>()
  let isClosed = false

  function start(key: SessionKey, open: (signal: AbortSignal) => Promise<Session>): Entry {
    if (isClosed) throw new SvcError('unavailable', 'the server is stopping', { code: 'shutting_down' })
    refuseTooSoon(key)
    makeRoom()
    const startedAt = clock.monotonic()
    const cut = new AbortController()
    const opening = open(cut.signal)
    const entry: Entry = {
      key,
      opening,
      cut,
      session: undefined,
      leases: 0,
      usedAt: startedAt,
      isRetired: false,
      idle: { timer: undefined },
    }
    entries.set(key.id, entry)
    opening.then(
      (session) => {
        entry.session = session
        const openedAt = clock.monotonic()
        session.onEnd(() => onEnd(entry, openedAt))
        if (session.failure() !== undefined) onEnd(entry, openedAt)
        else whenIdle(entry)
      },
      () => {
        forget(entry)
        if (!cut.signal.aborted) noteTrouble(key.id, startedAt)
      },
    )
    return entry
  }

  function onEnd(entry: Entry, openedAt: number): void {
    if (entries.get(entry.key.id) !== entry) return
    forget(entry)
    noteTrouble(entry.key.id, openedAt)
  }

  function forget(entry: Entry): void {
    entry.idle.timer?.abort()
    if (entries.get(entry.key.id) === entry) entries.delete(entry.key.id)
  }

  function end(entry: Entry): void {
    forget(entry)
    entry.cut.abort(
      new SvcError('unavailable', 'the session was closed during its start', { code: 'mcp_session_closed' }),
    )
    const closed = entry.opening
      .then((session) => session.close())
      .catch(() => undefined)
      .finally(() => ending.delete(closed))
    ending.add(closed)
  }

  function whenIdle(entry: Entry): void {
    if (entry.leases > 0 || entry.session === undefined) return
    if (entry.isRetired || isClosed) {
      end(entry)
      return
    }
    entry.usedAt = clock.monotonic()
    entry.idle.timer?.abort()
    const timer = new AbortController()
    entry.idle.timer = timer
    clock.sleep(idleMs, { signal: timer.signal }).then(
      () => end(entry),
      () => undefined,
    )
  }

  function makeRoom(): void {
    if (entries.size < maxSessions) return
    const free = [...entries.values()].filter(({ leases, session }) => leases === 0 && session !== undefined)
    const oldest = free.sort((a, b) => a.usedAt - b.usedAt)[0]
    if (oldest === undefined) {
      throw new SvcError('unavailable', `no more than ${maxSessions} sessions of MCP servers can be open`, {
        code: 'mcp_sessions',
        retryAfterMs: 1000,
      })
    }
    end(oldest)
  }

  function noteTrouble(id: string, since: number): void {
    const now = clock.monotonic()
    const failures = now - since >= STABLE_MS ? 1 : (troubles.get(id)?.failures ?? 0) + 1
    // The first failure costs no pause.
    const pause = failures === 1 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (failures - 2), LONGEST_PAUSE_MS)
    troubles.delete(id)
    troubles.set(id, { failures, until: now + pause })
    const [first] = troubles.keys()
    if (troubles.size > MAX_TROUBLES && first !== undefined) troubles.delete(first)
  }

  function refuseTooSoon({ id, server }: SessionKey): void {
    const left = (troubles.get(id)?.until ?? 0) - clock.monotonic()
    if (left <= 0) return
    const seconds = Math.ceil(left / 1000)
    const { kind, message } = serverFailed(server, `has failed repeatedly; it is tried again in ${seconds} s`)
    throw new SvcError(kind, message, { code: 'mcp_server_paused', retryAfterMs: left })
  }

  function toLease(entry: Entry, session: Session): Lease {
    let isReleased = false
    return {
      session,
      release() {
        if (isReleased) return
        isReleased = true
        entry.leases -= 1
        if (entries.get(entry.key.id) === entry) whenIdle(entry)
      },
    }
  }

  return {
    get size() {
      return entries.size
    },
    async lease(key, open, signal) {
      const entry = entries.get(key.id) ?? start(key, open)
      entry.leases += 1
      entry.isRetired = false
      entry.idle.timer?.abort()
      try {
        const session = await untilAborted(entry.opening, signal)
        return toLease(entry, session)
      } catch (error) {
        entry.leases -= 1
        whenIdle(entry)
        throw signal.aborted ? callCancelled(signal) : error
      }
    },
    retire(group, keptIds = new Set()) {
      for (const entry of [...entries.values()]) {
        if (entry.key.group !== group || keptIds.has(entry.key.id)) continue
        entry.isRetired = true
        troubles.delete(entry.key.id)
        whenIdle(entry)
      }
    },
    async close() {
      isClosed = true
      for (const entry of [...entries.values()]) end(entry)
      await Promise.all(ending)
    },
  }
}
