import * as client from 'openid-client'
import { AuthError } from '../errors.ts'
import type { CallOptions } from '../ports/clock.ts'
import { boundFetch, type Fetch } from './bounded-fetch.ts'
import { type SignInProvider, toIdentity, toSignInError } from './provider.ts'

/** Options of `createCodeHostProvider`. */
export interface CodeHostOptions {
  readonly clientId: string
  readonly clientSecret: string
  /** The address to which the provider sends browsers back. */
  readonly redirectUri: string
  /** @default https://github.com */
  readonly baseUrl?: string | undefined
  /** @default https://api.github.com */
  readonly apiUrl?: string | undefined
  /** Sends requests. @default the global fetch */
  readonly fetch?: Fetch | undefined
}

const SCOPES = 'read:user user:email'
const BASE_URL = 'https://github.com'
const API_URL = 'https://api.github.com'

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null

/** The address of an account: its verified primary one, else another verified one, else the public one, unverified. */
function pickEmail(user: Fields, emails: readonly Fields[]): { readonly email?: unknown; readonly verified?: unknown } {
  const verified = emails.filter((entry) => entry.verified === true)
  return verified.find((entry) => entry.primary === true) ?? verified[0] ?? { email: user.email, verified: false }
}

/** Sign-in at a code host by authorization code with PKCE. */
export function createLoadedCodeHostProvider(options: CodeHostOptions): SignInProvider {
  const { clientId, clientSecret, redirectUri, baseUrl = BASE_URL, apiUrl = API_URL } = options
  const bounded = boundFetch(options.fetch)
  const base = baseUrl.replace(/\/+$/, '')
  const api = apiUrl.replace(/\/+$/, '')
  const config = new client.Configuration(
    {
      issuer: base,
      authorization_endpoint: `${base}/login/oauth/authorize`,
      token_endpoint: `${base}/login/oauth/access_token`,
    },
    clientId,
    {},
    client.ClientSecretPost(clientSecret),
  )
  config.timeout = 10
  config[client.customFetch] = (url, { method, headers, body, signal }) => {
    const text = typeof body === 'string' || body instanceof URLSearchParams ? body : undefined
    return bounded(url, { method, headers, body: text, redirect: 'manual', signal })
  }
  if (new URL(base).protocol === 'http:') client.allowInsecureRequests(config)

  async function read(path: string, accessToken: string, { signal }: CallOptions): Promise<unknown> {
    const headers = { accept: 'application/json', authorization: `Bearer ${accessToken}`, 'user-agent': 'svc' }
    const response = await bounded(`${api}${path}`, { method: 'GET', headers, redirect: 'manual', signal })
    if (response.status !== 200) throw new Error(`${path} answers ${response.status}`)
    return response.json()
  }

  async function readAccount(accessToken: string, call: CallOptions) {
    try {
      const user = await read('/user', accessToken, call)
      const emails = await read('/user/emails', accessToken, call)
      if (!isFields(user) || !Array.isArray(emails)) throw new Error('the code host names no account')
      return { user, emails: emails.filter(isFields) }
    } catch (cause) {
      call.signal.throwIfAborted()
      throw new AuthError('upstream_failed', 'failed to fetch user info', { code: 'user_info_failed', cause })
    }
  }

  return {
    name: 'github',
    async createUrl({ state, codeVerifier }) {
      return client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: SCOPES,
        state,
        code_challenge_method: 'S256',
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      })
    },
    async readIdentity({ parameters, state, codeVerifier }, call) {
      const url = new URL(redirectUri)
      url.search = parameters.toString()
      const tokens = await client
        .authorizationCodeGrant(config, url, { pkceCodeVerifier: codeVerifier, expectedState: state })
        .catch(async (cause: unknown) => {
          call.signal.throwIfAborted()
          throw await toSignInError(cause)
        })
      const { user, emails } = await readAccount(tokens.access_token, call)
      const { email, verified } = pickEmail(user, emails)
      return toIdentity({
        subject: typeof user.id === 'number' && Number.isSafeInteger(user.id) ? String(user.id) : undefined,
        email,
        emailVerified: verified,
        name: [user.name, user.login],
        avatarUrl: user.avatar_url,
      })
    },
  }
}
