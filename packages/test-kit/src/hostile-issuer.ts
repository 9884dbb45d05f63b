import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose'
import { startHttpServer } from './http-server.ts'

/** Claims of a token. */
export type TokenClaims = Readonly<Record<string, unknown>>

/** The tools of a {@link TokenForger}. */
export interface ForgeContext {
  /** Claims of a token that holds. */
  readonly claims: TokenClaims
  readonly accessToken: string
  readonly kid: string
  /** The key of today. */
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
  /** Signs claims with the key of today. @param header instead of its usual header */
  sign(claims: TokenClaims, header?: Partial<JWTHeaderParameters>): Promise<string>
}

/** Makes the ID token of the next sign-in. */
export type TokenForger = (context: ForgeContext) => Promise<string>

/** The words of a refusal. */
export interface Refusal {
  readonly error: string
  readonly error_description?: string
}

/** A way by which a client proves itself at the token endpoint. */
export type ClientProof = 'basic' | 'post' | 'none'

/** An OIDC issuer that a test controls: it may lie about everything. */
export interface HostileIssuer extends AsyncDisposable {
  readonly issuer: string
  readonly port: number
  /** Claims of the account beside the claims of the sign-in, such as `email`. */
  account: TokenClaims
  forge: TokenForger
  /** Answers the userinfo endpoint; undefined means that there is no such endpoint. */
  userInfo: TokenClaims | undefined
  /** Answers the key set. @default the keys that were rotated in, newest last */
  keySet: (() => unknown) | undefined
  /** Answers discovery with this status. */
  discoveryStatus: number
  /** The ways to prove a client that the metadata names; undefined means that it is silent. */
  authMethods: readonly string[] | undefined
  /** Looks at how a client has proved itself. @default every way will do */
  checkClient: (proof: ClientProof, secret: string) => boolean
  /** Ways in which clients have proved themselves, oldest first. */
  readonly proofs: ClientProof[]
  /** Sends browsers back with a refusal. */
  refusal: Refusal | undefined
  /** Answers the token endpoint. */
  tokenReply: { readonly status: number; readonly body: unknown; readonly headers?: Record<string, string> } | undefined
  /** Cuts every connection to these paths. */
  down: readonly string[]
  /** Number of requests for the key set. */
  readonly keyRequests: number
  /** Makes a new key and takes the old one away. */
  rotateKey(): Promise<void>
  /** Goes where a sign-in sends the browser, and agrees. @returns where the browser is sent back to */
  agree(url: URL): Promise<URL>
  /** Signs claims with the key of today, as {@link ForgeContext.sign} does. */
  sign(claims: TokenClaims, header?: Partial<JWTHeaderParameters>): Promise<string>
}

interface KeyPair {
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
  readonly jwk: JWK
}

async function makeKey(): Promise<KeyPair> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const kid = randomBytes(6).toString('hex')
  return { kid, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' } }
}

function reply(response: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

/** The client's form of proof, and its secret. */
function readProof(authorization: string | undefined, form: URLSearchParams): readonly [ClientProof, string] {
  if (authorization?.startsWith('Basic ') === true) {
    const [, secret = ''] = Buffer.from(authorization.slice(6), 'base64').toString().split(':')
    return ['basic', decodeURIComponent(secret.replaceAll('+', '%20'))]
  }
  const secret = form.get('client_secret')
  return secret === null ? ['none', ''] : ['post', secret]
}

type Orders = Pick<
  HostileIssuer,
  | ('account' | 'forge' | 'userInfo' | 'keySet' | 'discoveryStatus')
  | ('authMethods' | 'checkClient' | 'proofs' | 'refusal' | 'tokenReply' | 'down')
>

/** The client of an issuer. */
interface IssuerClient {
  readonly clientId: string
  readonly account: TokenClaims
  /** Its address elsewhere, which leads here. @default that of its own port */
  readonly issuer?: string
}

/** The state of a running issuer. */
interface IssuerState {
  readonly clientId: string
  readonly orders: Orders
  /** By the code of the sign-in. */
  readonly nonces: Map<string, string>
  key: KeyPair
  keyRequests: number
}

/** A request to an endpoint of an issuer. */
interface IssuerRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly origin: string
  readonly url: URL
}

type Endpoint = (state: IssuerState, call: IssuerRequest) => void

const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  '/.well-known/openid-configuration': ({ orders }, { response, origin }) =>
    reply(response, createMetadata(orders, origin), orders.discoveryStatus),
  '/keys': (state, { response }) => {
    state.keyRequests += 1
    reply(response, state.orders.keySet === undefined ? { keys: [state.key.jwk] } : state.orders.keySet())
  },
  '/userinfo': ({ orders }, { response }) => reply(response, orders.userInfo ?? {}),
  '/authorize': (state, { response, url }) => {
    response.writeHead(302, { location: authorize(state, url).href }).end()
  },
  '/token': (state, { request, response, origin }) => {
    let text = ''
    request.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    request.on('end', () => {
      const { authorization } = request.headers
      const form = new URLSearchParams(text)
      answerToken(state, { origin, authorization, form }, response).catch(() => response.destroy())
    })
  },
}

