import {
  createCodeHostProvider,
  createOidcProvider,
  type Fetch,
  isSafeUrl,
  type OidcProvider,
  type SignInProvider,
} from '@svc/auth/oauth'
import type { ServerConfig } from '../../config/schema.ts'
import { StartRefused } from '../../config/start-refused.ts'
import type { Clock, Logger } from '../../ports.ts'
import type { SignInProviders } from './sign-in-routes.ts'

/** Options of {@link createSignInProviders}. */
export interface SignInProviderOptions {
  readonly config: ServerConfig
  /** The port of this server; undefined before it listens. */
  readonly ownPort: () => number | undefined
  /** Sends requests to the providers. */
  readonly fetch: Fetch
  readonly clock: Clock
  readonly log: Logger
}

/** The providers of a configuration. */
export interface ConfiguredProviders {
  readonly providers: SignInProviders
  /** Names of the configured providers. */
  readonly names: readonly string[]
  /** Reads the configuration of the OIDC issuer ahead of the first sign-in. */
  prepare(options: { readonly signal: AbortSignal }): Promise<void>
}

/**
 * The code host and the OIDC issuer, as far as they are configured. They are made when the server listens: without a
 * base URL their callbacks lead to `localhost` and its port.
 *
 * @throws {StartRefused} for a configuration that can never work
 */
export function createSignInProviders(options: SignInProviderOptions): ConfiguredProviders {
  const { config } = options
  const { codehostClientId = '', oidcClientId = '' } = config
  checkConfig(config)
  const codeHost = once(() => createCodeHost(options))
  const oidc = once(() => createOidc(options))
  const names = [...(codehostClientId === '' ? [] : ['github']), ...(oidcClientId === '' ? [] : ['oidc'])]
  return {
    names,
    providers: {
      github: () => (names.includes('github') ? codeHost() : undefined),
      oidc: () => (names.includes('oidc') ? oidc() : undefined),
    },
    async prepare(call) {
      if (names.length > 0 && config.externalBaseUrl === undefined)
        options.log.warn(
          { callbacks: `${toBaseUrl(options)}/api/auth/` },
          'SVC_BASE_URL is not set: browsers come back from sign-in providers to this machine only',
        )
      if (names.includes('oidc')) await oidc().prepare(call)
    },
  }
}

function checkConfig(config: ServerConfig): void {
  const { codehostClientId = '', codehostClientSecret, oidcClientId = '', oidcIssuer } = config
  const { codehostBaseUrl, codehostApiUrl } = config
  if (codehostClientId !== '' && (codehostClientSecret ?? '') === '')
    throw new StartRefused('CODEHOST_CLIENT_ID needs CODEHOST_CLIENT_SECRET', { exitCode: 78 })
  if (oidcClientId !== '' && oidcIssuer === undefined)
    throw new StartRefused('SVC_OIDC_CLIENT_ID needs SVC_OIDC_ISSUER', { exitCode: 78 })
  for (const [variable, address] of Object.entries({
    SVC_OIDC_ISSUER: oidcClientId === '' ? undefined : oidcIssuer,
    CODEHOST_BASE_URL: codehostBaseUrl,
    CODEHOST_API_URL: codehostApiUrl,
  }))
    if (address !== undefined && !isSafeUrl(address))
      throw new StartRefused(`${variable}: plain http is for addresses of this machine alone`, { exitCode: 78 })
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function toBaseUrl({ config, ownPort }: SignInProviderOptions): string {
  return (config.externalBaseUrl ?? `http://localhost:${ownPort() ?? 0}`).replace(/\/+$/, '')
}

function createCodeHost(options: SignInProviderOptions): SignInProvider {
  const { codehostClientId = '', codehostClientSecret = '', codehostBaseUrl, codehostApiUrl } = options.config
  return createCodeHostProvider({
    clientId: codehostClientId,
    clientSecret: codehostClientSecret,
    redirectUri: `${toBaseUrl(options)}/api/auth/github/callback`,
    baseUrl: codehostBaseUrl,
    apiUrl: codehostApiUrl,
    fetch: options.fetch,
  })
}

function createOidc(options: SignInProviderOptions): OidcProvider {
  const { config, fetch, clock, log: logger } = options
  const { oidcIssuer = '', oidcClientId = '', oidcClientSecret } = config
  return createOidcProvider({
    issuer: oidcIssuer,
    clientId: oidcClientId,
    clientSecret: oidcClientSecret,
    redirectUri: `${toBaseUrl(options)}/api/auth/oidc/callback`,
    fetch,
    clock,
    logger,
  })
}
