import { type AdminEmail, isConfiguredAdmin } from '../accounts/admin-email.ts'
import { inactiveAccount } from '../accounts/login.ts'
import { hashInvite, inviteRefused } from '../accounts/registration.ts'
import type { CallOptions, Clock } from '../ports/clock.ts'
import type { Provider, RegistrationMode, User, UserStore } from '../ports/users.ts'
import type { Revocations } from '../revocations.ts'
import { createId, type TokenHasher } from '../token-hasher.ts'
import { type Identity, signInFailed } from './provider.ts'

/** Dependencies of {@link createIdentityAdmission}. */
export interface IdentityAdmissionOptions {
  readonly users: UserStore
  readonly hasher: TokenHasher
  readonly revocations: Revocations
  readonly clock: Pick<Clock, 'now'>
  readonly mode: RegistrationMode
  readonly admin?: AdminEmail | undefined
  /** Called when an account has become an admin by itself: the first one, or the one of the configured address. */
  readonly onNewAdmin?: ((user: User) => void) | undefined
}

/** Admits the identities that providers vouch for. */
export interface IdentityAdmission {
  /**
   * Returns the account of an identity; a new one by the rules of registration.
   *
   * @throws {AuthError} `invalid_request` for a missing or invalid invite; `forbidden` for an account that waits or is
   *   disabled
   */
  admit(
    provider: Provider,
    identity: Identity,
    options: CallOptions & { readonly inviteCode: string | undefined },
  ): Promise<User>
}

/** Admits identities over the store of accounts. */
export function createIdentityAdmission(options: IdentityAdmissionOptions): IdentityAdmission {
  const { users, hasher, revocations, clock, mode, admin, onNewAdmin } = options

  async function refresh(user: User, identity: Identity, call: CallOptions): Promise<User> {
    const { name, avatarUrl } = identity
    const emailVerified = identity.email === user.email ? identity.emailVerified : user.emailVerified
    const isSame = user.name === name && user.avatarUrl === avatarUrl && user.emailVerified === emailVerified
    if (isSame) return user
    await users.setProfile(user.id, { name, avatarUrl, emailVerified, now: clock.now() }, call)
    return { ...user, name, avatarUrl, emailVerified }
  }

  async function admitKnown(known: User, identity: Identity, call: CallOptions): Promise<User> {
    if (known.status !== 'active') throw inactiveAccount(known, 'account pending approval')
    const user = await refresh(known, identity, call)
    const isVerified = identity.emailVerified && identity.email === user.email
    if (user.role === 'admin' || !isConfiguredAdmin(user, { admin, isVerified })) return user
    await users.setRole(user.id, { role: 'admin', now: clock.now() }, call)
    revocations.publish({ kind: 'user', userId: user.id })
    onNewAdmin?.({ ...user, role: 'admin' })
    return { ...user, role: 'admin' }
  }

  async function admitNew(
    provider: Provider,
    identity: Identity,
    call: CallOptions & { readonly inviteCode: string | undefined },
  ): Promise<User> {
    const { subject, email, emailVerified, name, avatarUrl } = identity
    const now = clock.now()
    const outcome = await users.register(
      {
        user: {
          id: createId(),
          email,
          emailVerified,
          name,
          avatarUrl,
          provider,
          subject,
          features: {},
          allowedModels: { enabled: false, models: [] },
          createdAt: now,
          updatedAt: now,
        },
        passwordHash: undefined,
        mode,
        inviteHash: hashInvite(call.inviteCode, hasher),
        isAdmin: isConfiguredAdmin({ email, approved: false }, { admin, isVerified: emailVerified }),
        now,
      },
      call,
    )
    if (outcome.kind === 'created') {
      if (outcome.user.status !== 'active') throw inactiveAccount(outcome.user, 'account pending approval')
      if (outcome.user.role === 'admin') onNewAdmin?.(outcome.user)
      return outcome.user
    }
    if (outcome.kind !== 'taken') throw inviteRefused(outcome.kind)
    // two sign-ins of the same account came at once
    const known = await users.findBySubject({ provider, subject }, call)
    if (known === undefined) throw signInFailed(new Error('the account is gone'))
    return admitKnown(known, identity, call)
  }

  return {
    async admit(provider, identity, call) {
      const known = await users.findBySubject({ provider, subject: identity.subject }, call)
      return known === undefined ? admitNew(provider, identity, call) : admitKnown(known, identity, call)
    },
  }
}
