import type { Revocation, Revocations } from '@svc/auth'
import type { Clock } from '../ports.ts'

/** Options of {@link followRights}. */
export interface RightsFollowerOptions {
  readonly revocations: Pick<Revocations, 'subscribe'>
  /** Reauthorizes every call under way that a revocation concerns. @returns whether all could be looked up */
  readonly reauthorize: (revocation: Revocation) => Promise<boolean>
  readonly clock: Pick<Clock, 'sleep'>
}

/** Brings revocations to the calls under way. */
export interface RightsFollower {
  close(): Promise<void>
}

const RETRY_MS = 500

/**
 * Reauthorizes the calls under way with each revocation. While the stores are away it tries again every half second,
 * until every call has been looked up.
 */
export function followRights({ revocations, reauthorize, clock }: RightsFollowerOptions): RightsFollower {
  const ending = new AbortController()
  const { signal } = ending
  let retrying: Promise<void> | undefined

  async function retry(): Promise<void> {
    let isDone = false
    while (!isDone && !signal.aborted) {
      await clock.sleep(RETRY_MS, { signal }).catch(() => undefined)
      if (!signal.aborted) isDone = await reauthorize({ kind: 'all' })
    }
  }

  const unsubscribe = revocations.subscribe((revocation) => {
    void reauthorize(revocation).then((isDone) => {
      if (isDone || signal.aborted) return
      retrying ??= retry().finally(() => {
        retrying = undefined
      })
    })
  })
  return {
    async close() {
      unsubscribe()
      ending.abort()
      await retrying
    },
  }
}
