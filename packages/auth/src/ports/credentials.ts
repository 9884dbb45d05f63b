import type { CallOptions } from './clock.ts'
import type { Page, Role, User } from './users.ts'

/** The limits of a key below the rights of its owner; an absent list means no limit. */
export interface KeyScopes {
  /** Route groups, such as `chat` or `embeddings`. */
  readonly routes?: readonly string[] | undefined
  readonly models?: readonly string[] | undefined
  /** Addresses and CIDR ranges from which the key may be used. */
  readonly addresses?: readonly string[] | undefined
}

/** Why a key is not in use for now. */
export interface KeyBlock {
  /** A block of an admin is lifted by admins alone. */
  readonly by: 'owner' | 'admin'
  /** May be empty. */
  readonly reason: string
}

/** An API key of a user (§2.3) or of a service. Its value is not kept. */
export interface ApiKey {
  readonly id: string
  /** Undefined for the key of a service, which belongs to no account. */
  readonly userId: string | undefined
  readonly name: string
  /** A line for people; may be empty. */
  readonly note: string
  /** The first characters of the value, to tell keys apart. */
  readonly prefix: string
  /** The owner's role when the key was made; the key acts with the owner's current role. */
  readonly role: Role
  readonly scopes: KeyScopes
  readonly block: KeyBlock | undefined
  /** The account that made the key for somebody else; undefined for an own key, a shared key and a command. */
  readonly createdBy: string | undefined
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly expiresAt: number | undefined
  /** The latest use of either value. */
  readonly lastUsedAt: number | undefined
  /** When the key got its value; undefined for the first one. */
  readonly rotatedAt: number | undefined
  /** Until when the value before is valid, too; 0 without one. */
  readonly previousUntil: number
}

/** Names a key together with its owner, which never changes. */
export type KeyAddress = Pick<ApiKey, 'id' | 'userId'>

/** A key as it is found by a value. */
export interface FoundKey {
  readonly key: ApiKey
  /** Undefined for the key of a service. */
  readonly user: User | undefined
  /** Whether the value is the current one. If not, it is the one before, which is valid until `previousUntil`. */
  readonly isCurrent: boolean
}

/** A change of a key; absent fields stay. */
export type KeyChange = Partial<Pick<ApiKey, 'name' | 'note' | 'scopes' | 'expiresAt' | 'block'>>

/** Which keys a list has; an absent field means any. */
export interface KeyFilter {
  readonly userId?: string | undefined
  readonly isService?: boolean | undefined
  readonly isBlocked?: boolean | undefined
  /** A part of the name, the note or the prefix, in small letters or capitals. */
  readonly text?: string | undefined
}

/** API keys of users and services. */
export interface ApiKeyStore {
  /** @returns false when the account is gone, or when it or the services have `maxKeys` already */
  create(key: ApiKey & { readonly hash: string }, options: CallOptions & { readonly maxKeys: number }): Promise<boolean>
  /** A key by one of its values, with its owner; also an expired key and a value that is no longer valid. */
  findByHash(hash: string, options: CallOptions): Promise<FoundKey | undefined>
  findById(id: string, options: CallOptions): Promise<FoundKey | undefined>
  /** Newest first. */
  listByUser(userId: string, page: Page, options: CallOptions): Promise<readonly ApiKey[]>
  /** Keys of all accounts and services, newest first. */
  list(filter: KeyFilter & Page, options: CallOptions): Promise<readonly FoundKey[]>
  /**
   * Changes a key. The fields that are given are written together; the last of two changes of a field stands.
   *
   * @param options.keepsAdminBlock whether a key that an admin has blocked is left as it is. @default false
   * @returns false when there is no such key, or it is left as it is
   */
  edit(
    key: KeyAddress,
    change: KeyChange,
    options: CallOptions & { readonly keepsAdminBlock?: boolean | undefined },
  ): Promise<boolean>
  /**
   * Gives a key a new value, if it still has the one with a prefix. That one is valid until `previousUntil`, and the one
   * before it no longer: its sessions are removed.
   *
   * @returns whether it had
   */
  rotate(
    key: KeyAddress,
    change: {
      readonly from: string
      readonly to: { readonly hash: string; readonly prefix: string }
      readonly now: number
      /** 0 ends the present value at once. */
      readonly previousUntil: number
    },
    options: CallOptions,
  ): Promise<boolean>
  /**
   * Removes a key of an account or service, and the sessions that were made with it.
   *
   * @returns false when the account has no such key
   */
  remove(key: KeyAddress, options: CallOptions): Promise<boolean>
  /** Notes when keys were used; earlier times change nothing. */
  touch(uses: readonly { readonly id: string; readonly at: number }[], options: CallOptions): Promise<void>
  /** @returns how many keys that expired before `now` were removed, at most `limit` */
  removeExpired(limits: { readonly now: number; readonly limit: number }, options: CallOptions): Promise<number>
}

/** A browser session (§2.2). Its value is not kept. */
export interface Session {
  readonly id: string
  /** Absent for a session of a shared key. */
  readonly userId: string | undefined
  /** Hash of the shared key of the session: the session ends with the key. */
  readonly sharedKeyHash: string | undefined
  /** The user key that the session was made with: it has its limits and ends with it. */
  readonly apiKeyId: string | undefined
  /** The OIDC issuer's id of its own session. */
  readonly providerSession: string | undefined
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly rotatedAt: number
  readonly expiresAt: number
}

