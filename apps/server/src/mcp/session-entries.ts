import { SvcError } from '@svc/errors'
import type { Clock } from '../ports.ts'
import { createPauses } from './pauses.ts'
import type { Session } from './session.ts'
import type { SessionKey } from './session-key.ts'

/** Opens a session; an abort ends the opening. */
export type OpenSession = (signal: AbortSignal) => Promise<Session>

/** Options of {@link createSessionEntries}. */
export interface EntryOptions {
  readonly maxSessions: number
  readonly idleMs: number
  readonly clock: Clock
}

/** A session of the pool. */
export interface Entry {
  readonly key: SessionKey
  readonly opening: Promise<Session>
  /** Ends the opening. */
  readonly cut: AbortController
  session: Session | undefined
  leases: number
  /** Monotonic milliseconds of the start, and of the opening once it is open. */
  since: number
  /** Monotonic milliseconds of the last use. */
  usedAt: number
  isRetired: boolean
  /** Ends the wait for the end of an unused session. */
  idle: AbortController | undefined
}

/** The open sessions, with the ends that nobody waits for. */
export interface SessionEntries {
  readonly size: number
  /** Gives the entry of a session; starts it where there is none that lives. @throws {SvcError} as a lease */
  take(key: SessionKey, open: OpenSession): Entry
  /** Ends an entry that nobody uses: at once where it is retired, else after the idle time. */
  endWhenIdle(entry: Entry): void
  /** Ends the sessions of a group but the named ones, each once nobody uses it, and forgets the failures of the group. */
  retire(group: string, keptIds: ReadonlySet<string>): void
  /** Ends all sessions. */
  close(): Promise<void>
}

/** Creates an empty list. */
export function createSessionEntries({ maxSessions, idleMs, clock }: EntryOptions): SessionEntries {
  const entries = new Map<string, Entry>()
  const ending = new Set<Promise<void>>()
  const pauses = createPauses(clock)
  let isClosed = false

  const isCurrent = (entry: Entry): boolean => entries.get(entry.key.id) === entry

  function forget(entry: Entry): void {
    entry.idle?.abort()
    if (isCurrent(entry)) entries.delete(entry.key.id)
  }

  function end(entry: Entry): void {
    forget(entry)
    entry.cut.abort(closedEarly())
    const closed = closeOpened(entry.opening).finally(() => ending.delete(closed))
    ending.add(closed)
  }

  function endWhenIdle(entry: Entry): void {
    if (entry.leases > 0 || entry.session === undefined || !isCurrent(entry)) return
    if (entry.isRetired || isClosed) {
      end(entry)
      return
    }
    waitUnused(entry, { idleMs, clock }).then(
      () => end(entry),
      () => undefined,
    )
  }

  function makeRoom(): void {
    if (entries.size >= maxSessions) end(findLongestUnused([...entries.values()]) ?? refuseMore(maxSessions))
  }

  function start(key: SessionKey, open: OpenSession): Entry {
    if (isClosed) throw closedEarly()
    pauses.check(key)
    makeRoom()
    const now = clock.monotonic()
    const cut = new AbortController()
    const opening = open(cut.signal)
    const entry = toEntry({ key, opening, cut, since: now, usedAt: now })
    entries.set(key.id, entry)
    opening.then(
      (session) => follow(entry, session),
      (error: unknown) => (isWaiting(error) ? forget(entry) : onEnd(entry)),
    )
    return entry
  }

  function follow(entry: Entry, session: Session): void {
    entry.since = clock.monotonic()
    entry.session = session
    session.onEnd(() => onEnd(entry))
    if (session.failure() === undefined) endWhenIdle(entry)
    else onEnd(entry)
  }

  /** Gives the entry of a session that lives or opens. A session has failed some time before it has ended. */
  function findLiving({ id }: SessionKey): Entry | undefined {
    const entry = entries.get(id)
    if (entry?.session?.failure() === undefined) return entry
    onEnd(entry)
    return undefined
  }

  /** Notes an end that the pool did not ask for. */
  function onEnd(entry: Entry): void {
    if (!isCurrent(entry)) return
    forget(entry)
    pauses.note(entry.key, entry.since)
  }

  return {
    get size() {
      return entries.size
    },
    take: (key, open) => findLiving(key) ?? start(key, open),
    endWhenIdle,
    retire(group, keptIds) {
      pauses.forget(group)
      for (const entry of [...entries.values()]) {
        if (entry.key.group !== group || keptIds.has(entry.key.id)) continue
        entry.isRetired = true
        endWhenIdle(entry)
      }
    },
    async close() {
      isClosed = true
      for (const entry of [...entries.values()]) end(entry)
      await Promise.all(ending)
    },
  }
}

/** Waits for the idle time of an entry. @throws when it is used before */
function waitUnused(entry: Entry, { idleMs, clock }: Pick<EntryOptions, 'idleMs' | 'clock'>): Promise<void> {
  entry.usedAt = clock.monotonic()
  entry.idle?.abort()
  entry.idle = new AbortController()
  return clock.sleep(idleMs, { signal: entry.idle.signal })
}

function findLongestUnused(entries: readonly Entry[]): Entry | undefined {
  const free = entries.filter(({ leases, session }) => leases === 0 && session !== undefined)
  return free.sort((a, b) => a.usedAt - b.usedAt)[0]
}

/** Whether a person has to act first; nothing was tried then. */
function isWaiting(error: unknown): boolean {
  return SvcError.is(error) && error.code === 'mcp_sign_in_needed'
}

function toEntry(made: Pick<Entry, 'key' | 'opening' | 'cut' | 'since' | 'usedAt'>): Entry {
  return { ...made, session: undefined, leases: 0, isRetired: false, idle: undefined }
}

async function closeOpened(opening: Promise<Session>): Promise<void> {
  const session = await opening.catch(() => undefined)
  await session?.close()
}

function closedEarly(): SvcError {
  return new SvcError('unavailable', 'the session was closed during its start', { code: 'mcp_session_closed' })
}

function refuseMore(maxSessions: number): never {
  throw new SvcError('unavailable', `no more than ${maxSessions} sessions of MCP servers can be open`, {
    code: 'mcp_sessions',
    retryAfterMs: 1000,
  })
}
