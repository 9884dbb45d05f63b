import { createHash, timingSafeEqual } from 'node:crypto'
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, type JWTVerifyResult, jwtVerify } from 'jose'
import { AuthError } from '../errors.ts'
import type { CallOptions, Clock } from '../ports/clock.ts'
import type { Fetch } from './bounded-fetch.ts'
import { hasDuplicateNames } from './duplicate-names.ts'

/** Options of {@link createTokenVerifier}. */
export interface TokenVerifierOptions {
  readonly issuer: string
  readonly clientId: string
  readonly keysUrl: string
  readonly fetch: Fetch
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
}

/** Verifies tokens of an issuer. */
export interface TokenVerifier {
  /**
   * The claims of an ID token.
   *
   * @throws an error for a wrong type, signature, issuer, audience, time, nonce, or hash of the access token
   */
  verifyIdToken(
    token: string,
    expected: { readonly nonce: string; readonly accessToken: string },
    options: CallOptions,
  ): Promise<JWTPayload>
  /** The claims of a logout token (OpenID Connect Back-Channel Logout 1.0, 2.6). @throws an error for a wrong token */
  verifyLogoutToken(token: string, options: CallOptions): Promise<LogoutClaims>
}

/** The claims of a logout token that matter. */
export interface LogoutClaims {
  readonly sub: string | undefined
  readonly sid: string | undefined
  readonly jti: string
  /** Time from which the token is too old, milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Algorithms of signatures whose keys only the issuer has. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
const MAX_TOKEN_LENGTH = 64 * 1024
const MAX_TOKEN_ID_LENGTH = 1024
const MAX_KEYS = 100
const SKEW_S = 60
/** Keys are fetched at most once a minute, also for unknown keys that tokens name. */
const REFETCH_MS = 60_000
const MAX_KEY_AGE_MS = 10 * 60_000
const MAX_LOGOUT_AGE_S = 300
/** Types of ID tokens (RFC 7519, 5.1). A token with another type is an access token, or has a future use. */
const ID_TOKEN_TYPE = /^(?:application\/)?jwt$/i
const LOGOUT_TOKEN_TYPE = /^(?:application\/)?(?:jwt|logout\+jwt)$/i
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'

const decodePart = (part: string): string => Buffer.from(part, 'base64url').toString('utf8')

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function readKeySet(value: unknown): JSONWebKeySet {
  if (!isObject(value) || !Array.isArray(value.keys) || value.keys.length > MAX_KEYS)
    throw new Error('the key set of the issuer is not one')
  const keys = value.keys.filter(isObject).filter(({ kty }) => typeof kty === 'string' && kty !== 'oct')
  return { keys: keys.map((key) => ({ ...key, kty: String(key.kty) })) }
}

/** The keys of the issuer, fetched when they are needed. */
function createKeys({ keysUrl, fetch, clock }: TokenVerifierOptions) {
  let known: { readonly keys: JSONWebKeySet; readonly fetchedAt: number } | undefined
  async function fetchKeys({ signal }: CallOptions): Promise<JSONWebKeySet> {
    const headers = { accept: 'application/json, application/jwk-set+json' }
    const response = await fetch(keysUrl, { method: 'GET', headers, redirect: 'manual', signal })
    if (response.status !== 200)
      throw new AuthError('upstream_failed', 'the keys of the issuer cannot be read', {
        cause: new Error(`status ${response.status}`),
      })
    const keys = readKeySet(await response.json())
    known = { keys, fetchedAt: clock.monotonic() }
    return keys
  }
  const ageMs = (): number => (known === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() - known.fetchedAt)
  return {
    read: async (call: CallOptions): Promise<JSONWebKeySet> =>
      known !== undefined && ageMs() < MAX_KEY_AGE_MS ? known.keys : fetchKeys(call),
    /** Fetches the keys again, unless the last fetch is too recent. */
    readNewer: async (call: CallOptions): Promise<JSONWebKeySet | undefined> =>
      ageMs() < REFETCH_MS ? undefined : fetchKeys(call),
  }
}

function checkShape(token: string): void {
  if (token.length > MAX_TOKEN_LENGTH) throw new Error(`the token is longer than ${MAX_TOKEN_LENGTH} characters`)
  const parts = token.split('.')
  const [header, payload] = parts
  if (parts.length !== 3 || header === undefined || payload === undefined)
    throw new Error('the token is not a signed token')
  for (const text of [decodePart(header), decodePart(payload)]) {
    JSON.parse(text)
    if (hasDuplicateNames(text)) throw new Error('the token has a name twice')
  }
}

/** The hash of an access token as an ID token has it (OpenID Connect Core 1.0, 3.1.3.6). */
function hashAccessToken(accessToken: string, algorithm: string): Buffer {
  const bits = algorithm.startsWith('Ed') ? '512' : algorithm.slice(-3)
  const digest = createHash(`sha${bits}`).update(accessToken).digest()
  return digest.subarray(0, digest.length / 2)
}

function equal(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right)
}

