import type { Revocations } from '@svc/auth'
import type { Bus } from '../bus/bus.ts'
import type { Logger } from '../ports.ts'

/**
 * Joins the revocations of the accounts with the bus: the server's own ones are published, those of others reach the
 * caches of the accounts before any listener of the bus.
 *
 * @returns ends this
 */
export function joinRevocations(
  revocations: Revocations,
  { bus, logger }: { readonly bus: Pick<Bus, 'publish' | 'refreshWith'>; readonly logger: Logger },
): () => void {
  let isForeign = false
  const unsubscribe = revocations.subscribe((revocation) => {
    if (!isForeign) bus.publish('rights.revoked', revocation)
  })
  const endRefresh = bus.refreshWith('rights.revoked', (revocation) => {
    isForeign = true
    try {
      revocations.publish(revocation)
    } catch (error) {
      logger.error({ err: error }, 'a part of the accounts could not take a revocation')
    } finally {
      isForeign = false
    }
    return revocation
  })
  return () => {
    unsubscribe()
    endRefresh()
  }
}
