import { randomUUID } from 'node:crypto'
import { createLocalPrincipal, LEGACY_PRINCIPAL, type Principal, toAbsentPrincipal } from '@svc/auth'
import type { Stores } from '@svc/auth/ports'
import type { InnerCaller } from '../inference/core/inner-context.ts'
import type { Logger } from '../ports.ts'

/** Parts of {@link createCallerFinder}. */
export interface CallerFinderParts {
  /** Whether accounts are in use. */
  readonly hasAccounts: boolean
  /** Whether the server has any shared key now. */
  readonly hasSharedKeys: () => boolean
  readonly stores: Pick<Stores, 'users' | 'quotas'>
  readonly logger: Logger
}

/** Finds the callers for work that goes on without one, with the rights that they have now. */
export function createCallerFinder({ hasAccounts, hasSharedKeys, stores, logger }: CallerFinderParts) {
  async function findPrincipal(id: string, signal: AbortSignal): Promise<Principal | undefined> {
    // Without accounts and keys everybody may do everything.
    if (id === LEGACY_PRINCIPAL.id) return hasAccounts && !hasSharedKeys() ? undefined : LEGACY_PRINCIPAL
    if (!hasAccounts) return createLocalPrincipal(id)
    const user = await stores.users.findById(id, { signal })
    if (user?.status !== 'active') return undefined
    return toAbsentPrincipal(user, user.role === 'admin' ? [] : await stores.quotas.listRules(id, { signal }))
  }

  return async (id: string, { signal }: { readonly signal: AbortSignal }): Promise<InnerCaller | undefined> => {
    const principal = await findPrincipal(id, signal)
    return principal && { principal, requestId: randomUUID(), log: logger, useModel: () => undefined }
  }
}
