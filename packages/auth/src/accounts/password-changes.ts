import { AuthError, invalidValue } from '../errors.ts'
import type { CallOptions } from '../ports/clock.ts'
import type { User } from '../ports/users.ts'
import { type LoginOptions, type ProvenUser, provePassword } from './login.ts'
import { readUser, userMissing } from './stored-user.ts'

/** A new password as a form has it. */
export interface PasswordChange {
  readonly password: unknown
  readonly acknowledgesWeakPassword?: boolean | undefined
}

/** Changes of passwords. */
export interface PasswordChanges {
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
}

/** Dependencies of the changes of passwords. */
export type PasswordChangesOptions = Pick<LoginOptions, 'users' | 'passwords' | 'clock' | 'revocations'>

/** Changes passwords over the store of accounts. */
export function createPasswordChanges(options: PasswordChangesOptions): PasswordChanges {
  const { users, passwords, clock, revocations } = options

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
    revocations.publish({ kind: 'user', userId: user.id })
    return passwordHash
  }

  async function readLocal(id: string, call: CallOptions): Promise<User> {
    const user = await readUser(users, id, call)
    if (user.provider !== 'local') throw invalidValue('the account has no password here', 'not_local')
    return user
  }

  return {
    async changePassword(id, form, call) {
      const user = await readLocal(id, call)
      const found = await provePassword(options, { email: user.email, password: form.currentPassword }, call)
      // a password that was given meanwhile is not overwritten
      const passwordHash = found && (await storePassword(user, { ...form, from: found.passwordHash }, call))
      if (passwordHash === undefined)
        throw new AuthError('unauthenticated', 'current password is incorrect', { code: 'wrong_password' })
      return { ...user, passwordHash }
    },
    async resetPassword(id, form, call) {
      if (id === form.actorId) throw invalidValue('change your own password with the current one', 'own_account')
      const user = await readLocal(id, call)
      if ((await storePassword(user, form, call)) === undefined) throw userMissing()
    },
  }
}
