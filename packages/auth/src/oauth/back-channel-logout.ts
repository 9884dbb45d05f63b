import type { CallOptions } from '../ports/clock.ts'
import type { UserStore } from '../ports/users.ts'
import type { Sessions } from '../sessions.ts'
import type { OidcProvider } from './oidc.ts'

/** What {@link endSessionsByToken} needs. */
export interface BackChannelLogoutOptions {
  readonly provider: OidcProvider
  readonly users: Pick<UserStore, 'findBySubject'>
  readonly sessions: Pick<Sessions, 'endOthers' | 'endByProvider'>
}

/**
 * Ends the sessions that a logout token of the issuer names (OpenID Connect Back-Channel Logout 1.0). A server that
 * wants that opens a route for it.
 *
 * @returns how many sessions have ended
 * @throws {AuthError} `invalid_request` for a token that does not hold
 */
export async function endSessionsByToken(
  token: string,
  { provider, users, sessions }: BackChannelLogoutOptions,
  call: CallOptions,
): Promise<number> {
  const { subject, providerSession } = await provider.readLogoutToken(token, call)
  const user = subject === undefined ? undefined : await users.findBySubject({ provider: 'oidc', subject }, call)
  if (subject !== undefined && user === undefined) return 0
  if (providerSession !== undefined) return sessions.endByProvider({ userId: user?.id, providerSession }, call)
  return user === undefined ? 0 : sessions.endOthers(user.id, call)
}
