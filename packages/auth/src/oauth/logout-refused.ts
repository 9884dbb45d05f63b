import { AuthError } from '../errors.ts'

/** The error of an invalid logout token. */
export function logoutRefused(cause: unknown): AuthError {
  return new AuthError('invalid_request', 'the logout token does not hold', { code: 'invalid_logout_token', cause })
}
