import { createOidcProvider, type OidcProvider } from '@svc/auth/oauth'
import { type ClientProof, type HostileIssuer, startHostileIssuer } from '@svc/test-kit'
import { beforeEach, describe, expect, it } from 'vitest'
import { CLIENT, createSignInWorld, createTokenClock, REDIRECT_URI } from './sign-in-world.ts'
import { call } from './world.ts'

const { clientId } = CLIENT
const ADA = { sub: 'ada', email: 'ada@site.example', email_verified: true, name: 'Ada' }

let issuer: HostileIssuer
beforeEach(async () => {
  const started = await startHostileIssuer({ clientId, account: ADA })
  issuer = started
  return () => started[Symbol.asyncDispose]()
})

function createProvider(changes: { readonly clientSecret?: string | undefined } = {}): OidcProvider {
  const clock = createTokenClock()
  return createOidcProvider({ ...CLIENT, ...changes, issuer: issuer.issuer, redirectUri: REDIRECT_URI, clock })
}

/** Signs in at the issuer. */
async function run(provider: OidcProvider, world = createSignInWorld()): Promise<string> {
  return (await world.signInAt(provider, issuer.agree)).subject
}

// verifies auth-api:oidc:client-authentication
describe('A1: a client proves itself', () => {
  it.each<readonly [string, readonly string[] | undefined, ClientProof]>([
    ['nothing', undefined, 'basic'],
    ['no way at all', [], 'basic'],
    ['the header', ['client_secret_basic'], 'basic'],
    ['the form', ['client_secret_post'], 'post'],
    ['the form first, and the header', ['client_secret_post', 'client_secret_basic'], 'basic'],
    ['the form and keys', ['private_key_jwt', 'client_secret_post', 'tls_client_auth'], 'post'],
    ['ways that need no secret of this kind', ['private_key_jwt', 'none'], 'basic'],
  ])('where the metadata names %s', async (_, methods, wanted) => {
    issuer.authMethods = methods
    issuer.checkClient = (proof, secret) => proof === wanted && secret === CLIENT.clientSecret
    expect(await run(createProvider())).toBe('ada')
    expect(issuer.proofs).toEqual([wanted])
  })

  it.each<readonly [string, readonly string[] | undefined, ClientProof, readonly ClientProof[]]>([
    ['is silent and the form is right', undefined, 'post', ['basic', 'post', 'post']],
    ['names the header and the form is right', ['client_secret_basic'], 'post', ['basic', 'post', 'post']],
    ['names the form and the header is right', ['client_secret_post'], 'basic', ['post', 'basic', 'basic']],
    ['names neither and the form is right', ['private_key_jwt'], 'post', ['basic', 'post', 'post']],
    ['names a signed secret and the header is right', ['client_secret_jwt'], 'basic', ['none', 'basic', 'basic']],
  ])('in the other way, from then on, where the metadata %s', async (_, methods, accepted, proofs) => {
    issuer.authMethods = methods
    issuer.checkClient = (proof) => proof === accepted
    const [provider, world] = [createProvider(), createSignInWorld()]
    expect([await run(provider, world), await run(provider, world)]).toEqual(['ada', 'ada'])
    expect(issuer.proofs).toEqual(proofs)
  })

  it.each(['a secret', 'with spaces and: colons', 'ümläut+/=?&', '-_.~!*', 'quote\'"()'])(
    'by the secret %s, in both ways',
    async (clientSecret) => {
      for (const methods of [['client_secret_basic'], ['client_secret_post']]) {
        issuer.authMethods = methods
        issuer.checkClient = (_, secret) => secret === clientSecret
        expect(await run(createProvider({ clientSecret }))).toBe('ada')
      }
      expect(issuer.proofs).toEqual(['basic', 'post'])
    },
  )

  it('by nothing without a secret', async () => {
    issuer.checkClient = (proof) => proof === 'none'
    expect(await run(createProvider({ clientSecret: undefined }))).toBe('ada')
    expect(issuer.proofs).toEqual(['none'])
  })

  it('in no other way when the code is refused, and once in each way when the secret is wrong', async () => {
    issuer.tokenReply = { status: 400, body: { error: 'invalid_grant', error_description: 'code expired' } }
    const failed = { code: 'sign_in_failed', cause: { error: 'invalid_grant', description: 'code expired' } }
    await expect(run(createProvider())).rejects.toMatchObject(failed)
    expect(issuer.proofs).toEqual(['basic'])
    issuer.tokenReply = undefined
    issuer.checkClient = () => false
    const refused = { code: 'sign_in_failed', cause: { error: 'invalid_client', description: 'no basic here' } }
    await expect(run(createProvider())).rejects.toMatchObject(refused)
    expect(issuer.proofs).toEqual(['basic', 'basic', 'post'])
  })
})

// verifies auth-api:oidc:large-tokens
describe('A2: an ID token', () => {
  const groups = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => `/departments/research/teams/group-of-people-${index}`)

  it.each([1, 250, 600])('with %i paths of groups signs in', async (count) => {
    issuer.account = { ...ADA, groups: groups(count) }
    expect(await run(createProvider())).toBe('ada')
  })

  it('has 65,536 characters at most', async () => {
    let length = 0
    const fill = async (wanted: number): Promise<void> => {
      issuer.forge = async ({ claims, sign }) => {
        const { length: bare } = await sign({ ...claims, filler: '' })
        let filler = 'x'.repeat(Math.ceil(((wanted - bare) * 3) / 4) + 3)
        let token = await sign({ ...claims, filler })
        while (token.length > wanted) {
          filler = filler.slice(1)
          token = await sign({ ...claims, filler })
        }
        length = token.length
        return token
      }
    }
    await fill(64 * 1024)
    expect(await run(createProvider())).toBe('ada')
    expect(length).toBeGreaterThan(65_530)
    await fill(64 * 1024 + 8)
    await expect(run(createProvider())).rejects.toMatchObject({
      code: 'sign_in_failed',
      cause: { message: 'the token is longer than 65536 characters' },
    })
    expect(length).toBeGreaterThan(65_536)
  })
})

