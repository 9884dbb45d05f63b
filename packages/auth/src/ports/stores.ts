import type {
  ApiKeyStore,
  InviteStore,
  KnownAddressStore,
  SessionStore,
  SignInStore,
  UsedTokenStore,
} from './credentials.ts'
import type { GroupStore } from './groups.ts'
import type { LimitStore } from './limits.ts'
import type { QuotaStore, UsageStore } from './usage.ts'
import type { RightsStore, UserStore } from './users.ts'

/** All stores of one place. */
export interface Stores {
  readonly users: UserStore
  readonly rights: RightsStore
  readonly sessions: SessionStore
  readonly apiKeys: ApiKeyStore
  readonly invites: InviteStore
  readonly signIns: SignInStore
  readonly usedTokens: UsedTokenStore
  readonly knownAddresses: KnownAddressStore
  readonly usage: UsageStore
  readonly quotas: QuotaStore
  readonly groups: GroupStore
  readonly limits: LimitStore
}
