import { type ErrorKind, SvcError, type SvcErrorOptions } from '@svc/errors'

/** Everything this package throws on purpose. */
export class AuthError extends SvcError {
  override readonly name = 'AuthError'

  constructor(kind: ErrorKind, message: string, options: SvcErrorOptions = {}) {
    super(kind, message, options)
  }
}

/** A value of a request that cannot be taken. */
export function invalidValue(message: string, code = 'invalid_value'): AuthError {
  return new AuthError('invalid_request', message, { code })
}

/** An entry that is not there, or belongs to somebody else: both answer alike (threats AU-14). */
export function missing(message: string): AuthError {
  return new AuthError('not_found', message)
}

/** The refusal of a sign-in, the same for unknown addresses and wrong passwords. */
export const wrongLogin = (): AuthError =>
  new AuthError('unauthenticated', 'invalid email or password', { code: 'invalid_login' })
