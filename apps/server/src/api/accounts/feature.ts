import type { AttemptLimiter } from '@svc/auth/accounts'
import { createSignIn } from '@svc/auth/oauth'
import { createLazy } from '../../concurrency/lazy.ts'
import { createProviderFetch } from '../../outbound/provider-fetch.ts'
import type { ServerFeature } from '../../platform/feature.ts'
import type { Platform } from '../../platform/platform.ts'
import { createAttempts } from './attempts.ts'
import { countSignIns } from './count-sign-ins.ts'
import { entryRoutes } from './entry-routes.ts'
import { groupRoutes } from './group-routes.ts'
import { inviteRoutes } from './invite-routes.ts'
import { keyAdminRoutes } from './key-admin-routes.ts'
import { keyRoutes } from './key-routes.ts'
import { limitRoutes } from './limit-routes.ts'
import { logoutRoute } from './logout-route.ts'
import { ownRoutes } from './own-routes.ts'
import { createSignInProviders } from './providers.ts'
import { rightsRoutes } from './rights-routes.ts'
import type { SharedAttemptOptions } from './shared-attempts.ts'
import { signInRoutes } from './sign-in-routes.ts'
import { warnOfUnclaimedAdmin } from './unclaimed-admin.ts'
import { startUpkeep, type Upkeep } from './upkeep.ts'
import { userRoutes } from './user-routes.ts'

/** Accounts, keys, sessions, invites and the ways to sign in. */
export function accountsFeature(platform: Platform): ServerFeature {
  const { config, accounts, bodies, models, metrics, cluster, database, clock, log, ownPort } = platform
  const { auth, stores, isInUse } = accounts
  const hasPasswords = isInUse && !config.disableLocalAuth
  const { providers, names, prepare } = createSignInProviders({
    config,
    ownPort,
    clock,
    log,
    fetch: createProviderFetch(platform.outbound),
  })
  const { knownAddresses } = auth
  const limiter = cluster && createLazyLimiter({ database, clock, logger: log })
  const attempts = createAttempts({ clock, perMinute: config.authRateLimit, knownAddresses, limiter })
  const parts = { auth, bodies, attempts, isInUse, hasPasswords }
  const { email, isStrict } = { email: config.authAdminEmail ?? '', isStrict: config.adminEmailStrict }
  const signIn = createSignIn({
    users: stores.users,
    signIns: stores.signIns,
    hasher: auth.hasher,
    revocations: auth.revocations,
    clock,
    mode: config.authRegistrationMode,
    admin: email === '' ? undefined : { email, isStrict },
    onNewAdmin: accounts.onNewAdmin,
  })
  const ending = new AbortController()
  let upkeep: Upkeep | undefined
  let preparing: Promise<unknown> | undefined
  return {
    routes: [
      ...countSignIns(
        [
          ...entryRoutes({
            ...parts,
            registrationMode: config.authRegistrationMode,
            providers: [...(hasPasswords ? ['local'] : []), ...names],
            hasSharedKeys: () => auth.sharedKeys.count > 0,
            hasUsers: ({ signal }) => stores.users.hasUsers({ signal }),
          }),
          ...signInRoutes({ ...parts, signIn, signInProviders: providers, hasPages: !config.disableWebui }),
        ],
        metrics.server,
      ),
      logoutRoute({ ...parts, signInProviders: providers, stores, clock }),
      ...ownRoutes(parts),
      ...keyRoutes(parts),
      ...keyAdminRoutes(parts),
      ...userRoutes({ ...parts, documents: platform.documents, piiConversations: platform.piiConversations }),
      ...rightsRoutes({ ...parts, modelNames: () => models.list().map(({ name }) => name) }),
      ...inviteRoutes(parts),
      ...groupRoutes(parts),
      ...limitRoutes(parts),
    ],
    unready() {
      const reason = accounts.secretFault()
      return reason === undefined ? undefined : { status: 'degraded', reason }
    },
    start() {
      upkeep = startUpkeep({ auth, clock, log })
      const { signal } = ending
      preparing = Promise.allSettled([
        prepare({ signal }),
        ...(isInUse && email !== '' ? [warnOfUnclaimedAdmin({ users: stores.users, email, log }, { signal })] : []),
      ])
    },
    async close() {
      ending.abort()
      await Promise.all([upkeep?.close(), preparing])
    },
  }
}

/** Limits attempts together with other front ends. The first attempt loads the code. */
function createLazyLimiter(options: SharedAttemptOptions): AttemptLimiter {
  const { open } = createLazy(async () => {
    const { createSharedAttemptLimiter } = await import('./shared-attempts.ts')
    return createSharedAttemptLimiter(options)
  })
  return { begin: async (budgets, call) => (await open()).begin(budgets, call) }
}