/** Whether a token says that it is of a type, or does not name its type. */
function isOfType({ protectedHeader: { typ } }: JWTVerifyResult, types: RegExp): boolean {
  return typ === undefined || (typeof typ === 'string' && types.test(typ))
}

/** A token whose checks have passed so far. */
interface Verified extends JWTVerifyResult {
  readonly issuedAtS: number
}

/** Verifies tokens with keys of the issuer; the clocks may differ by 60 seconds. */
export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const { issuer, clientId, clock } = options
  const keys = createKeys(options)

  async function verify(token: string, call: CallOptions, requiredClaims: string[]): Promise<Verified> {
    checkShape(token)
    const rules = {
      issuer,
      audience: clientId,
      algorithms: ALGORITHMS,
      clockTolerance: SKEW_S,
      requiredClaims,
      currentDate: new Date(clock.now()),
    }
    const result = await jwtVerify(token, createLocalJWKSet(await keys.read(call)), rules).catch(
      async (error: unknown) => {
        const newer = error instanceof errors.JWKSNoMatchingKey ? await keys.readNewer(call) : undefined
        if (newer === undefined) throw error
        return jwtVerify(token, createLocalJWKSet(newer), rules)
      },
    )
    const { iat, azp, aud } = result.payload
    if (typeof iat !== 'number' || iat > clock.now() / 1000 + SKEW_S) throw new Error('the token is of the future')
    if (azp !== undefined ? azp !== clientId : Array.isArray(aud) && aud.length > 1)
      throw new Error('the token is for another client')
    return { ...result, issuedAtS: iat }
  }

  return {
    async verifyIdToken(token, { nonce, accessToken }, call) {
      const verified = await verify(token, call, ['sub', 'exp', 'iat', 'nonce'])
      if (!isOfType(verified, ID_TOKEN_TYPE)) throw new Error('the token is not an ID token')
      const { payload, protectedHeader } = verified
      if (typeof payload.nonce !== 'string' || !equal(Buffer.from(payload.nonce), Buffer.from(nonce)))
        throw new Error('the token has another nonce')
      const { at_hash: hash } = payload
      if (hash !== undefined) {
        const found = typeof hash === 'string' ? Buffer.from(hash, 'base64url') : Buffer.alloc(0)
        if (!equal(found, hashAccessToken(accessToken, protectedHeader.alg)))
          throw new Error('the token is for another access token')
      }
      return payload
    },
    async verifyLogoutToken(token, call) {
      const verified = await verify(token, call, ['iat', 'jti', 'events'])
      const { issuedAtS, payload } = verified
      const { events, jti, nonce, sub, sid } = payload
      if (
        !isOfType(verified, LOGOUT_TOKEN_TYPE) ||
        !isObject(events) ||
        !isObject(events[LOGOUT_EVENT]) ||
        nonce !== undefined
      )
        throw new Error('the token is not a logout token')
      if (clock.now() / 1000 - issuedAtS > MAX_LOGOUT_AGE_S) throw new Error('the token is too old')
      if (typeof jti !== 'string' || jti === '' || jti.length > MAX_TOKEN_ID_LENGTH)
        throw new Error('the token has no id of its own')
      const named = [sub, sid].filter((name) => name !== undefined)
      if (named.length === 0 || named.some((name) => typeof name !== 'string' || name === ''))
        throw new Error('the token names nobody')
      const expiresAt = (issuedAtS + MAX_LOGOUT_AGE_S + SKEW_S) * 1000
      return { sub, sid: typeof sid === 'string' ? sid : undefined, jti, expiresAt }
    },
  }
}
