import { normalizeEmail } from '@svc/auth/accounts'
import type { UserStore } from '@svc/auth/ports'
import type { Logger } from '../../ports.ts'

const MAX_LISTED = 10_000

/** Warns while no account has the address of the configured admin: the first who registers with it becomes one. */
export async function warnOfUnclaimedAdmin(
  { users, email, log }: { readonly users: Pick<UserStore, 'list'>; readonly email: string; readonly log: Logger },
  { signal }: { readonly signal: AbortSignal },
): Promise<void> {
  const wanted = normalizeEmail(email)
  const listed = await users.list({ limit: MAX_LISTED }, { signal })
  if (!listed.some((user) => user.email === wanted))
    log.warn({}, 'the address of SVC_ADMIN_EMAIL has no account yet: the one who registers with it becomes an admin')
}
