import type { CallOptions } from '../ports/clock.ts'
import type { Page, User } from '../ports/users.ts'
import type { Revocations } from '../revocations.ts'
import { createLogin, type Login } from './login.ts'
import { createPasswordChanges, type PasswordChanges } from './password-changes.ts'
import { type RegistrationForm, type RegistrationOptions, type RegistrationResult, register } from './registration.ts'
import { readUser } from './stored-user.ts'
import { createUserChanges, type UserChanges } from './user-changes.ts'

/** Options of {@link createAccounts}. */
export interface AccountsOptions extends RegistrationOptions {
  readonly revocations: Revocations
}

/** Accounts (§2.1, §3.1). A change that takes rights away is published as a revocation once it is stored. */
export interface Accounts extends Login, PasswordChanges, UserChanges {
  /**
   * Registers a local account.
   *
   * @throws {AuthError} `invalid_request`
   */
  register(form: RegistrationForm, options: CallOptions): Promise<RegistrationResult>
  /** @throws {AuthError} `not_found` */
  read(id: string, options: CallOptions): Promise<User>
  /** Oldest first. */
  list(page: Page, options: CallOptions): Promise<readonly User[]>
  /** Times at which accounts were seen last, milliseconds since the epoch; accounts that were never seen are absent. */
  readLastSeen(ids: readonly string[], options: CallOptions): Promise<ReadonlyMap<string, number>>
}

/** Accounts over their store. */
export function createAccounts(options: AccountsOptions): Accounts {
  const { users } = options
  return {
    register: (form, call) => register(form, options, call),
    read: (id, call) => readUser(users, id, call),
    list: (page, call) => users.list(page, call),
    readLastSeen: (ids, call) => users.readLastSeen(ids, call),
    ...createLogin(options),
    ...createPasswordChanges(options),
    ...createUserChanges(options),
  }
}
