import type { Authentication } from './authentication.ts'
import type { Clock } from './ports/clock.ts'
import { isConcerned, type Revocations } from './revocations.ts'

/** Verified credentials, by digests of their values. */
export interface VerifiedCache {
  /** Gives a fresh entry, else the result of the look-up. Calls for the same key share one look-up. */
  findOrLookUp(
    key: string,
    lookUp: () => Promise<Authentication | undefined>,
  ): Authentication | Promise<Authentication | undefined>
  /** Gives an entry that was verified at most this many milliseconds ago. */
  findWithin(key: string, ageMs: number): Authentication | undefined
  close(): void
}

interface Entry {
  readonly authentication: Authentication
  /** Start of the look-up, on the monotonic clock. */
  readonly verifiedAt: number
}

const MAX_ENTRIES = 10_000

/**
 * Remembers at most 10,000 verified credentials; the oldest ones give way. Wrong credentials are never remembered: they
 * would push the right ones out.
 */
export function createVerifiedCache(options: {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly freshMs: number
  readonly revocations: Revocations
}): VerifiedCache {
  const { clock, freshMs } = options
  const entries = new Map<string, Entry>()
  const running = new Map<string, Promise<Authentication | undefined>>()
  /** Grows with every revocation: results of a look-up that began before it are not remembered. */
  let generation = 0
  const unsubscribe = options.revocations.subscribe((revocation) => {
    generation += 1
    running.clear()
    for (const [key, entry] of entries) if (isConcerned(entry.authentication, revocation)) entries.delete(key)
  })

  function remember(key: string, entry: Entry): void {
    entries.delete(key)
    entries.set(key, entry)
    for (const oldest of entries.keys()) {
      if (entries.size <= MAX_ENTRIES) return
      entries.delete(oldest)
    }
  }

  async function ask(key: string, lookUp: () => Promise<Authentication | undefined>) {
    const [asked, verifiedAt] = [generation, clock.monotonic()]
    try {
      const authentication = await lookUp()
      if (asked !== generation) return authentication
      if (authentication === undefined) entries.delete(key)
      else remember(key, { authentication, verifiedAt })
      return authentication
    } finally {
      if (asked === generation) running.delete(key)
    }
  }

  function findWithin(key: string, ageMs: number): Authentication | undefined {
    const entry = entries.get(key)
    if (entry === undefined || clock.monotonic() - entry.verifiedAt >= ageMs) return undefined
    const { expiresAt } = entry.authentication
    return expiresAt === undefined || expiresAt > clock.now() ? entry.authentication : undefined
  }

  return {
    findWithin,
    findOrLookUp(key, lookUp) {
      const known = findWithin(key, freshMs) ?? running.get(key)
      if (known !== undefined) return known
      const asked = ask(key, lookUp)
      running.set(key, asked)
      return asked
    },
    close() {
      unsubscribe()
      entries.clear()
    },
  }
}
