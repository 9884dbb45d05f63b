import type { OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/sdk/client/auth.js'
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js'
import type { OAuthSettings } from '../catalog/mcp-settings.ts'
import type { SealedRecords } from './sealed-records.ts'

/** What a sign-in leaves. */
export interface SignInRecord {
  readonly tokens?: OAuthTokens | undefined
  /** A client that was registered for this server. */
  readonly client?: OAuthClientInformationMixed | undefined
  /** The address that the client is registered with. */
  readonly redirectUrl?: string | undefined
  readonly discovery?: OAuthDiscoveryState | undefined
  /** The scope that the server asked for when the tokens were not enough. */
  readonly wantedScope?: string | undefined
}

/** Options of {@link createSignInProvider}. */
export interface SignInProviderOptions {
  readonly id: string
  readonly settings: OAuthSettings
  readonly records: SealedRecords<SignInRecord>
  /** Where a browser comes back to; undefined for the grant `client`. */
  readonly redirectUrl: string | undefined
  readonly state: string
  /** The verifier of the sign-in that is to be finished; empty where none is. */
  readonly verifier: string
  /** Takes the address at which a person signs in. @throws where nobody can */
  readonly onAuthorize: (url: URL) => void | Promise<void>
}

/** Creates what the protocol library asks for tokens. */
export function createSignInProvider(options: SignInProviderOptions): OAuthClientProvider {
  const { id, settings, records, redirectUrl, state, onAuthorize } = options
  const { clientId, clientSecret, scope, grant } = settings
  let { verifier } = options
  /** The tokens that were used last. */
  let used: OAuthTokens | undefined
  const change = (part: Partial<SignInRecord>) => records.change(id, (record) => ({ ...record, ...part }))
  const clientMetadata: OAuthClientMetadata = {
    client_name: 'svc',
    redirect_uris: redirectUrl === undefined ? [] : [redirectUrl],
    grant_types: grant === 'client' ? ['client_credentials'] : ['authorization_code', 'refresh_token'],
    response_types: grant === 'client' ? [] : ['code'],
    token_endpoint_auth_method: clientSecret === undefined ? 'none' : 'client_secret_basic',
    ...(scope === undefined ? {} : { scope }),
  }
  const named: OAuthClientInformationMixed | undefined =
    clientId === undefined
      ? undefined
      : { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) }
  return {
    redirectUrl,
    clientMetadata,
    state: () => state,
    async clientInformation() {
      if (named !== undefined) return named
      const record = await records.get(id)
      return record?.redirectUrl === redirectUrl ? record?.client : undefined
    },
    ...(named === undefined
      ? { saveClientInformation: (client: OAuthClientInformationMixed) => change({ client, redirectUrl }) }
      : {}),
    async tokens() {
      used = (await records.get(id))?.tokens
      return used
    },
    saveTokens: (tokens) => change({ tokens }),
    redirectToAuthorization: onAuthorize,
    saveCodeVerifier(value) {
      verifier = value
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (discovery) => change({ discovery }),
    discoveryState: async () => (await records.get(id))?.discovery,
    async invalidateCredentials(what) {
      if (what === 'verifier') verifier = ''
      else if (what === 'tokens') await records.change(id, (record) => dropTokens(record, used))
      else if (what === 'all') await records.change(id, () => undefined)
      else await change({ [what]: undefined })
    },
    ...(grant === 'client'
      ? {
          prepareTokenRequest: (asked?: string) => {
            const wanted = asked ?? scope
            return new URLSearchParams({
              grant_type: 'client_credentials',
              ...(wanted === undefined ? {} : { scope: wanted }),
            })
          },
        }
      : {}),
  }
}

/** Forgets tokens that are of no use any more, unless another server has renewed them meanwhile. */
function dropTokens(record: SignInRecord | undefined, used: OAuthTokens | undefined): SignInRecord | undefined {
  const isSame = record?.tokens?.access_token === used?.access_token
  return isSame ? { ...record, tokens: undefined } : record
}
