import { createHmac, generateKeyPairSync } from 'node:crypto'
import { createOidcProvider, type OidcProvider } from '@svc/auth/oauth'
import {
  type HostileIssuer,
  startHostileIssuer,
  startHttpServer,
  startOidcIssuer,
  type TokenForger,
} from '@svc/test-kit'
import { exportSPKI, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLIENT, createSignInWorld, createTokenClock, REDIRECT_URI } from './sign-in-world.ts'
import { addUser, call } from './world.ts'

const { clientId } = CLIENT
const ADA = { sub: 'ada', email: 'Ada@Site.example', email_verified: true, name: 'Ada', sid: 'session-7' }

function createProvider(issuer: string, clock = createTokenClock()): OidcProvider {
  return createOidcProvider({ ...CLIENT, issuer, redirectUri: REDIRECT_URI, clock })
}

describe('a sign-in at oidc-provider', () => {
  it('makes an account out of the user info, and finds it again', async () => {
    await using issuer = await startOidcIssuer({
      ...CLIENT,
      redirectUri: REDIRECT_URI,
      toClaims: (login) => ({ email: `${login}@site.example`, email_verified: true, name: login.toUpperCase() }),
    })
    const world = createSignInWorld()
    const provider = createProvider(issuer.issuer)
    const run = (login: string) => world.signInAt(provider, (url) => issuer.agree(url, login))
    const ada = await run('ada')
    expect(ada).toMatchObject({
      provider: 'oidc',
      subject: 'ada',
      email: 'ada@site.example',
      emailVerified: true,
      name: 'ADA',
      role: 'admin',
    })
    expect(await run('ada')).toEqual(ada)
    expect(await run('bob')).toMatchObject({ subject: 'bob', role: 'user' })
    expect(await world.countUsers()).toBe(2)
  })

  it('AU-10: fails with a code of another browser, whose verifier is another', async () => {
    await using issuer = await startOidcIssuer({ ...CLIENT, redirectUri: REDIRECT_URI, toClaims: () => ({}) })
    const world = createSignInWorld()
    const provider = createProvider(issuer.issuer)
    const begin = async (login: string) => {
      const { url, browserToken } = await world.signIn.begin(provider, call)
      return { parameters: (await issuer.agree(url, login)).searchParams, browserTokens: [browserToken] }
    }
    const [victim, attacker] = [await begin('ada'), await begin('eve')]
    victim.parameters.set('code', attacker.parameters.get('code') ?? '')
    await expect(world.signIn.complete(provider, victim, call)).rejects.toMatchObject({
      message: 'OAuth authentication failed',
    })
    expect(await world.countUsers()).toBe(0)
  })
})

/** Signs by hand: header and claims as text. */
const join = (header: string, payload: string): string =>
  [header, payload].map((text) => Buffer.from(text).toString('base64url')).join('.')

const signRaw =
  (toPayload: (claims: string) => string): TokenForger =>
  async ({ claims, kid, privateKey }) => {
    const { CompactSign } = await import('jose')
    const payload = new TextEncoder().encode(toPayload(JSON.stringify(claims)))
    return new CompactSign(payload).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey)
  }

const now = (): number => Math.floor(Date.now() / 1000)

