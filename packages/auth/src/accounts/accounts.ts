import { isFeature } from '../access/features.ts'
import { isAvatarUrl, MAX_AVATAR_LENGTH } from '../avatar.ts'
import { checkName, checkNames, checkText } from '../check-text.ts'
import { AuthError, invalidValue, missing, wrongLogin } from '../errors.ts'
import type { CallOptions } from '../ports/clock.ts'
import type { ChangeOutcome, ModelAllowList, Page, ProfileChange, User } from '../ports/users.ts'
import type { Revocations } from '../revocations.ts'
import { isConfiguredAdmin } from './admin-email.ts'
import { normalizeEmail } from './email.ts'
import { type RegistrationForm, type RegistrationOptions, type RegistrationResult, register } from './registration.ts'

/** What {@link createAccounts} needs. */
export interface AccountsOptions extends RegistrationOptions {
  readonly revocations: Revocations
}

/** A new password as a form has it. */
export interface PasswordChange {
  readonly password: unknown
  readonly acknowledgesWeakPassword?: boolean | undefined
}

/** What somebody signs in with. */
export interface LoginForm {
  readonly email: unknown
  readonly password: unknown
  /** Whether the account has signed in from the address before: strangers cannot keep it waiting. @default false */
  readonly isFromKnownAddress?: boolean | undefined
}

/** An account that has proved its password. */
export interface ProvenUser extends User {
  /** Of the password that was proved, for the session that it begins. Never shown to anybody. */
  readonly passwordHash: string
}

/** Accounts (§2.1, §3.1). Whatever takes rights away is published as a revocation once it is stored. */
export interface Accounts {
  /**
   * Registers a local account.
   *
   * @throws {AuthError} `invalid_request`
   */
  register(form: RegistrationForm, options: CallOptions): Promise<RegistrationResult>
  /**
   * The account of an address and a password; promotes the configured admin.
   *
   * @throws {AuthError} `unauthenticated`, the same for unknown addresses and wrong passwords; `forbidden` for an
   *   account that waits or is disabled
   */
  login(form: LoginForm, options: CallOptions): Promise<ProvenUser>
  /** @throws {AuthError} `not_found` */
  read(id: string, options: CallOptions): Promise<User>
  /** Oldest first. */
  list(page: Page, options: CallOptions): Promise<readonly User[]>
  /** When accounts were seen last, in milliseconds since the epoch; accounts that were never seen are absent. */
  readLastSeen(ids: readonly string[], options: CallOptions): Promise<ReadonlyMap<string, number>>
  /** Changes name and picture, and nothing else of what the form holds. */
  setProfile(
    id: string,
    form: { readonly name?: unknown; readonly avatarUrl?: unknown },
    options: CallOptions,
  ): Promise<User>
  /**
   * Changes the own password of a local account and ends all its sessions.
   *
   * @throws {AuthError} `unauthenticated` for a wrong current password
   */
  changePassword(
    id: string,
    form: PasswordChange & { readonly currentPassword: unknown },
    options: CallOptions,
  ): Promise<ProvenUser>
  /** Sets the password of another local account and ends all its sessions. @param actorId absent at the command line */
  resetPassword(
    id: string,
    form: PasswordChange & { readonly actorId: string | undefined },
    options: CallOptions,
  ): Promise<void>
  setRole(
    id: string,
    change: { readonly role: unknown; readonly actorId: string | undefined },
    options: CallOptions,
  ): Promise<void>
  /** `active` lets a waiting account in, or a disabled one again. */
  setStatus(
    id: string,
    change: { readonly status: unknown; readonly actorId: string | undefined },
    options: CallOptions,
  ): Promise<void>
  setFeatures(id: string, features: unknown, options: CallOptions): Promise<Readonly<Record<string, boolean>>>
  setAllowedModels(id: string, allowList: unknown, options: CallOptions): Promise<ModelAllowList>
  remove(id: string, change: { readonly actorId: string | undefined }, options: CallOptions): Promise<void>
}

