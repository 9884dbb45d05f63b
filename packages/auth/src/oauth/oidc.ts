import { checkArgument } from '@svc/errors'
import * as client from 'openid-client'
import { AuthError } from '../errors.ts'
import type { CallOptions, Clock, Logger } from '../ports/clock.ts'
import { boundFetch, type Fetch, isSafeUrl } from './bounded-fetch.ts'
import { type Identity, type SignInProvider, signInFailed, toIdentity } from './provider.ts'
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
   * Whom a logout token ends sessions of.
   *
   * @throws {AuthError} `invalid_request`
   */
  readLogoutToken(
    token: string,
    options: CallOptions,
  ): Promise<{ readonly subject: string | undefined; readonly providerSession: string | undefined }>
}

const SCOPES = 'openid profile email'
/** Failed discoveries are not repeated more often. */
const RETRY_MS = 10_000

interface Discovered {
  readonly config: client.Configuration
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
    const config = await client.discovery(
      new URL(issuer),
      clientId,
      { [client.clockTolerance]: 60 },
      clientSecret === undefined ? client.None() : client.ClientSecretPost(clientSecret),
      {
        [client.customFetch]: customFetch,
        timeout: 10,
        ...(isPlain ? { execute: [client.allowInsecureRequests] } : {}),
      },
    )
    const metadata = config.serverMetadata()
    const { jwks_uri: keysUrl } = metadata
    if (keysUrl === undefined || !isSafeUrl(keysUrl)) throw new Error('the issuer names no keys')
    const verifier = createTokenVerifier({ issuer: metadata.issuer, clientId, keysUrl, fetch: bounded, clock })
    discovered = { config, verifier }
    return discovered
  }

  async function open({ signal }: CallOptions): Promise<Discovered> {
    signal.throwIfAborted()
    if (discovered !== undefined) return discovered
    if (running === undefined && clock.monotonic() - failedAt < RETRY_MS) throw away(undefined)
    running ??= discover().finally(() => {
      running = undefined
    })
    return running.catch((error: unknown) => {
      failedAt = clock.monotonic()
      throw away(error)
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
      const { config } = await open(call)
      return client.buildAuthorizationUrl(config, {
        ...{ redirect_uri: redirectUri, scope: SCOPES, state, nonce, code_challenge_method: 'S256' },
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      })
    },
    async readIdentity({ parameters, state, nonce, codeVerifier }, call) {
      const { config, verifier } = await open(call)
      const url = new URL(redirectUri)
      url.search = parameters.toString()
      let tokens: client.TokenEndpointResponse
      let claims: Claims
      try {
        tokens = await client.authorizationCodeGrant(config, url, {
          ...{ pkceCodeVerifier: codeVerifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true },
        })
        const { access_token: accessToken, id_token: idToken = '' } = tokens
        claims = await verifier.verifyIdToken(idToken, { nonce, accessToken }, call)
      } catch (cause) {
        call.signal.throwIfAborted()
        throw signInFailed(cause)
      }
      const hasUserInfo = config.serverMetadata().userinfo_endpoint !== undefined
      if (claims.email !== undefined || !hasUserInfo) return toOidcIdentity(claims)
      return toOidcIdentity(pickClaims(claims, await readUserInfo(config, tokens.access_token, String(claims.sub))))
    },
    async readLogoutToken(token, call) {
      const { verifier } = await open(call)
      const { sub, sid } = await verifier.verifyLogoutToken(token, call).catch((cause: unknown) => {
        throw new AuthError('invalid_request', 'the logout token does not hold', {
          code: 'invalid_logout_token',
          cause,
        })
      })
      return { subject: sub, providerSession: typeof sid === 'string' ? sid : undefined }
    },
  }
}

function away(cause: unknown): AuthError {
  return new AuthError('unavailable', 'the sign-in provider cannot be reached', {
    code: 'provider_unavailable',
    cause,
    retryAfterMs: RETRY_MS,
  })
}