function createMetadata(orders: Orders, origin: string): Readonly<Record<string, unknown>> {
  return {
    issuer: origin,
    jwks_uri: `${origin}/keys`,
    token_endpoint: `${origin}/token`,
    authorization_endpoint: `${origin}/authorize`,
    ...(orders.userInfo === undefined ? {} : { userinfo_endpoint: `${origin}/userinfo` }),
    id_token_signing_alg_values_supported: ['ES256', 'RS256', 'HS256', 'none'],
    token_endpoint_auth_methods_supported: orders.authMethods,
  }
}

/** Agrees to a sign-in, or refuses it when ordered so. @returns where the browser is sent back to */
function authorize({ orders, nonces }: IssuerState, url: URL): URL {
  const code = randomBytes(8).toString('hex')
  nonces.set(code, url.searchParams.get('nonce') ?? '')
  const target = new URL(url.searchParams.get('redirect_uri') ?? '')
  for (const [name, value] of Object.entries(orders.refusal ?? { code })) target.searchParams.set(name, value)
  target.searchParams.set('state', url.searchParams.get('state') ?? '')
  return target
}

async function answerToken(
  state: IssuerState,
  { origin, authorization, form }: { origin: string; authorization: string | undefined; form: URLSearchParams },
  response: ServerResponse,
): Promise<void> {
  const { orders } = state
  const [proof, secret] = readProof(authorization, form)
  orders.proofs.push(proof)
  if (orders.tokenReply !== undefined) {
    const { body, status, headers } = orders.tokenReply
    reply(response, body, status, headers)
    return
  }
  if (!orders.checkClient(proof, secret)) {
    // RFC 6749, section 5.2: a client that has used the header learns the scheme
    const headers = proof === 'basic' ? { 'www-authenticate': 'Basic realm="issuer"' } : undefined
    reply(response, { error: 'invalid_client', error_description: `no ${proof} here` }, 401, headers)
    return
  }
  reply(response, await createTokens(state, origin, form.get('code') ?? ''))
}

/** Creates the tokens of a sign-in. */
async function createTokens(
  state: IssuerState,
  origin: string,
  code: string,
): Promise<Readonly<Record<string, unknown>>> {
  const { clientId, orders, nonces, key } = state
  const accessToken = randomBytes(16).toString('hex')
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: origin, aud: clientId, iat: now, exp: now + 300, nonce: nonces.get(code), ...orders.account }
  const idToken = await orders.forge({
    claims,
    accessToken,
    kid: key.kid,
    privateKey: key.privateKey,
    publicKey: key.publicKey,
    sign: createSigner(state),
  })
  return { access_token: accessToken, token_type: 'Bearer', expires_in: 300, id_token: idToken }
}

/** Creates a function that signs claims with the key of today. */
function createSigner(state: Pick<IssuerState, 'key'>): ForgeContext['sign'] {
  return (claims, header = {}) => {
    const { kid, privateKey } = state.key
    return new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', kid, ...header }).sign(privateKey)
  }
}

function createOrders(account: TokenClaims): Orders {
  return {
    account,
    forge: ({ claims, sign: signClaims }) => signClaims(claims),
    userInfo: undefined,
    keySet: undefined,
    discoveryStatus: 200,
    authMethods: undefined,
    checkClient: () => true,
    proofs: [],
    refusal: undefined,
    tokenReply: undefined,
    down: [],
  }
}

/** Starts an issuer. Without further orders its sign-ins hold. */
export async function startHostileIssuer({ clientId, account, issuer }: IssuerClient): Promise<HostileIssuer> {
  const orders = createOrders(account)
  const state: IssuerState = { clientId, orders, nonces: new Map(), key: await makeKey(), keyRequests: 0 }
  const server = await startHttpServer((request, response) => {
    const origin = issuer ?? server.origin
    const url = new URL(request.url ?? '/', origin)
    const endpoint = ENDPOINTS[url.pathname]
    if (orders.down.includes(url.pathname)) response.destroy()
    else if (endpoint === undefined) reply(response, { error: 'not_found' }, 404)
    else endpoint(state, { request, response, origin, url })
  })

  return Object.assign(
    Object.defineProperty(orders, 'keyRequests', { get: () => state.keyRequests }) as typeof orders & {
      readonly keyRequests: number
    },
    {
      issuer: issuer ?? server.origin,
      port: server.port,
      sign: createSigner(state),
      async rotateKey() {
        state.key = await makeKey()
      },
      async agree(url: URL) {
        const own = new URL(`${url.pathname}${url.search}`, server.origin)
        const response = await fetch(own, { redirect: 'manual' })
        return new URL(response.headers.get('location') ?? '')
      },
      [Symbol.asyncDispose]: () => server.close(),
    },
  )
}
