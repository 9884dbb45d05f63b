import * as client from 'openid-client'
import { AuthError } from '../errors.ts'
import type { CallOptions, Logger } from '../ports/clock.ts'
import { isClientRefusal } from './client-authentication.ts'
import { logoutRefused } from './logout-refused.ts'
import { createOidcDiscovery, type DiscoveredIssuer, type OidcDiscoveryOptions, RETRY_MS } from './oidc-discovery.ts'
import {
  type Identity,
  providerAway,
  type SignInProvider,
  toIdentity,
  toProviderSession,
  toSignInError,
} from './provider.ts'
import { isProviderDown } from './provider-error.ts'

/** Options of `createOidcProvider`. */
export interface OidcOptions extends OidcDiscoveryOptions {
  /** The address to which the provider sends browsers back. */
  readonly redirectUri: string
  readonly logger?: Logger | undefined
}

/** Sign-in at an OIDC issuer. */
export interface OidcProvider extends SignInProvider {
  /**
   * Reads the issuer's configuration.
   *
   * @returns whether the issuer can be used; another try is made when it is needed
   */
  prepare(options: CallOptions): Promise<boolean>
  /**
   * Reads a logout token.
   *
   * @throws {AuthError} `invalid_request`, with the code `invalid_logout_token`; `unavailable` while the issuer is away
   */
  readLogoutToken(token: string, options: CallOptions): Promise<LogoutToken>
}

/** A valid logout token. Its earlier uses are not checked yet. */
export interface LogoutToken {
  /** The account, or the provider's session, whose sessions it ends. At least one of both is there. */
  readonly subject: string | undefined
  readonly providerSession: string | undefined
  /** The issuer gives each id to one token. */
  readonly id: string
  /** Time from which the token is not valid any more, milliseconds since the epoch. */
  readonly expiresAt: number
}

const SCOPES = 'openid profile email'

type Claims = Readonly<Record<string, unknown>>

/** The claims of the account, from one source only: a source does not vouch for the address of another. */
function pickClaims(idToken: Claims, userInfo: Claims | undefined): Claims {
  return userInfo === undefined ? idToken : { ...userInfo, sub: idToken.sub, sid: idToken.sid }
}

function toOidcIdentity(claims: Claims): Identity {
  return toIdentity({
    subject: claims.sub,
    email: claims.email,
    emailVerified: claims.email_verified,
    name: [claims.name, claims.preferred_username, claims.nickname],
    avatarUrl: claims.picture,
    providerSession: claims.sid,
  })
}

/** Exchanges a code. A client that is turned away proves itself in another way, and uses that way from then on. */
async function exchange(found: DiscoveredIssuer, url: URL, checks: client.AuthorizationCodeGrantChecks) {
  const { preferred, configs } = found
  let refusal: unknown
  for (const config of new Set([preferred, ...configs])) {
    try {
      const tokens = await client.authorizationCodeGrant(config, url, checks)
      found.preferred = config
      return tokens
    } catch (error) {
      if (!isClientRefusal(error)) throw error
      refusal ??= error
    }
  }
  throw refusal
}

async function readUserInfo(config: client.Configuration, accessToken: string, subject: string): Promise<Claims> {
  try {
    return { ...(await client.fetchUserInfo(config, accessToken, subject)) }
  } catch (cause) {
    throw new AuthError('upstream_failed', 'failed to fetch user info', { code: 'user_info_failed', cause })
  }
}

/** Sign-in at an OIDC issuer by authorization code with PKCE and nonce. */
export function createLoadedOidcProvider(options: OidcOptions): OidcProvider {
  const { redirectUri, logger } = options
  const discovery = createOidcDiscovery(options)

  return {
    name: 'oidc',
    async prepare(call) {
      try {
        await discovery.open(call)
        return true
      } catch (error) {
        logger?.warn({ err: error }, 'the OIDC issuer cannot be used yet')
        return false
      }
    },
    async createUrl({ state, nonce, codeVerifier }, call) {
      const { preferred } = await discovery.open(call)
      return client.buildAuthorizationUrl(preferred, {
        redirect_uri: redirectUri,
        scope: SCOPES,
        state,
        nonce,
        code_challenge_method: 'S256',
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      })
    },
    async readIdentity({ parameters, state, nonce, codeVerifier }, call) {
      const found = await discovery.open(call)
      const url = new URL(redirectUri)
      url.search = parameters.toString()
      let tokens: client.TokenEndpointResponse
      let claims: Claims
      try {
        tokens = await exchange(found, url, {
          pkceCodeVerifier: codeVerifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        })
        const { access_token: accessToken, id_token: idToken = '' } = tokens
        claims = await found.verifier.verifyIdToken(idToken, { nonce, accessToken }, call)
      } catch (cause) {
        call.signal.throwIfAborted()
        throw await toSignInError(cause)
      }
      const { preferred } = found
      const hasUserInfo = preferred.serverMetadata().userinfo_endpoint !== undefined
      if (claims.email !== undefined || !hasUserInfo) return toOidcIdentity(claims)
      return toOidcIdentity(pickClaims(claims, await readUserInfo(preferred, tokens.access_token, String(claims.sub))))
    },
    async readLogoutToken(token, call) {
      const { verifier } = await discovery.open(call)
      const { sub, sid, jti, expiresAt } = await verifier.verifyLogoutToken(token, call).catch((cause: unknown) => {
        call.signal.throwIfAborted()
        throw isProviderDown(cause) ? providerAway(cause, RETRY_MS) : logoutRefused(cause)
      })
      return { subject: sub, providerSession: toProviderSession(sid), id: jti, expiresAt }
    },
  }
}
