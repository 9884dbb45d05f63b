import { checkArgument } from '@svc/errors'
import * as client from 'openid-client'
import { AuthError } from '../errors.ts'
import type { CallOptions, Clock, Logger } from '../ports/clock.ts'
import { boundFetch, type Fetch, isSafeUrl } from './bounded-fetch.ts'
import { isClientRefusal, listClientAuthentications } from './client-authentication.ts'
import {
  type Identity,
  providerAway,
  type SignInProvider,
  toIdentity,
  toProviderSession,
  toSignInError,
} from './provider.ts'
import { isProviderDown } from './provider-error.ts'
import { createTokenVerifier, type TokenVerifier } from './token-verifier.ts'

/** What {@link createOidcProvider} needs. */
export interface OidcOptions {
  /** Address of the issuer; plain http on this machine only. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret?: string | undefined
  /** Where the provider sends browsers back to. */
  readonly redirectUri: string
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly logger?: Logger | undefined
  /** Sends requests. @default the global fetch */
  readonly fetch?: Fetch | undefined
}

/** Sign-in at an OIDC issuer. */
export interface OidcProvider extends SignInProvider {
  /** Reads the issuer's configuration. @returns whether the issuer can be used; another try is made when it is needed */
  prepare(options: CallOptions): Promise<boolean>
  /**
   * Reads a logout token.
   *
   * @throws {AuthError} `invalid_request`, with the code `invalid_logout_token`; `unavailable` while the issuer is away
   */
  readLogoutToken(token: string, options: CallOptions): Promise<LogoutToken>
}

/** A logout token that holds, but for its earlier uses. */
export interface LogoutToken {
  /** Whom it ends sessions of. One of both is there. */
  readonly subject: string | undefined
  readonly providerSession: string | undefined
  /** The issuer gives it to one token. */
  readonly id: string
  /** From then on the token does not hold any more, milliseconds since the epoch. */
  readonly expiresAt: number
}

/** The error of a logout token that does not hold. */
export function logoutRefused(cause: unknown): AuthError {
  return new AuthError('invalid_request', 'the logout token does not hold', { code: 'invalid_logout_token', cause })
}

const SCOPES = 'openid profile email'
const TIMEOUT_S = 10
const CLIENT_METADATA = { [client.clockTolerance]: 60 }
/** Failed discoveries are not repeated more often. */
const RETRY_MS = 10_000

interface Discovered {
  /** One for each way in which the client may prove itself. */
  readonly configs: readonly client.Configuration[]
  /** The way that the token endpoint took last. */
  preferred: client.Configuration
  readonly verifier: TokenVerifier
}

type Claims = Readonly<Record<string, unknown>>

/** The claims that name the account, with those of one source only: an address is not vouched for by another. */
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

/** Sign-in at an OIDC issuer by authorization code with PKCE and nonce. */
export function createOidcProvider(options: OidcOptions): OidcProvider {
  const { issuer, clientId, clientSecret, redirectUri, clock, logger } = options
  checkArgument(isSafeUrl(issuer), 'createOidcProvider: issuer', 'an https address, or http on this machine', issuer)
  const bounded = boundFetch(options.fetch)
  const customFetch: client.CustomFetch = (url, { method, headers, body, signal }) => {
    const text = typeof body === 'string' || body instanceof URLSearchParams ? body : undefined
    return bounded(url, { method, headers, body: text, redirect: 'manual', signal })
  }
  let discovered: Discovered | undefined
  let running: Promise<Discovered> | undefined
  let failedAt = Number.NEGATIVE_INFINITY

  async function discover(): Promise<Discovered> {
    const isPlain = new URL(issuer).protocol === 'http:'
    const found = await client.discovery(new URL(issuer), clientId, CLIENT_METADATA, client.None(), {
      [client.customFetch]: customFetch,
      timeout: TIMEOUT_S,
      ...(isPlain ? { execute: [client.allowInsecureRequests] } : {}),
    })
    const metadata = found.serverMetadata()
    const { jwks_uri: keysUrl, token_endpoint_auth_methods_supported: methods } = metadata
    if (keysUrl === undefined || !isSafeUrl(keysUrl)) throw new Error('the issuer names no keys')
    const [preferred, ...others] = listClientAuthentications(clientSecret, methods).map((authentication) => {
      const config = new client.Configuration({ ...metadata }, clientId, CLIENT_METADATA, authentication)
      config.timeout = TIMEOUT_S
      config[client.customFetch] = customFetch
      if (isPlain) client.allowInsecureRequests(config)
      return config
    })
    if (preferred === undefined) throw new Error('there is no way to prove the client')
    const verifier = createTokenVerifier({ issuer: metadata.issuer, clientId, keysUrl, fetch: bounded, clock })
    discovered = { configs: [preferred, ...others], preferred, verifier }
    return discovered
  }

  /** Exchanges a code. A client that is turned away proves itself in another way, and in that way from then on. */
  async function exchange(found: Discovered, url: URL, checks: client.AuthorizationCodeGrantChecks) {
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

  async function open({ signal }: CallOptions): Promise<Discovered> {
    signal.throwIfAborted()
    if (discovered !== undefined) return discovered
    if (running === undefined && clock.monotonic() - failedAt < RETRY_MS) throw providerAway(undefined, RETRY_MS)
    running ??= discover().finally(() => {
      running = undefined
    })
    return running.catch((error: unknown) => {
      failedAt = clock.monotonic()
      throw providerAway(error, RETRY_MS)
    })
  }

  async function readUserInfo(config: client.Configuration, accessToken: string, subject: string): Promise<Claims> {
    try {
      return { ...(await client.fetchUserInfo(config, accessToken, subject)) }
    } catch (cause) {
      throw new AuthError('upstream_failed', 'failed to fetch user info', { code: 'user_info_failed', cause })
    }
  }

  return {
    name: 'oidc',
    async prepare(call) {
      try {
        await open(call)
        return true
      } catch (error) {
        logger?.warn({ err: error }, 'the OIDC issuer cannot be used yet')
        return false
      }
    },
    async createUrl({ state, nonce, codeVerifier }, call) {
      const { preferred } = await open(call)
      return client.buildAuthorizationUrl(preferred, {
        ...{ redirect_uri: redirectUri, scope: SCOPES, state, nonce, code_challenge_method: 'S256' },
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      })
    },
    async readIdentity({ parameters, state, nonce, codeVerifier }, call) {
      const found = await open(call)
      const url = new URL(redirectUri)
      url.search = parameters.toString()
      let tokens: client.TokenEndpointResponse
      let claims: Claims
      try {
        tokens = await exchange(found, url, {
          ...{ pkceCodeVerifier: codeVerifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true },
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
      const { verifier } = await open(call)
      const { sub, sid, jti, expiresAt } = await verifier.verifyLogoutToken(token, call).catch((cause: unknown) => {
        call.signal.throwIfAborted()
        throw isProviderDown(cause) ? providerAway(cause, RETRY_MS) : logoutRefused(cause)
      })
      return { subject: sub, providerSession: toProviderSession(sid), id: jti, expiresAt }
    },
  }
}