const MAX_NAME_LENGTH = 200
/** Longer input is no password of anybody, and is not worth a hash. */
const MAX_PASSWORD_INPUT = 1024

const userMissing = (): AuthError => missing('user not found')

/** The error of an account that may not sign in. */
export function inactiveAccount(user: User, pendingMessage = 'account pending admin approval'): AuthError {
  return user.status === 'pending'
    ? new AuthError('forbidden', pendingMessage, { code: 'account_pending' })
    : new AuthError('forbidden', 'account disabled', { code: 'account_disabled' })
}

function checkOutcome(outcome: ChangeOutcome): void {
  if (outcome === 'missing') throw userMissing()
  if (outcome === 'last-admin') throw new AuthError('conflict', 'the last admin must stay one', { code: 'last_admin' })
}

function readProfile({ name, avatarUrl }: { readonly name?: unknown; readonly avatarUrl?: unknown }): ProfileChange {
  return {
    name: checkName(name, { name: 'name', maxLength: MAX_NAME_LENGTH }),
    ...(avatarUrl === undefined ? {} : { avatarUrl: readAvatarUrl(avatarUrl) }),
  }
}

function readAvatarUrl(value: unknown): string {
  const text = checkText(value, { name: 'avatar_url', maxLength: MAX_AVATAR_LENGTH, isOptional: true })
  if (text !== '' && !isAvatarUrl(text)) throw invalidValue('avatar_url must be an https address')
  return text
}

function readFeatures(value: unknown): Readonly<Record<string, boolean>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidValue('permissions must be an object of switches')
  return Object.fromEntries(
    Object.entries(value).map(([key, isOn]: [string, unknown]) => {
      if (!isFeature(key)) throw invalidValue('permissions name an unknown feature')
      if (typeof isOn !== 'boolean') throw invalidValue(`permissions.${key} must be true or false`)
      return [key, isOn]
    }),
  )
}

function readAllowList(value: unknown): ModelAllowList {
  if (typeof value !== 'object' || value === null || !('enabled' in value) || typeof value.enabled !== 'boolean')
    throw invalidValue('enabled must be true or false')
  const models = 'models' in value && value.models !== undefined && value.models !== null ? value.models : []
  return { enabled: value.enabled, models: checkNames(models, 'models') }
}

