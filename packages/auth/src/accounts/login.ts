import { AuthError, invalidValue, wrongLogin } from '../errors.ts'
import type { CallOptions } from '../ports/clock.ts'
import type { User } from '../ports/users.ts'
import type { Revocations } from '../revocations.ts'
import { isConfiguredAdmin } from './admin-email.ts'
import { normalizeEmail } from './email.ts'
import type { RegistrationOptions } from './registration.ts'
import { checkOutcome } from './stored-user.ts'

/** Dependencies of the login. */
export interface LoginOptions
  extends Pick<RegistrationOptions, 'users' | 'passwords' | 'clock' | 'admin' | 'onNewAdmin'> {
  readonly revocations: Revocations
}

/** The fields of a login form. */
export interface LoginForm {
  readonly email: unknown
  readonly password: unknown
  /** Whether the account has signed in from the address before: strangers cannot make it wait. @default false */
  readonly isFromKnownAddress?: boolean | undefined
}

/** An account that has proved its password. */
export interface ProvenUser extends User {
  /** Hash of the proved password, for the session that the login begins. Never shown to anybody. */
  readonly passwordHash: string
}

/** An account and the password that was proved. */
export interface ProvenPassword {
  readonly user: User
  readonly password: string
  readonly passwordHash: string
}

/** Proves passwords of local accounts. */
export interface Login {
  /**
   * The account of an address and a password; promotes the configured admin.
   *
   * @throws {AuthError} `unauthenticated`, the same for unknown addresses and wrong passwords; `forbidden` for an
   *   account that waits or is disabled
   */
  login(form: LoginForm, options: CallOptions): Promise<ProvenUser>
}

/** Longer input is not a password of any account, and is not worth a hash. */
const MAX_PASSWORD_INPUT = 1024

/** The error of an account that may not sign in. */
export function inactiveAccount(user: User, pendingMessage = 'account pending admin approval'): AuthError {
  return user.status === 'pending'
    ? new AuthError('forbidden', pendingMessage, { code: 'account_pending' })
    : new AuthError('forbidden', 'account disabled', { code: 'account_disabled' })
}

/** Reads the account of an address and a password. Returns undefined when they do not belong together. */
export async function provePassword(
  { users, passwords }: Pick<LoginOptions, 'users' | 'passwords'>,
  { email, password, isFromKnownAddress }: LoginForm,
  call: CallOptions,
): Promise<ProvenPassword | undefined> {
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

/** Logs accounts in. Replaces the hash of an outdated method. */
export function createLogin(options: LoginOptions): Login {
  const { users, passwords, clock, revocations, admin, onNewAdmin } = options

  async function promote(user: User, call: CallOptions): Promise<User> {
    if (user.role === 'admin' || !isConfiguredAdmin(user, { admin, isVerified: undefined })) return user
    checkOutcome(await users.setRole(user.id, { role: 'admin', now: clock.now() }, call))
    revocations.publish({ kind: 'user', userId: user.id })
    onNewAdmin?.({ ...user, role: 'admin' })
    return { ...user, role: 'admin' }
  }

  const login: Login['login'] = async (form, call) => {
    const found = await provePassword(options, form, call)
    if (found === undefined) throw wrongLogin()
    if (found.user.status !== 'active') throw inactiveAccount(found.user)
    if (passwords.isOutdated(found.passwordHash)) {
      const to = await passwords.hash(found.password, call)
      const isReplaced = await users.replacePasswordHash(found.user.id, { from: found.passwordHash, to }, call)
      // a parallel change has replaced the hash: the new hash proves the password
      return isReplaced ? { ...(await promote(found.user, call)), passwordHash: to } : login(form, call)
    }
    return { ...(await promote(found.user, call)), passwordHash: found.passwordHash }
  }

  return { login }
}
