import { useEffect } from 'react'
import { api, unwrap } from '../lib/api-client.ts'
import { useCapabilities } from '../lib/capabilities.ts'
import { applyChanges } from '../lib/changes.ts'
import { readConnection } from '../lib/connection.ts'
import { useSession } from '../lib/session.ts'
import { setQuietQuestion } from './heartbeat.ts'

/** Time between questions for changes on a page that polls other data; a page at rest asks at each look. */
const BUSY_MS = 25_000
/** Time between two looks at the clock. */
const STEP_MS = 500
/** A page that comes back to view asks at once, unless it did so less than this ago. */
const FRESH_MS = 5_000
const MAX_EVENTS = 200
/** The first question waits until the page has its content. */
const FIRST_MS = 5_000

/** Reads the changes of the server one after the other. */
export class ChangeReader {
  readonly #startedAt: number
  #since: string | undefined
  #seen: ReadonlySet<string> = new Set()

  /** @param startedAt when the pages began to fetch, milliseconds since 1970 by the clock of this browser */
  constructor(startedAt: number) {
    this.#startedAt = startedAt
  }

  /** Names of the changes since the last call, or since the start. @throws ApiError */
  async read(signal: AbortSignal): Promise<readonly string[]> {
    const query = {
      kind: 'administration,account',
      limit: String(MAX_EVENTS),
      ...(this.#since && { since: this.#since }),
    }
    const reply = await api.GET('/api/pii/events', { params: { query }, signal })
    const { events } = await unwrap(Promise.resolve(reply))
    const fresh = events.filter(
      ({ id, created_at: at }) => !this.#seen.has(id) && this.#isAfterStart(at, reply.response),
    )
    this.#since = events[0]?.created_at ?? this.#since
    this.#seen = new Set(events.map(({ id }) => id))
    return fresh.flatMap(({ change }) => change ?? [])
  }

  /** Compares times by the server's clock, to the second. */
  #isAfterStart(createdAt: string, { headers }: Response): boolean {
    if (this.#since !== undefined) return true
    const serverNow = Date.parse(headers.get('date') ?? '')
    const ageMs = Date.now() - this.#startedAt + 1_000
    return Number.isNaN(serverNow) || serverNow - Date.parse(createdAt) <= ageMs
  }
}

/**
 * Follows changes by admins, commands and other tabs, while the page is visible: the audit log has each change. Viewers
 * who may not read the log see changes when their lists are fetched again.
 */
export function useFollowChanges(): void {
  const { viewer } = useSession()
  const { events } = useCapabilities()
  const isFollowing = viewer.isAdmin && events
  useEffect(() => {
    if (!isFollowing) return undefined
    const ended = new AbortController()
    const reader = new ChangeReader(performance.timeOrigin)
    let askedAt = Date.now() - BUSY_MS + FIRST_MS
    let asking: Promise<void> | undefined
    const ask = (): Promise<void> => {
      askedAt = Date.now()
      asking ??= reader
        .read(ended.signal)
        // the pages say themselves that the server is away, and everything is fetched again when it is back
        .then(applyChanges, () => undefined)
        .finally(() => {
          asking = undefined
        })
      return asking
    }
    const look = (maxAgeMs: number) => {
      const isWatched = document.visibilityState === 'visible' && readConnection().state === 'online'
      if (isWatched && Date.now() - askedAt >= maxAgeMs) void ask()
    }
    const takeBack = setQuietQuestion(ask)
    const timer = setInterval(() => look(BUSY_MS), STEP_MS)
    const onVisible = () => look(FRESH_MS)
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      ended.abort()
      takeBack()
      clearInterval(timer)
      document.removeEventListener('visibilitychange', onVisible)
    }
  }, [isFollowing])
}