/** Accounts over their store. */
export function createAccounts(options: AccountsOptions): Accounts {
  const { users, passwords, clock, revocations, admin, onNewAdmin } = options
  const revoke = (userId: string): void => revocations.publish({ kind: 'user', userId })

  async function read(id: string, call: CallOptions): Promise<User> {
    const user = await users.findById(id, call)
    if (user === undefined) throw userMissing()
    return user
  }

  async function promote(user: User, call: CallOptions): Promise<User> {
    if (user.role === 'admin' || !isConfiguredAdmin(user, { admin, isVerified: undefined })) return user
    checkOutcome(await users.setRole(user.id, { role: 'admin', now: clock.now() }, call))
    revoke(user.id)
    onNewAdmin?.({ ...user, role: 'admin' })
    return { ...user, role: 'admin' }
  }

  async function findLogin(form: LoginForm, call: CallOptions) {
    const { email, password, isFromKnownAddress } = form
    if (typeof email !== 'string' || typeof password !== 'string' || email.trim() === '' || password === '')
      throw invalidValue('email and password are required')
    if (password.length > MAX_PASSWORD_INPUT || email.length > MAX_PASSWORD_INPUT || email.includes('\0'))
      throw wrongLogin()
    const found = await users.findLocal(normalizeEmail(email), call)
    const isRight = await passwords.verify(password, found?.passwordHash, {
      signal: call.signal,
      goesFirst: isFromKnownAddress,
    })
    return isRight && found !== undefined ? { ...found, password } : undefined
  }

  async function storePassword(
    user: User,
    { from, ...form }: PasswordChange & { readonly from?: string },
    call: CallOptions,
  ): Promise<string | undefined> {
    const password = await passwords.check(
      {
        password: form.password,
        knownWords: [user.email, user.name],
        acknowledgesWeak: form.acknowledgesWeakPassword,
      },
      call,
    )
    const passwordHash = await passwords.hash(password, call)
    const isStored = await users.setPassword(user.id, { passwordHash, from, now: clock.now() }, call)
    if (!isStored) return undefined
    revoke(user.id)
    return passwordHash
  }

  const checkLocal = (user: User): void => {
    if (user.provider !== 'local') throw invalidValue('the account has no password here', 'not_local')
  }

  const login: Accounts['login'] = async (form, call) => {
    const found = await findLogin(form, call)
    if (found === undefined) throw wrongLogin()
    if (found.user.status !== 'active') throw inactiveAccount(found.user)
    if (passwords.isOutdated(found.passwordHash)) {
      const to = await passwords.hash(found.password, call)
      const isReplaced = await users.replacePasswordHash(found.user.id, { from: found.passwordHash, to }, call)
      // somebody else has replaced it: the password is proved by the new one
      return isReplaced ? { ...(await promote(found.user, call)), passwordHash: to } : login(form, call)
    }
    return { ...(await promote(found.user, call)), passwordHash: found.passwordHash }
  }

  return {
    register: (form, call) => register(form, options, call),
    login,
    read,
    list: (page, call) => users.list(page, call),
    readLastSeen: (ids, call) => users.readLastSeen(ids, call),
    async setProfile(id, form, call) {
      const isChanged = await users.setProfile(id, { ...readProfile(form), now: clock.now() }, call)
      if (!isChanged) throw userMissing()
      revoke(id)
      return read(id, call)
    },
    async changePassword(id, form, call) {
      const user = await read(id, call)
      checkLocal(user)
      const found = await findLogin({ email: user.email, password: form.currentPassword }, call)
      // a password that was given meanwhile is not overwritten
      const passwordHash = found && (await storePassword(user, { ...form, from: found.passwordHash }, call))
      if (passwordHash === undefined)
        throw new AuthError('unauthenticated', 'current password is incorrect', { code: 'wrong_password' })
      return { ...user, passwordHash }
    },
    async resetPassword(id, form, call) {
      if (id === form.actorId) throw invalidValue('change your own password with the current one', 'own_account')
      const user = await read(id, call)
      checkLocal(user)
      if ((await storePassword(user, form, call)) === undefined) throw userMissing()
    },
    async setRole(id, { role, actorId }, call) {
      if (id === actorId) throw invalidValue('cannot change your own role', 'own_account')
      if (role !== 'admin' && role !== 'user') throw invalidValue("role must be 'admin' or 'user'")
      checkOutcome(await users.setRole(id, { role, now: clock.now() }, call))
      revoke(id)
    },
    async setStatus(id, { status, actorId }, call) {
      if (id === actorId) throw invalidValue('cannot change your own status', 'own_account')
      if (status !== 'active' && status !== 'disabled') throw invalidValue("status must be 'active' or 'disabled'")
      checkOutcome(await users.setStatus(id, { status, now: clock.now() }, call))
      revoke(id)
    },
    async setFeatures(id, value, call) {
      const features = readFeatures(value)
      if (!(await users.setFeatures(id, { features, now: clock.now() }, call))) throw userMissing()
      revoke(id)
      return features
    },
    async setAllowedModels(id, value, call) {
      const allowedModels = readAllowList(value)
      if (!(await users.setAllowedModels(id, { allowedModels, now: clock.now() }, call))) throw userMissing()
      revoke(id)
      return allowedModels
    },
    async remove(id, { actorId }, call) {
      if (id === actorId) throw invalidValue('cannot delete yourself', 'own_account')
      checkOutcome(await users.remove(id, call))
      revoke(id)
    },
  }
}
