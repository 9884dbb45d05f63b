import {
  createApiKeys,
  createAuthenticator,
  createLastUse,
  createRevocations,
  createSessions,
  createSharedKeys,
  createTokenHasher,
  type RequestHeaders,
} from '@svc/auth'
import { type AdminEmail, createAccounts, createInvites, createPasswords, type Passwords } from '@svc/auth/accounts'
import { createMemoryStores } from '@svc/auth/memory'
import type { RegistrationMode, Stores, User } from '@svc/auth/ports'
import { createFakeClock } from '@svc/test-kit'
import { addUser, call } from './world.ts'

/** Options of {@link createServices}. */
export interface ServicesOptions {
  readonly stores?: Stores
  readonly mode?: RegistrationMode
  readonly admin?: AdminEmail
  readonly onNewAdmin?: (user: User) => void
  readonly sharedKeys?: readonly string[]
  readonly hasAccounts?: boolean
  readonly outageGraceMs?: number
  readonly passwords?: Passwords
}

/** The secret of all worlds. */
const SECRET = 'a secret of more than thirty-two characters'

/** All services over one set of stores. */
export function createServices(options: ServicesOptions = {}) {
  const { stores = createMemoryStores(), mode = 'open', admin, onNewAdmin, passwords = createPasswords() } = options
  const clock = createFakeClock()
  const hasher = createTokenHasher(SECRET)
  const revocations = createRevocations()
  const sharedKeys = createSharedKeys(options.sharedKeys)
  const lastUse = createLastUse({ store: stores.apiKeys, clock })
  const authenticator = createAuthenticator({
    sessions: stores.sessions,
    apiKeys: stores.apiKeys,
    quotas: stores.quotas,
    hasher,
    sharedKeys,
    revocations,
    lastUse,
    clock,
    hasAccounts: options.hasAccounts ?? true,
    outageGraceMs: options.outageGraceMs,
  })
  const { users, invites } = stores
  return {
    stores,
    clock,
    hasher,
    revocations,
    sharedKeys,
    lastUse,
    authenticator,
    sessions: createSessions({ store: stores.sessions, hasher, revocations, clock }),
    apiKeys: createApiKeys({ store: stores.apiKeys, hasher, revocations, clock }),
    invites: createInvites({ store: invites, hasher, clock }),
    accounts: createAccounts({ users, invites, hasher, passwords, clock, mode, revocations, admin, onNewAdmin }),
    authenticate: async (headers: RequestHeaders) => authenticator.authenticate(headers),
    /** An account with a key and a session. */
    async addMember(email: string, changes: Parameters<typeof addUser>[2] = {}) {
      const user: User = await addUser(stores, email, changes)
      const session = await this.sessions.begin({ userId: user.id }, call)
      const { key, value } = await this.apiKeys.createFor(user, { name: 'laptop' }, call)
      return { user, session, key, value }
    },
  }
}
