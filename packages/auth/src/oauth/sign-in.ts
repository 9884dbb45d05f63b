import { AuthError } from '../errors.ts'
import type { CallOptions } from '../ports/clock.ts'
import type { SignInStore } from '../ports/credentials.ts'
import type { User } from '../ports/users.ts'
import { createToken } from '../token-hasher.ts'
import { createIdentityAdmission, type IdentityAdmissionOptions } from './identity-admission.ts'
import { readRefusal, type SignInProvider, type SignInSecrets } from './provider.ts'

/** Options of {@link createSignIn}. */
export interface SignInOptions extends IdentityAdmissionOptions {
  readonly signIns: SignInStore
  /** Sign-ins under way at a time. @default 10000 */
  readonly maxRunning?: number | undefined
}

/** A sign-in that has begun. */
export interface BegunSignIn {
  /** The address to which the browser goes. */
  readonly url: URL
  /** Belongs in a cookie of the browser (`oauth_state`) until it comes back. */
  readonly browserToken: string
  /** Lifetime of the cookie. */
  readonly maxAgeMs: number
}

/** The parameters that a browser brings back. */
export interface SignInCallback {
  readonly parameters: URLSearchParams
  /** The values of all cookies of the name: another program of the same host may use it too. */
  readonly browserTokens: readonly string[]
  readonly inviteCode?: string | undefined
}

/** Sign-in at providers by authorization code. */
export interface SignIn {
  /** @throws {AuthError} `unavailable`, `rate_limited` when too many are under way */
  begin(provider: SignInProvider, options: CallOptions): Promise<BegunSignIn>
  /**
   * The account of a browser that comes back; a new one by the rules of registration. Only the provider and its subject
   * find the account: an address never merges two accounts.
   *
   * @throws {AuthError} `invalid_request`, with the codes `invalid_state`, `missing_code`, `sign_in_failed`,
   *   `sign_in_denied`, `invite_required`, `invalid_invite`; `forbidden` for an account that waits or is disabled;
   *   `unavailable` while the provider is away
   */
  complete(
    provider: SignInProvider,
    callback: SignInCallback,
    options: CallOptions,
  ): Promise<{ readonly user: User; readonly providerSession: string | undefined }>
}

const LIFETIME_MS = 10 * 60_000
const MAX_RUNNING = 10_000
const TOKEN = /^[0-9a-f]{64}$/

const invalidState = (cause?: unknown): AuthError =>
  new AuthError('invalid_request', 'invalid OAuth state', { code: 'invalid_state', cause })

/** The value of a parameter that occurs exactly once, else undefined. */
function readSingle(parameters: URLSearchParams, name: string): string | undefined {
  const [value, ...others] = parameters.getAll(name)
  return others.length === 0 ? value : undefined
}

/** Sign-in at providers, over the stores of accounts. */
export function createSignIn(options: SignInOptions): SignIn {
  const { signIns, hasher, clock, maxRunning = MAX_RUNNING } = options
  const admission = createIdentityAdmission(options)

  /** Verifier and nonce come out of the state and the browser's token, so that no store holds them. */
  function derive(provider: SignInProvider, state: string, browserToken: string): SignInSecrets & { hash: string } {
    const base = `${provider.name}:${state}:${browserToken}`
    const hash = (use: string): string => hasher.hash('sign-in', `${use}:${base}`)
    return { state, nonce: hash('nonce'), codeVerifier: hash('verifier'), hash: hash('flow') }
  }

  /** The secrets of the sign-in of one of the browser's tokens; undefined where there is none. */
  async function consume(
    provider: SignInProvider,
    state: string,
    { signal, browserTokens }: CallOptions & { readonly browserTokens: readonly string[] },
  ): Promise<SignInSecrets | undefined> {
    const tokens = TOKEN.test(state) ? browserTokens.filter((token) => TOKEN.test(token)) : []
    for (const token of tokens) {
      const secrets = derive(provider, state, token)
      if (await signIns.consume({ hash: secrets.hash, now: clock.now() }, { signal })) return secrets
    }
    return undefined
  }

  return {
    async begin(provider, call) {
      const [state, browserToken, now] = [createToken(), createToken(), clock.now()]
      const secrets = derive(provider, state, browserToken)
      const url = await provider.createUrl(secrets, call)
      const flow = { hash: secrets.hash, now, expiresAt: now + LIFETIME_MS }
      if (!(await signIns.begin(flow, { ...call, maxRunning })))
        throw new AuthError('rate_limited', 'too many sign-ins are under way', {
          code: 'too_many_sign_ins',
          retryAfterMs: 60_000,
        })
      return { url, browserToken, maxAgeMs: LIFETIME_MS }
    },
    async complete(provider, { parameters, browserTokens, inviteCode }, call) {
      const refusal = readRefusal(parameters)
      // some providers send a refusal back without its state; it ends only this try
      if (refusal !== undefined && !parameters.has('state')) throw refusal
      const state = readSingle(parameters, 'state') ?? ''
      const secrets = await consume(provider, state, { ...call, browserTokens })
      if (secrets === undefined) throw invalidState(refusal?.cause)
      if (refusal !== undefined) throw refusal
      if ((readSingle(parameters, 'code') ?? '') === '')
        throw new AuthError('invalid_request', 'missing authorization code', { code: 'missing_code' })
      const identity = await provider.readIdentity({ ...secrets, parameters }, call)
      const user = await admission.admit(provider.name, identity, { ...call, inviteCode })
      return { user, providerSession: identity.providerSession }
    },
  }
}
