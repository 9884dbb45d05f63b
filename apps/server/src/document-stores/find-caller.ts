import { randomUUID } from 'node:crypto'
import { createLocalPrincipal, LEGACY_PRINCIPAL, type Principal, toAbsentPrincipal } from '@svc/auth'
import { readServiceId, toServicePrincipal } from '@svc/auth/access'
import type { Stores } from '@svc/auth/ports'
import type { InnerCaller } from '../inference/core/inner-context.ts'
import type { Clock, Logger } from '../ports.ts'

/** Parts of {@link createCallerFinder}. */
export interface CallerFinderParts {
  /** Whether accounts are in use. */
  readonly hasAccounts: boolean
  /** Whether the server has any shared key now. */
  readonly hasSharedKeys: () => boolean
  readonly stores: Pick<Stores, 'users' | 'quotas' | 'groups' | 'apiKeys'>
  readonly clock: Pick<Clock, 'now'>
  readonly logger: Logger
}

/** Finds the callers for work that goes on without one, with the rights that they have now. */
export function createCallerFinder({ hasAccounts, hasSharedKeys, stores, clock, logger }: CallerFinderParts) {
  async function findService(keyId: string, signal: AbortSignal): Promise<Principal | undefined> {
    const { key } = (await stores.apiKeys.findById(keyId, { signal })) ?? {}
    if (key?.userId !== undefined || key?.block !== undefined) return undefined
    const { expiresAt = Number.POSITIVE_INFINITY } = key ?? {}
    return key !== undefined && expiresAt > clock.now() ? toServicePrincipal(key) : undefined
  }

  async function findPrincipal(id: string, signal: AbortSignal): Promise<Principal | undefined> {
    // Without accounts and keys everybody may do everything.
    if (id === LEGACY_PRINCIPAL.id) return hasAccounts && !hasSharedKeys() ? undefined : LEGACY_PRINCIPAL
    if (!hasAccounts) return createLocalPrincipal(id)
    const keyId = readServiceId(id)
    if (keyId !== undefined) return findService(keyId, signal)
    const user = await stores.users.findById(id, { signal })
    if (user?.status !== 'active') return undefined
    const [quotas, groups] = await Promise.all([
      user.role === 'admin' ? [] : stores.quotas.listRules(id, { signal }),
      stores.groups.listByUser(id, { signal }),
    ])
    return toAbsentPrincipal(user, { quotas, groups })
  }

  return async (id: string, { signal }: { readonly signal: AbortSignal }): Promise<InnerCaller | undefined> => {
    const principal = await findPrincipal(id, signal)
    return principal && { principal, requestId: randomUUID(), log: logger, useModel: () => undefined }
  }
}