/** A session as it is found by its value. */
export interface FoundSession {
  readonly session: Session
  readonly user: User | undefined
  readonly apiKey: ApiKey | undefined
  /** Whether the value is the current one. If not, it is the one before, which is valid until `previousUntil`. */
  readonly isCurrent: boolean
  readonly previousUntil: number
}

/** Browser sessions. */
export interface SessionStore {
  /**
   * Creates a session; the oldest ones of the account give way when it has more than `maxSessions`.
   *
   * @param options.passwordHash the hash that the account must still have
   * @param options.keyHash the hash of a value that the key of the session must still have when the session begins
   * @returns false, and creates nothing, when the account or the key has another one
   */
  create(
    session: Session & { readonly hash: string },
    options: CallOptions & {
      readonly maxSessions: number
      readonly passwordHash?: string | undefined
      readonly keyHash?: string | undefined
    },
  ): Promise<boolean>
  findByHash(hash: string, options: CallOptions): Promise<FoundSession | undefined>
  findById(id: string, options: CallOptions): Promise<FoundSession | undefined>
  /** Gives a session a new value, if it still has the old one. @returns whether it had */
  rotate(
    change: {
      readonly id: string
      readonly from: string
      readonly to: string
      readonly now: number
      readonly previousUntil: number
    },
    options: CallOptions,
  ): Promise<boolean>
  remove(id: string, options: CallOptions): Promise<boolean>
  /**
   * Removes the sessions of an account but for `except`. Of that session, the value before the last rotation ends too.
   *
   * @returns how many
   */
  removeByUser(userId: string, options: CallOptions & { readonly except?: string | undefined }): Promise<number>
  /** Removes the sessions that an OIDC session has begun, of one account or of all. */
  removeByProvider(
    account: { readonly userId: string | undefined; readonly providerSession: string },
    options: CallOptions,
  ): Promise<number>
  /** @returns how many sessions that expired before `now` were removed, at most `limit` */
  removeExpired(limits: { readonly now: number; readonly limit: number }, options: CallOptions): Promise<number>
}

/** An invite (§2.5). Its code is not kept. */
export interface Invite {
  readonly id: string
  /** The first characters of the code. */
  readonly prefix: string
  /** Absent when the invite was made at the command line. */
  readonly createdBy: { readonly id: string; readonly name: string } | undefined
  /** Absent while the invite is unused, and after its user was removed. */
  readonly usedBy: { readonly id: string; readonly name: string } | undefined
  /** Milliseconds since the epoch. */
  readonly usedAt: number | undefined
  /** A note of the administrators, such as the person it is for; may be empty. */
  readonly note: string
  readonly createdAt: number
  readonly expiresAt: number
}

/** An invite to be stored. */
export interface NewInvite {
  readonly id: string
  readonly hash: string
  readonly prefix: string
  readonly note: string
  readonly createdBy: string | undefined
  readonly createdAt: number
  readonly expiresAt: number
}

/** Invites. They are consumed by {@link UserStore.register}. */
export interface InviteStore {
  create(invite: NewInvite, options: CallOptions): Promise<void>
  /** Newest first. */
  list(page: Page, options: CallOptions): Promise<readonly Invite[]>
  /** Whether an invite is there, unused and not expired. */
  isValid(invite: { readonly hash: string; readonly now: number }, options: CallOptions): Promise<boolean>
  /** Removes an unused invite. */
  revoke(id: string, options: CallOptions): Promise<'revoked' | 'used' | 'missing'>
}

/** Addresses from which accounts have signed in, as hashes. */
export interface KnownAddressStore {
  /** Notes an address. When the account has more than `maxAddresses`, its least recently used ones go. */
  note(
    use: { readonly hash: string; readonly userId: string; readonly now: number },
    options: CallOptions & { readonly maxAddresses: number },
  ): Promise<void>
  /** Whether an address was used at a time or after it. */
  isKnown(address: { readonly hash: string; readonly since: number }, options: CallOptions): Promise<boolean>
  /** @returns how many addresses that were used last before a time were removed, at most `limit` */
  removeOld(limits: { readonly before: number; readonly limit: number }, options: CallOptions): Promise<number>
}

/** Sign-ins that are under way at a provider. */
export interface SignInStore {
  /**
   * Notes a sign-in. Expired sign-ins are removed.
   *
   * @returns false when `maxRunning` are under way already
   */
  begin(
    flow: { readonly hash: string; readonly now: number; readonly expiresAt: number },
    options: CallOptions & { readonly maxRunning: number },
  ): Promise<boolean>
  /** Removes a sign-in. @returns whether it was there and has not expired: true once at most */
  consume(flow: { readonly hash: string; readonly now: number }, options: CallOptions): Promise<boolean>
}

/** Tokens that hold once, as hashes, until they expire. */
export interface UsedTokenStore {
  isUsed(token: { readonly hash: string; readonly now: number }, options: CallOptions): Promise<boolean>
  /** Notes the use of a token. Expired tokens are removed. */
  use(
    token: { readonly hash: string; readonly now: number; readonly expiresAt: number },
    options: CallOptions,
  ): Promise<void>
}
