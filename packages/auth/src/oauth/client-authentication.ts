import * as client from 'openid-client'

type MakeAuthentication = (secret: string) => client.ClientAuth

/** The ways by which a client proves itself with its secret, by their names in the metadata of issuers, best first. */
const METHODS: ReadonlyMap<string, MakeAuthentication> = new Map<string, MakeAuthentication>([
  ['client_secret_basic', client.ClientSecretBasic],
  ['client_secret_post', client.ClientSecretPost],
  ['client_secret_jwt', client.ClientSecretJwt],
])
/** Every client can be tried this way, against its metadata too: some issuers name the wrong way. */
const COMMON: readonly string[] = ['client_secret_basic', 'client_secret_post']

/**
 * The ways by which a client may prove itself at a token endpoint, in the order in which they are tried. The ways that
 * the metadata names go first. `client_secret_basic` is the way where the metadata is silent (OpenID Connect Discovery
 * 1.0, section 3). A client without a secret has one way.
 *
 * @param named `token_endpoint_auth_methods_supported`
 */
export function listClientAuthentications(
  secret: string | undefined,
  named: readonly unknown[] | undefined,
): readonly client.ClientAuth[] {
  if (secret === undefined) return [client.None()]
  const known = [...METHODS.keys()].filter((name) => named?.includes(name))
  return [...new Set([...known, ...COMMON])].flatMap((name) => METHODS.get(name)?.(secret) ?? [])
}

/**
 * Whether a token endpoint has turned the client away, and not the code. The code is unused then: the endpoint checks
 * the client first (RFC 6749, sections 3.2.1 and 5.2).
 */
export function isClientRefusal(error: unknown): boolean {
  if (error instanceof client.ResponseBodyError) return error.error === 'invalid_client' || error.status === 401
  return error instanceof client.WWWAuthenticateChallengeError && error.status === 401
}
