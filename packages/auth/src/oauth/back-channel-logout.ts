import type { CallOptions, Clock } from '../ports/clock.ts'
import type { UsedTokenStore } from '../ports/credentials.ts'
import type { UserStore } from '../ports/users.ts'
import type { Sessions } from '../sessions.ts'
import type { TokenHasher } from '../token-hasher.ts'
import { logoutRefused } from './logout-refused.ts'
import type { LogoutToken, OidcProvider } from './oidc.ts'

/** Options of {@link endSessionsByToken}. */
export interface BackChannelLogoutOptions {
  readonly provider: OidcProvider
  readonly users: Pick<UserStore, 'findBySubject'>
  readonly sessions: Pick<Sessions, 'endOthers' | 'endByProvider'>
  readonly usedTokens: UsedTokenStore
  readonly hasher: TokenHasher
  readonly clock: Pick<Clock, 'now'>
}

/**
 * Ends the sessions that a logout token of the issuer names (OpenID Connect Back-Channel Logout 1.0). A token holds
 * once. It may come again if its sessions could not be ended.
 *
 * @returns number of ended sessions
 * @throws {AuthError} `invalid_request` for a token that does not hold; `unavailable`
 */
export async function endSessionsByToken(
  token: string,
  options: BackChannelLogoutOptions,
  call: CallOptions,
): Promise<number> {
  const { provider, usedTokens, hasher, clock } = options
  const read = await provider.readLogoutToken(token, call)
  const use = { hash: hasher.hash('logout-token', read.id), now: clock.now() }
  if (await usedTokens.isUsed(use, call)) throw logoutRefused(new Error('the token was used before'))
  const count = await endSessions(read, options, call)
  await usedTokens.use({ ...use, expiresAt: read.expiresAt }, call)
  return count
}

async function endSessions(
  { subject, providerSession }: LogoutToken,
  { users, sessions }: BackChannelLogoutOptions,
  call: CallOptions,
): Promise<number> {
  const user = subject === undefined ? undefined : await users.findBySubject({ provider: 'oidc', subject }, call)
  if (subject !== undefined && user === undefined) return 0
  if (providerSession !== undefined) return sessions.endByProvider({ userId: user?.id, providerSession }, call)
  return user === undefined ? 0 : sessions.endOthers(user.id, call)
}
