import { hash } from 'node:crypto'
import type { Clock } from '../../ports.ts'
import type { Principal } from '../../principal.ts'
import type { Authenticator } from './authenticate.ts'
import { type Credential, extractCredential } from './authenticate.ts'

/** An authenticator that looks credentials up elsewhere, and remembers those that were right. */
export interface CachingAuthenticator extends Authenticator {
  /** Forgets whom it knows: keys were revoked or roles changed. */
  forget(): void
}

/** What {@link createCachingAuthenticator} needs. */
export interface CachingAuthenticatorOptions {
  readonly configured: () => boolean
  /** Looks a credential up; undefined for a wrong one. */
  readonly lookUp: (credential: Credential) => Promise<Principal | undefined>
  readonly clock: Pick<Clock, 'monotonic'>
  /** Callers that are remembered; the one who came first leaves first. @default 10000 */
  readonly maxKnown?: number | undefined
  /** How long a caller is remembered, milliseconds. @default 30000 */
  readonly ttlMs?: number | undefined
}

const MAX_KNOWN = 10_000
const TTL_MS = 30_000

interface Known {
  readonly principal: Principal
  readonly until: number
}

/**
 * Known callers are told at once; others wait for the look-up, those with the same credential for one and the same. Wrong
 * credentials are never remembered: they would push the right ones out. Kept are digests, not credentials.
 */
export function createCachingAuthenticator(options: CachingAuthenticatorOptions): CachingAuthenticator {
  const { lookUp, clock, maxKnown = MAX_KNOWN, ttlMs = TTL_MS } = options
  const known = new Map<string, Known>()
  const running = new Map<string, Promise<Principal | undefined>>()
  let generation = 0

  function remember(key: string, principal: Principal): void {
    known.delete(key)
    known.set(key, { principal, until: clock.monotonic() + ttlMs })
    for (const oldest of known.keys()) {
      if (known.size <= maxKnown) return
      known.delete(oldest)
    }
  }

  async function ask(key: string, credential: Credential): Promise<Principal | undefined> {
    const asked = generation
    try {
      const principal = await lookUp(credential)
      // A look-up that began before the cache was cleared may be out of date.
      if (principal !== undefined && asked === generation) remember(key, principal)
      return principal
    } finally {
      if (asked === generation) running.delete(key)
    }
  }

  return {
    get configured() {
      return options.configured()
    },
    forget() {
      generation += 1
      known.clear()
      running.clear()
    },
    authenticate(incoming) {
      const credential = extractCredential(incoming)
      if (credential === undefined) return undefined
      const key = hash('sha256', `${credential.carrier}:${credential.value}`, 'base64')
      const found = known.get(key)
      if (found !== undefined && found.until > clock.monotonic()) return found.principal
      const before = running.get(key)
      if (before !== undefined) return before
      const asked = ask(key, credential)
      running.set(key, asked)
      return asked
    },
  }
}
