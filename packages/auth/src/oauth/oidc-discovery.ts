import * as client from 'openid-client'
import type { CallOptions, Clock } from '../ports/clock.ts'
import { boundFetch, type Fetch, isSafeUrl } from './bounded-fetch.ts'
import { listClientAuthentications } from './client-authentication.ts'
import { providerAway } from './provider.ts'
import { createTokenVerifier, type TokenVerifier } from './token-verifier.ts'

/** Dependencies of {@link createOidcDiscovery}. */
export interface OidcDiscoveryOptions {
  /** Address of the issuer; plain http on this machine only. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret?: string | undefined
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  /** Sends requests. @default the global fetch */
  readonly fetch?: Fetch | undefined
}

/** An issuer whose configuration has been read. */
export interface DiscoveredIssuer {
  /** One for each way in which the client may prove itself. */
  readonly configs: readonly client.Configuration[]
  /** The way that the token endpoint took last. */
  preferred: client.Configuration
  readonly verifier: TokenVerifier
}

/** Discovers the configuration of an issuer. */
export interface OidcDiscovery {
  /** Returns the issuer. The first call reads its configuration. @throws {AuthError} `unavailable` while it is away */
  open(options: CallOptions): Promise<DiscoveredIssuer>
}

const TIMEOUT_S = 10
const CLIENT_METADATA = { [client.clockTolerance]: 60 }
/** Failed discoveries are not repeated more often. */
export const RETRY_MS = 10_000

/** Reads the configuration of an issuer. */
async function discover(options: OidcDiscoveryOptions): Promise<DiscoveredIssuer> {
  const { issuer, clientId, clientSecret, clock } = options
  const bounded = boundFetch(options.fetch)
  const customFetch: client.CustomFetch = (url, { method, headers, body, signal }) => {
    const text = typeof body === 'string' || body instanceof URLSearchParams ? body : undefined
    return bounded(url, { method, headers, body: text, redirect: 'manual', signal })
  }
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
  return { configs: [preferred, ...others], preferred, verifier }
}

/** Discovers an issuer when it is needed first, and remembers it. */
export function createOidcDiscovery(options: OidcDiscoveryOptions): OidcDiscovery {
  const { clock } = options
  let discovered: DiscoveredIssuer | undefined
  let running: Promise<DiscoveredIssuer> | undefined
  let failedAt = Number.NEGATIVE_INFINITY

  async function open({ signal }: CallOptions): Promise<DiscoveredIssuer> {
    signal.throwIfAborted()
    if (discovered !== undefined) return discovered
    if (running === undefined && clock.monotonic() - failedAt < RETRY_MS) throw providerAway(undefined, RETRY_MS)
    running ??= discover(options)
      .then((found) => {
        discovered = found
        return found
      })
      .finally(() => {
        running = undefined
      })
    return running.catch((error: unknown) => {
      failedAt = clock.monotonic()
      throw providerAway(error, RETRY_MS)
    })
  }

  return { open }
}
