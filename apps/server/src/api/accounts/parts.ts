import type { Auth, Principal } from '@svc/auth'
import { SvcError } from '@svc/errors'
import type { BodyReader } from '../../http/body.ts'
import type { Attempts } from './attempts.ts'

/** The shared parts of the routes of accounts. */
export interface AccountParts {
  readonly auth: Auth
  readonly bodies: BodyReader
  readonly attempts: Attempts
  /** Whether accounts are in use; without them only shared keys count. */
  readonly isInUse: boolean
  /** Whether accounts may have passwords. */
  readonly hasPasswords: boolean
}

/** Creates the refusal of a route for passwords where accounts may have no password. */
export function passwordsDisabled(message: string): SvcError {
  return new SvcError('forbidden', message, { code: 'local_auth_disabled' })
}

/** The common part of these routes. Scopes of keys call them `account`. */
export const ACCOUNT_ROUTE = { family: 'flat', tag: 'accounts', group: 'account' } as const

/** The common part of the routes for admins. */
export const ADMIN_ROUTE = { family: 'flat', tag: 'accounts', access: 'admin' } as const

/** The id of the account that calls. @throws {SvcError} `invalid_request` for the key of a service, a shared key, and where auth is off */
export function requireAccount({ kind, id }: Principal): string {
  if (kind === 'user') return id
  throw new SvcError('invalid_request', 'the caller has no account', { code: 'no_account' })
}
