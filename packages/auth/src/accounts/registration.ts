import { checkName, checkText } from '../check-text.ts'
import { AuthError, invalidValue } from '../errors.ts'
import type { CallOptions, Clock } from '../ports/clock.ts'
import type { InviteStore } from '../ports/credentials.ts'
import type { RegistrationMode, User, UserStore } from '../ports/users.ts'
import { createId, type TokenHasher } from '../token-hasher.ts'
import { type AdminEmail, isConfiguredAdmin } from './admin-email.ts'
import { isEmail, normalizeEmail } from './email.ts'
import type { Passwords } from './passwords.ts'

/** Dependencies of the registration. */
export interface RegistrationOptions {
  readonly users: UserStore
  readonly invites: InviteStore
  readonly hasher: TokenHasher
  readonly passwords: Passwords
  readonly clock: Pick<Clock, 'now'>
  readonly mode: RegistrationMode
  readonly admin?: AdminEmail | undefined
  /** Called when an account has become an admin by itself: the first one, or the one of the configured address. */
  readonly onNewAdmin?: ((user: User) => void) | undefined
}

/** A registration form as it came: unknown fields are not read. */
export interface RegistrationForm {
  readonly email: unknown
  readonly password: unknown
  readonly name?: unknown
  readonly inviteCode?: unknown
  readonly acknowledgesWeakPassword?: boolean | undefined
}

/** Result of a registration, as the caller sees it. */
export type RegistrationResult =
  | { readonly kind: 'active'; readonly user: User }
  /** The account waits for an admin; the same for an address that has an account already. */
  | { readonly kind: 'pending' }
  /**
   * The address has an account already: nothing has been done, and no session may begin. Only a caller who would have
   * been let in at once learns it.
   */
  | { readonly kind: 'processed' }

const INVITE_CODE = /^[0-9a-f]{64}$/
const MAX_NAME_LENGTH = 200

/** The address of a form, as it is kept. */
function readEmail(value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '') throw invalidValue('email is required')
  const email = normalizeEmail(value)
  if (!isEmail(email)) throw invalidValue('invalid email address')
  return checkText(email, { name: 'email', maxLength: 254 })
}

/**
 * The hash of the invite code of a form; undefined for an absent code and for blanks. Every other value has a hash, so
 * that a broken code is an invalid one.
 */
export function hashInvite(code: unknown, hasher: TokenHasher): string | undefined {
  const value = typeof code === 'string' ? code.trim() : (code ?? '')
  if (value === '') return undefined
  return hasher.hash('invite', typeof value === 'string' && INVITE_CODE.test(value) ? value : 'no code')
}

/** The error of a registration whose invite code is missing or does not hold. */
export function inviteRefused(kind: 'invite-required' | 'invalid-invite'): AuthError {
  return kind === 'invite-required'
    ? new AuthError('invalid_request', 'an invite code is required to register', { code: 'invite_required' })
    : new AuthError('invalid_request', 'invalid or expired invite code', { code: 'invalid_invite' })
}

/**
 * Registers a local account by the rules of §3.1. The password is hashed in every case, so that a taken address takes
 * as long as a free one, and the modes `approval` and `invite` answer both alike.
 *
 * @throws {AuthError} `invalid_request`
 */
export async function register(
  form: RegistrationForm,
  { users, invites, hasher, passwords, clock, mode, admin, onNewAdmin }: RegistrationOptions,
  call: CallOptions,
): Promise<RegistrationResult> {
  const email = readEmail(form.email)
  const name = checkName(form.name, { name: 'name', maxLength: MAX_NAME_LENGTH, isOptional: true }) || email
  const password = await passwords.check(
    { password: form.password, knownWords: [email, name], acknowledgesWeak: form.acknowledgesWeakPassword },
    call,
  )
  const inviteHash = hashInvite(form.inviteCode, hasher)
  const passwordHash = await passwords.hash(password, call)
  const now = clock.now()
  const outcome = await users.register(
    {
      user: {
        id: createId(),
        email,
        emailVerified: false,
        name,
        avatarUrl: '',
        provider: 'local',
        subject: email,
        features: {},
        allowedModels: { enabled: false, models: [] },
        createdAt: now,
        updatedAt: now,
      },
      passwordHash,
      mode,
      inviteHash,
      isAdmin: isConfiguredAdmin({ email, approved: false }, { admin, isVerified: undefined }),
      now,
    },
    call,
  )
  switch (outcome.kind) {
    case 'created':
      if (outcome.user.role === 'admin') onNewAdmin?.(outcome.user)
      return outcome.user.status === 'active' ? { kind: 'active', user: outcome.user } : { kind: 'pending' }
    case 'taken': {
      const isInvited = inviteHash !== undefined && (await invites.isValid({ hash: inviteHash, now }, call))
      if (mode === 'open' || isInvited) return { kind: 'processed' }
      if (mode === 'approval' && inviteHash === undefined) return { kind: 'pending' }
      throw inviteRefused(inviteHash === undefined ? 'invite-required' : 'invalid-invite')
    }
    default:
      throw inviteRefused(outcome.kind)
  }
}
