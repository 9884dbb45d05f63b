import type { Auth } from '@svc/auth'
import type { BodyReader } from '../../http/body.ts'
import type { Attempts } from './attempts.ts'

/** What the routes of accounts share. */
export interface AccountParts {
  readonly auth: Auth
  readonly bodies: BodyReader
  readonly attempts: Attempts
  /** Whether accounts are in use; without them only shared keys count. */
  readonly isInUse: boolean
  /** Whether accounts may have passwords. */
  readonly hasPasswords: boolean
}

/** What the rows of these routes have in common. Keys with scopes call them `account`. */
export const ACCOUNT_ROW = { family: 'flat', tag: 'accounts', group: 'account' } as const

/** The rows for admins. */
export const ADMIN_ROW = { family: 'flat', tag: 'accounts', access: 'admin' } as const
