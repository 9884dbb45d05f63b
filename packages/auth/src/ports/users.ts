import type { CallOptions } from './clock.ts'

/** The rights of an account (§5.4). */
export type Role = 'admin' | 'user'

/** Only an `active` account can sign in or use its keys (§3.1). */
export type UserStatus = 'active' | 'pending' | 'disabled'

/** The provider of an account: its own password, the code host, or the OIDC issuer. */
export type Provider = 'local' | 'github' | 'oidc'

/** The models that an account may use; `enabled: false` means all. */
export interface ModelAllowList {
  readonly enabled: boolean
  readonly models: readonly string[]
}

/** An account (§2.1). */
export interface User {
  readonly id: string
  /** Lower case, without blanks at its ends. Unique among local accounts only. */
  readonly email: string
  /** Whether the provider has said that the address is verified. */
  readonly emailVerified: boolean
  readonly name: string
  readonly avatarUrl: string
  readonly provider: Provider
  /** The provider's own id of the account; of a local account its address. */
  readonly subject: string
  readonly role: Role
  readonly status: UserStatus
  /** Whether an admin or an invite let the account in. */
  readonly approved: boolean
  /** Feature switches that were set by hand; the rest have their defaults. */
  readonly features: Readonly<Record<string, boolean>>
  readonly allowedModels: ModelAllowList
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly updatedAt: number
}

/** Rules by which accounts are created (§3.1). */
export type RegistrationMode = 'open' | 'approval' | 'invite'

/** An account that asks to be let in. */
export interface Registration {
  /** The account; role, status and approval are the store's to decide by {@link decideAdmission}. */
  readonly user: Omit<User, 'role' | 'status' | 'approved'>
  /** Only of a local account. */
  readonly passwordHash: string | undefined
  readonly mode: RegistrationMode
  /** Hash of the invite code that came along. */
  readonly inviteHash: string | undefined
  /** Whether the address is that of the configured admin: then the account is an admin, and passes every gate. */
  readonly isAdmin: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** The outcome of a {@link Registration}. */
export type RegistrationOutcome =
  | { readonly kind: 'created'; readonly user: User; readonly isFirst: boolean }
  /** An account with the same provider and subject exists. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'invite-required' }
  | { readonly kind: 'invalid-invite' }

/** The outcome of a change of rights. */
export type ChangeOutcome = 'changed' | 'missing' | 'last-admin'

/** Fields that an account's profile has. */
export interface ProfileChange {
  readonly name?: string | undefined
  readonly avatarUrl?: string | undefined
}

/** Start and length of a page of a list. */
export interface Page {
  /** The entries after the one with this id. @default from the start */
  readonly after?: string | undefined
  readonly limit: number
}

/**
 * Accounts. Every method is one transaction. Methods that take rights away also raise the revision of
 * {@link RightsStore}.
 */
export interface UserStore {
  /**
   * Creates an account and consumes its invite, together or not at all. Registrations happen one after the other, so
   * that only one account is the first one, and only one uses an invite.
   */
  register(registration: Registration, options: CallOptions): Promise<RegistrationOutcome>
  findById(id: string, options: CallOptions): Promise<User | undefined>
  /** The account with the password of an address. */
  findLocal(
    email: string,
    options: CallOptions,
  ): Promise<{ readonly user: User; readonly passwordHash: string } | undefined>
  findBySubject(
    account: { readonly provider: Provider; readonly subject: string },
    options: CallOptions,
  ): Promise<User | undefined>
  /** Oldest first. */
  list(page: Page, options: CallOptions): Promise<readonly User[]>
  /**
   * Times at which accounts were seen last, milliseconds since the epoch: the latest use of a key, or begin or renewal
   * of a session. Accounts without either are absent.
   */
  readLastSeen(ids: readonly string[], options: CallOptions): Promise<ReadonlyMap<string, number>>
  hasUsers(options: CallOptions): Promise<boolean>
  setProfile(
    id: string,
    change: ProfileChange & { readonly now: number; readonly emailVerified?: boolean | undefined },
    options: CallOptions,
  ): Promise<boolean>
  /** A demotion of the last active admin is refused. */
  setRole(
    id: string,
    change: { readonly role: Role; readonly now: number },
    options: CallOptions,
  ): Promise<ChangeOutcome>
  /** `active` is an approval. Disabling the last active admin is refused. */
  setStatus(
    id: string,
    change: { readonly status: 'active' | 'disabled'; readonly now: number },
    options: CallOptions,
  ): Promise<ChangeOutcome>
  setFeatures(
    id: string,
    change: { readonly features: Readonly<Record<string, boolean>>; readonly now: number },
    options: CallOptions,
  ): Promise<boolean>
  setAllowedModels(
    id: string,
    change: { readonly allowedModels: ModelAllowList; readonly now: number },
    options: CallOptions,
  ): Promise<boolean>
  /**
   * Sets the hash of a local account and removes its sessions and known addresses.
   *
   * @param change.from the hash that must still be there
   */
  setPassword(
    id: string,
    change: { readonly passwordHash: string; readonly from?: string | undefined; readonly now: number },
    options: CallOptions,
  ): Promise<boolean>
  /** Replaces a hash by another one of the same password, if the account still has the old one. Sessions stay. */
  replacePasswordHash(
    id: string,
    change: { readonly from: string; readonly to: string },
    options: CallOptions,
  ): Promise<boolean>
  /**
   * Removes an account with its sessions, keys, invites, known addresses, quotas and usage. Invites that it has used
   * stay, without its name. Removing the last active admin is refused.
   */
  remove(id: string, options: CallOptions): Promise<ChangeOutcome>
}

/** A number that grows whenever rights were taken away, for servers that share a store. */
export interface RightsStore {
  revision(options: CallOptions): Promise<number>
  /**
   * Calls back at once when another process has raised the revision, for as long as the store is open. Absent where the
   * store cannot tell. A callback can be missing while the store is away.
   */
  listen?(onChange: () => void): Promise<void>
}
