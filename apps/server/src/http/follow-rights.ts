import type { Revocation } from '@svc/auth'
import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../ports.ts'

/** Options of {@link followRights}. */
export interface RightsFollowerOptions {
  readonly bus: Pick<Bus, 'subscribe'>
  /** Reauthorizes every call under way that a revocation concerns. @returns whether all could be looked up */
  readonly reauthorize: (revocation: Revocation) => Promise<boolean>
  /** Ends every call under way whose credential has expired. */
  readonly endExpired: () => Promise<void>
  readonly clock: Pick<Clock, 'sleep'>
}

/** Brings revocations to the calls under way. */
export interface RightsFollower {
  close(): Promise<void>
}

const RETRY_MS = 500
/** Shortest pause between two looks at everybody: rights may change many times a second. */
const PAUSE_MS = 100
/** Longest time for which an expired credential keeps a call under way. */
const EXPIRY_MS = 250

/**
 * Reauthorizes the calls under way with each revocation, and looks for expired credentials four times a second. While the
 * stores are away it tries again every half second, until every call has been looked up.
 */
export function followRights(options: RightsFollowerOptions): RightsFollower {
  const { bus, reauthorize, endExpired, clock } = options
  const ending = new AbortController()
  const { signal } = ending
  let retrying: Promise<void> | undefined
  let lookingAtAll: Promise<void> | undefined
  let isAskedAgain = false

  async function retry(): Promise<void> {
    let isDone = false
    while (!isDone && !signal.aborted) {
      await clock.sleep(RETRY_MS, { signal }).catch(() => undefined)
      if (!signal.aborted) isDone = await reauthorize({ kind: 'all' })
    }
  }

  async function watchExpiry(): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(EXPIRY_MS, { signal }).catch(() => undefined)
      if (!signal.aborted) await endExpired()
    }
  }

  async function look(revocation: Revocation): Promise<void> {
    const isDone = await reauthorize(revocation)
    if (isDone || signal.aborted) return
    retrying ??= retry().finally(() => {
      retrying = undefined
    })
  }

  /** Looks at everybody. Revocations that come while it does are one further look. */
  function lookAtAll(): void {
    if (lookingAtAll !== undefined) {
      isAskedAgain = true
      return
    }
    isAskedAgain = false
    lookingAtAll = look({ kind: 'all' })
      .then(() => clock.sleep(PAUSE_MS, { signal }).catch(() => undefined))
      .finally(() => {
        lookingAtAll = undefined
        if (isAskedAgain && !signal.aborted) lookAtAll()
      })
  }

  const watching = watchExpiry()
  const unsubscribe = bus.subscribe('rights.revoked', (revocation) => {
    if (revocation.kind === 'all') lookAtAll()
    else void look(revocation)
  })
  return {
    async close() {
      unsubscribe()
      ending.abort()
      await Promise.all([watching, retrying, lookingAtAll])
    },
  }
}
