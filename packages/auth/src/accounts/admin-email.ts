import type { User } from '../ports/users.ts'
import { normalizeEmail } from './email.ts'

/** The address of the account that is an admin (`SVC_ADMIN_EMAIL`). */
export interface AdminEmail {
  readonly email: string
  /** Whether the account must be vouched for: by its provider, an invite or an admin. @default false */
  readonly isStrict?: boolean | undefined
}

/**
 * Whether an account is the one of the configured address. A provider that does not say that the address is verified
 * never makes an admin (threats AU-12). A local account proves its address by its password only, unless the rule is
 * strict.
 *
 * @param isVerified what the provider says of the address at this sign-in; undefined for local accounts
 */
export function isConfiguredAdmin(
  account: Pick<User, 'email' | 'approved'>,
  { admin, isVerified }: { readonly admin: AdminEmail | undefined; readonly isVerified: boolean | undefined },
): boolean {
  if (admin === undefined || account.email !== normalizeEmail(admin.email)) return false
  if (isVerified !== undefined) return isVerified
  return admin.isStrict !== true || account.approved
}