/** Tokens that must not sign anybody in (threats AU-11). */
const MALFORMED: readonly (readonly [string, TokenForger])[] = [
  ['no token', async () => ''],
  ['no parts', async () => 'token'],
  ['two parts', async ({ claims }) => join('{"alg":"ES256"}', JSON.stringify(claims))],
  [
    'no signature',
    async ({ claims, kid }) => `${join(JSON.stringify({ alg: 'ES256', kid }), JSON.stringify(claims))}.`,
  ],
  ['alg none', async ({ claims }) => `${join('{"alg":"none"}', JSON.stringify(claims))}.`],
  ['alg None', async ({ claims }) => `${join('{"alg":"None"}', JSON.stringify(claims))}.`],
  [
    'HS256 with the public key',
    async ({ claims, kid, publicKey }) => {
      const text = join(JSON.stringify({ alg: 'HS256', kid }), JSON.stringify(claims))
      return `${text}.${createHmac('sha256', await exportSPKI(publicKey))
        .update(text)
        .digest('base64url')}`
    },
  ],
  [
    'HS256 with the secret of the client',
    async ({ claims }) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'HS256' })
        .sign(new TextEncoder().encode(CLIENT.clientSecret.padEnd(32, '.'))),
  ],
  [
    'a key of somebody else under the same id',
    async ({ claims, kid }) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'ES256', kid })
        .sign(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
  ],
  ['an unknown key id', async ({ claims, sign }) => sign(claims, { kid: 'unknown' })],
  [
    'a key that the token brings along',
    async ({ claims }) => {
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const jwk = { ...publicKey.export({ format: 'jwk' }), kty: 'EC' }
      return new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', jwk }).sign(privateKey)
    },
  ],
  [
    'a critical extension',
    async ({ claims, kid }) =>
      `${join(JSON.stringify({ alg: 'ES256', kid, crit: ['exp'], exp: 1 }), JSON.stringify(claims))}.AAAA`,
  ],
  ['a changed signature', async ({ claims, sign }) => `${(await sign(claims)).slice(0, -8)}AAAAAAAA`],
  [
    'changed claims',
    async ({ claims, sign }) => {
      const [header, , signature] = (await sign(claims)).split('.')
      return [header, Buffer.from(JSON.stringify({ ...claims, sub: 'boss' })).toString('base64url'), signature].join(
        '.',
      )
    },
  ],
  ['another issuer', async ({ claims, sign }) => sign({ ...claims, iss: 'https://evil.example' })],
  ['no issuer', async ({ claims, sign }) => sign({ ...claims, iss: undefined })],
  ['another audience', async ({ claims, sign }) => sign({ ...claims, aud: 'other' })],
  ['no audience', async ({ claims, sign }) => sign({ ...claims, aud: undefined })],
  ['more audiences and no authorized party', async ({ claims, sign }) => sign({ ...claims, aud: [clientId, 'other'] })],
  ['another authorized party', async ({ claims, sign }) => sign({ ...claims, azp: 'other' })],
  ['an expired token', async ({ claims, sign }) => sign({ ...claims, iat: now() - 600, exp: now() - 61 })],
  ['no expiry', async ({ claims, sign }) => sign({ ...claims, exp: undefined })],
  ['an expiry in words', async ({ claims, sign }) => sign({ ...claims, exp: 'tomorrow' })],
  ['a token of the future', async ({ claims, sign }) => sign({ ...claims, iat: now() + 120 })],
  ['no time of issue', async ({ claims, sign }) => sign({ ...claims, iat: undefined })],
  ['a token that is not valid yet', async ({ claims, sign }) => sign({ ...claims, nbf: now() + 120 })],
  ['another nonce', async ({ claims, sign }) => sign({ ...claims, nonce: 'f'.repeat(64) })],
  ['no nonce', async ({ claims, sign }) => sign({ ...claims, nonce: undefined })],
  ['no subject', async ({ claims, sign }) => sign({ ...claims, sub: undefined })],
  ['an empty subject', async ({ claims, sign }) => sign({ ...claims, sub: '' })],
  ['a subject that is a number', async ({ claims, sign }) => sign({ ...claims, sub: 7 })],
  ['a subject with NUL', async ({ claims, sign }) => sign({ ...claims, sub: 'a\0' })],
  [
    'the hash of another access token',
    async ({ claims, sign }) => sign({ ...claims, at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' }),
  ],
  ['an empty hash of the access token', async ({ claims, sign }) => sign({ ...claims, at_hash: '' })],
  ...['at+jwt', 'application/at+jwt', 'logout+jwt', 'dpop+jwt', 'secevent+jwt', 'JWT+x', 'JWE', ''].map(
    (typ): readonly [string, TokenForger] => [`the type ${typ}`, async ({ claims, sign }) => sign(claims, { typ })],
  ),
  ['a claim twice', signRaw((claims) => claims.replace('{', '{"sub":"boss",'))],
  ['a claim twice, once with escapes', signRaw((claims) => claims.replace('{', '{"s\\u0075b":"boss",'))],
  ['claims that are a list', signRaw((claims) => `[${claims}]`)],
  ['claims that are no JSON', signRaw((claims) => claims.slice(1))],
  ['a token of 1 MB', async ({ claims, sign }) => sign({ ...claims, filler: 'x'.repeat(1_000_000) })],
]

describe('a hostile issuer', () => {
  let issuer: HostileIssuer
  beforeAll(async () => {
    issuer = await startHostileIssuer({ clientId, account: ADA })
  })
  afterAll(() => issuer[Symbol.asyncDispose]())

  /** The issuer as it was at first. */
  function reset(): void {
    issuer.account = ADA
    issuer.forge = ({ claims, sign }) => sign(claims)
    issuer.userInfo = undefined
    issuer.keySet = undefined
    issuer.discoveryStatus = 200
  }

  it('that behaves signs in', async () => {
    reset()
    const world = createSignInWorld()
    const provider = createProvider(issuer.issuer)
    const { url, browserToken } = await world.signIn.begin(provider, call)
    const { searchParams: parameters } = await issuer.agree(url)
    const { user, providerSession } = await world.signIn.complete(
      provider,
      { parameters, browserTokens: [browserToken] },
      call,
    )
    expect(user).toMatchObject({ subject: 'ada', email: 'ada@site.example', emailVerified: true })
    expect(providerSession).toBe('session-7')
  })

  // verifies auth-config:oidc:token-type
  it('may say that its tokens are JWTs', async () => {
    const world = createSignInWorld()
    for (const header of [{}, { typ: 'JWT' }, { typ: 'jwt' }, { typ: 'application/jwt' }]) {
      reset()
      issuer.forge = ({ claims, sign }) => sign(claims, header)
      expect(await world.signInAt(createProvider(issuer.issuer), issuer.agree)).toMatchObject({ subject: 'ada' })
    }
  })

  it('has its names and pictures cleaned', async () => {
    const world = createSignInWorld()
    for (const [claims, expected] of [
      [{ name: 'Ad\u200ba\u202e' }, { name: 'Ada' }],
      [{ name: '\u0410d\u0430' }, { name: 'Ada' }],
      [{ name: 'Ada\n\u001b[2Jroot' }, { name: 'Ada [2Jroot' }],
      [{ name: '\u200b', preferred_username: 'ada7' }, { name: 'ada7' }],
      [{ name: 'Анна 👩‍💻' }, { name: 'Анна 👩‍💻' }],
      [{ email: 'ADA@SITE.example' }, { email: 'ada@site.example' }],
      [{ picture: 'https://pics.example/7' }, { avatarUrl: 'https://pics.example/7' }],
      [{ picture: 'http://pics.example/7' }, { avatarUrl: '' }],
      [{ picture: 'https://me:x@pics.example/7' }, { avatarUrl: '' }],
      [{ picture: 'https://pics.example/\n7' }, { avatarUrl: '' }],
      [{ picture: 'data:image/png;base64,' }, { avatarUrl: '' }],
    ] as const) {
      reset()
      issuer.account = { ...ADA, ...claims }
      const user = await world.signInAt(createProvider(issuer.issuer), issuer.agree)
      expect(user, JSON.stringify(claims)).toMatchObject(expected)
    }
  })

  it('whose address looks like another one makes an account without address', async () => {
    for (const email of ['\u0430da@site.example', 'ad\u200ba@site.example', 'ada@sit\u0435.example']) {
      reset()
      const world = createSignInWorld({ admin: { email: 'ada@site.example' } })
      await world.signInAt(createProvider(issuer.issuer), issuer.agree)
      issuer.account = { ...ADA, sub: 'eve', email }
      expect(await world.signInAt(createProvider(issuer.issuer), issuer.agree)).toMatchObject({
        subject: 'eve',
        email: '',
        emailVerified: false,
        role: 'user',
      })
    }
  })

  it('may be 60 seconds off', async () => {
    reset()
    const world = createSignInWorld()
    for (const seconds of [-55, 55]) {
      issuer.forge = ({ claims, sign }) => sign({ ...claims, iat: now() + seconds, exp: now() + seconds + 1 })
      expect(await world.signInAt(createProvider(issuer.issuer), issuer.agree)).toMatchObject({ subject: 'ada' })
    }
  })

  it('has more than 30 tokens to try', () => {
    expect(MALFORMED.length).toBeGreaterThanOrEqual(30)
  })

  it.each(MALFORMED)('AU-11: signs nobody in with %s', async (_, forge) => {
    reset()
    issuer.forge = forge
    const world = createSignInWorld()
    await expect(world.signInAt(createProvider(issuer.issuer), issuer.agree)).rejects.toMatchObject({
      kind: 'invalid_request',
      code: 'sign_in_failed',
      message: 'OAuth authentication failed',
    })
    expect(await world.countUsers()).toBe(0)
  })

  it.each([
    ['not one', () => 'keys'],
    ['huge', () => ({ keys: [], filler: 'x'.repeat(2_000_000) })],
    ['of too many keys', () => ({ keys: Array.from({ length: 101 }, () => ({ kty: 'EC' })) })],
    ['of shared secrets', () => ({ keys: [{ kty: 'oct', k: 'c2VjcmV0', alg: 'HS256' }] })],
    ['empty', () => ({ keys: [] })],
  ])('AU-11: signs nobody in with a key set that is %s', async (_, keySet) => {
    reset()
    issuer.keySet = keySet
    const world = createSignInWorld()
    await expect(world.signInAt(createProvider(issuer.issuer), issuer.agree)).rejects.toMatchObject({
      code: 'sign_in_failed',
    })
    expect(await world.countUsers()).toBe(0)
  })

  it('AU-11: may rotate its keys, which are asked for once a minute at most', async () => {
    reset()
    const clock = createTokenClock()
    const provider = createProvider(issuer.issuer, clock)
    const world = createSignInWorld()
    const run = () => world.signInAt(provider, issuer.agree)
    await run()
    const before = issuer.keyRequests
    await run()
    await issuer.rotateKey()
    await expect(run(), 'too early to look again').rejects.toMatchObject({ code: 'sign_in_failed' })
    await expect(run()).rejects.toMatchObject({ code: 'sign_in_failed' })
    expect(issuer.keyRequests).toBe(before)
    clock.ahead += 60_000
    expect(await run()).toMatchObject({ subject: 'ada' })
    expect(issuer.keyRequests).toBe(before + 1)
  })

  it.each([
    ['missing', {}],
    ['false', { email_verified: false }],
    ['text', { email_verified: 'true' }],
    ['a number', { email_verified: 1 }],
  ])('AU-12: promotes nobody when the verification is %s', async (_, verification) => {
    reset()
    const email = 'boss@site.example'
    issuer.account = { sub: 'eve', email, ...verification }
    const world = createSignInWorld({ mode: 'approval', admin: { email } })
    await addUser(world.stores, 'first@site.example')
    const local = await addUser(world.stores, email, { mode: 'open' })
    await expect(world.signInAt(createProvider(issuer.issuer), issuer.agree)).rejects.toMatchObject({
      kind: 'forbidden',
    })
    expect(await world.stores.users.findBySubject({ provider: 'oidc', subject: 'eve' }, call)).toMatchObject({
      role: 'user',
      status: 'pending',
      emailVerified: false,
    })
    expect(await world.stores.users.findById(local.id, call)).toEqual(local)
  })

  it('AU-12: cannot have the address of one source verified by the other', async () => {
    reset()
    const email = 'boss@site.example'
    issuer.account = { sub: 'eve', email }
    issuer.userInfo = { sub: 'eve', email: 'eve@site.example', email_verified: true }
    const world = createSignInWorld({ admin: { email } })
    await addUser(world.stores, 'first@site.example')
    const provider = createProvider(issuer.issuer)
    expect(await world.signInAt(provider, issuer.agree)).toMatchObject({ email, emailVerified: false, role: 'user' })
  })

  it('cannot change the subject in its user info', async () => {
    reset()
    issuer.account = { sub: 'eve' }
    issuer.userInfo = { sub: 'boss', email: 'boss@site.example', email_verified: true }
    const world = createSignInWorld()
    await expect(world.signInAt(createProvider(issuer.issuer), issuer.agree)).rejects.toMatchObject({
      kind: 'upstream_failed',
    })
    expect(await world.countUsers()).toBe(0)
  })

  it('that is away is asked again, and takes nothing else with it', async () => {
    reset()
    issuer.discoveryStatus = 500
    const clock = createTokenClock()
    const provider = createProvider(issuer.issuer, clock)
    const world = createSignInWorld()
    expect(await provider.prepare(call)).toBe(false)
    issuer.discoveryStatus = 200
    await expect(world.signIn.begin(provider, call)).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'provider_unavailable',
    })
    clock.ahead += 10_000
    expect(await world.signInAt(provider, issuer.agree)).toMatchObject({ subject: 'ada' })
    expect(await provider.prepare(call)).toBe(true)
  })
})

it('does not follow the redirect of an issuer', async () => {
  let asked = 0
  await using elsewhere = await startHttpServer((_, response) => {
    asked += 1
    response.end('{}')
  })
  await using issuer = await startHttpServer((_, response) => {
    response.writeHead(302, { location: elsewhere.origin }).end()
  })
  expect(await createProvider(issuer.origin).prepare(call)).toBe(false)
  expect(asked).toBe(0)
})

it.each(['http://issuer.example', 'file:///etc/passwd', 'issuer'])(
  'the address %s of an issuer is refused',
  (issuer) => {
    expect(() => createProvider(issuer)).toThrow('createOidcProvider: issuer must be an https address')
  },
)