describe('A3: a refusal of the provider', () => {
  it.each<readonly [object, string, object]>([
    [
      { error: 'access_denied', error_description: 'The person said no' },
      'sign_in_denied',
      { kind: 'invalid_request' },
    ],
    [{ error: 'access_denied' }, 'sign_in_denied', { kind: 'invalid_request' }],
    [{ error: 'login_required', error_description: 'nobody is there' }, 'sign_in_failed', { kind: 'invalid_request' }],
    [{ error: 'consent_required' }, 'sign_in_failed', { kind: 'invalid_request' }],
    [{ error: 'invalid_scope', error_description: 'no such scope' }, 'sign_in_failed', { kind: 'invalid_request' }],
    [{ error: 'server_error', error_description: 'out of order' }, 'provider_unavailable', { kind: 'unavailable' }],
    [{ error: 'temporarily_unavailable' }, 'provider_unavailable', { kind: 'unavailable' }],
    [{ error: 'a word of its own' }, 'sign_in_failed', { kind: 'invalid_request' }],
  ])('%j keeps its words for the log', async (refusal, code, more) => {
    issuer.refusal = refusal as HostileIssuer['refusal']
    const { error, error_description: description } = refusal as { error: string; error_description?: string }
    await expect(run(createProvider())).rejects.toMatchObject({ code, ...more, cause: { error, description } })
  })

  it('is one line without hidden characters, and not endless', async () => {
    issuer.refusal = {
      error: `x\r\n${'y'.repeat(100)}`,
      error_description: `a\u001b[31m\u202eb\u2028${'c'.repeat(5000)}`,
    }
    const failure = (await run(createProvider()).catch((error: unknown) => error)) as { cause: Record<string, string> }
    const { message = '', error = '', description = '' } = failure.cause
    expect(message).toBe(`the provider says ${error}: ${description}`)
    expect(message).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    expect([error.length <= 64, description.length <= 500]).toEqual([true, true])
  })

  it('is read wherever the token endpoint puts it', async () => {
    const body = { error: 'invalid_client', error_description: 'wrong secret' }
    const cause = { error: 'invalid_client', description: 'wrong secret' }
    for (const reply of [
      { status: 400, body },
      { status: 401, body },
      { status: 401, body, headers: { 'www-authenticate': 'Basic realm="x"' } },
      { status: 403, body },
      { status: 200, body },
    ]) {
      issuer.tokenReply = reply
      await expect(run(createProvider()), JSON.stringify(reply)).rejects.toMatchObject({
        code: 'sign_in_failed',
        cause,
      })
    }
  })

  it.each<readonly [string, Partial<HostileIssuer>]>([
    ['cuts the connection of the token endpoint', { down: ['/token'] }],
    ['cuts the connection of the keys', { down: ['/keys'] }],
    ['answers 500', { tokenReply: { status: 500, body: {} } }],
    ['answers 503', { tokenReply: { status: 503, body: { error: 'busy' } } }],
    ['cuts the connection at the discovery', { down: ['/.well-known/openid-configuration'] }],
  ])('is none when it %s: it is away', async (_, orders) => {
    Object.assign(issuer, orders)
    const world = createSignInWorld()
    await expect(run(createProvider(), world)).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'provider_unavailable',
    })
    expect(await world.countUsers()).toBe(0)
  })

  it.each<readonly [string, HostileIssuer['tokenReply']]>([
    ['no JSON', { status: 200, body: 'text' }],
    ['a list', { status: 200, body: [] }],
    ['a token of no type', { status: 200, body: { access_token: 'x' } }],
    ['a redirect', { status: 302, body: {}, headers: { location: 'http://127.0.0.1:9/' } }],
    ['404', { status: 404, body: {} }],
    ['an error that is not text', { status: 400, body: { error: { code: 7 } } }],
  ])('%s is a failure without words', async (_, reply) => {
    issuer.tokenReply = reply
    await expect(run(createProvider())).rejects.toMatchObject({ code: 'sign_in_failed', kind: 'invalid_request' })
  })
})

describe('A4: a browser that comes back', () => {
  it('may bring cookies of others under the same name', async () => {
    const [provider, world] = [createProvider(), createSignInWorld()]
    const { url, browserToken } = await world.signIn.begin(provider, call)
    const { searchParams: parameters } = await issuer.agree(url)
    const complete = (browserTokens: readonly string[]) =>
      world.signIn.complete(provider, { parameters, browserTokens }, call)
    for (const none of [[], ['x'], ['f'.repeat(64)], [browserToken.toUpperCase()]])
      await expect(complete(none)).rejects.toMatchObject({ code: 'invalid_state' })
    const { user } = await complete(['foreign', '0'.repeat(64), browserToken, 'f'.repeat(64)])
    expect(user.subject).toBe('ada')
    await expect(complete([browserToken]), 'once').rejects.toMatchObject({ code: 'invalid_state' })
  })
})
