import { tempDir } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'
import { type AccountsWorld, createMovableClock, PASSWORD, startAccountsWorld } from '../support/accounts-world.ts'
import { startTestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const DAY_MS = 86_400_000
const SHARED = 'shared-key-of-everybody'
const ME = '/api/auth/me'

const clock = createMovableClock()
let world: AccountsWorld
beforeAll(async () => {
  world = await startAccountsWorld({ clock, flags: [`--api-keys=${SHARED}`] })
})
afterAll(() => world.close())

const statusWith = async (headers: Record<string, string>, path = ME): Promise<number> =>
  (await world.call(path, { headers })).status

describe('accounts', () => {
  verifies(['auth-config:accounts:off', 'auth:build:always'], 'are off by default and need nothing else', async () => {
    await using server = await startTestServer()
    const status = await server.call('/api/auth/status')
    expect(status.json()).toEqual({
      authEnabled: false,
      staticApiKeyRequired: false,
      providers: [],
      hasUsers: false,
      registrationMode: 'approval',
      user: null,
    })
    expect((await server.call('/system')).status).toBe(200)
    const form = { email: 'a@site.example', password: PASSWORD }
    for (const path of ['/api/auth/register', '/api/auth/login'])
      expect((await server.post(path, form)).status, path).toBe(403)
    expect((await server.call(ME)).json()).toMatchObject({ role: 'admin', id: 'local', quotas: [] })
  })

  verifies(
    ['auth:mode:accounts-flag', 'auth:mode:accounts-by-client-id'],
    'are turned on by the flag, the variable or a client id',
    async () => {
      for (const [flags, env] of [
        [['--auth-enabled'], {}],
        [[], { SVC_AUTH: 'true' }],
        [[], { CODEHOST_CLIENT_ID: 'id', CODEHOST_CLIENT_SECRET: 'secret' }],
        [[], { SVC_OIDC_CLIENT_ID: 'id', SVC_OIDC_ISSUER: 'http://127.0.0.1:9' }],
      ] as const) {
        await using server = await startTestServer({ flags, env })
        expect((await server.call('/api/auth/status')).json()).toMatchObject({ authEnabled: true })
        expect((await server.call('/v1/models')).status).toBe(401)
      }
    },
  )

  verifies(
    ['service:auth:side-by-side', 'auth:mode:both-order'],
    'and shared keys protect a server together, and a key of an account is looked up first',
    async () => {
      const bob = await world.member('side')
      expect(await statusWith({ authorization: `Bearer ${SHARED}` }, '/system')).toBe(200)
      expect(await statusWith(bob.headers, '/system')).toBe(403)
      expect(await statusWith({ authorization: 'Bearer nothing' })).toBe(401)
      // a shared key with the form of a key of an account still counts where no account has it
      const shaped = `svc-${'0'.repeat(64)}`
      await using other = await startAccountsWorld({ flags: [`--api-keys=${shaped}`] })
      expect((await other.call('/system', { headers: { 'x-api-key': shaped } })).status).toBe(200)
    },
  )

  verifies(
    ['user:fields:profile', 'auth-api:me:read', 'user:role:values', 'auth-api:status:read', 'user:first:admin'],
    'have a profile, which their owners see',
    async () => {
      const ann = await world.member('ann')
      const changed = await ann.browser.send('PUT', '/api/auth/profile', {
        name: 'Ann B.',
        avatar_url: 'https://pictures.example/ann.png',
        role: 'admin',
        status: 'disabled',
        id: 'x',
      })
      expect([changed.status, changed.json()]).toEqual([
        200,
        { message: 'profile updated', name: 'Ann B.', avatarUrl: 'https://pictures.example/ann.png' },
      ])
      const profile = {
        id: ann.id,
        email: ann.email,
        name: 'Ann B.',
        avatarUrl: 'https://pictures.example/ann.png',
        role: 'user',
        provider: 'local',
      }
      expect((await ann.browser.call(ME)).json()).toMatchObject({ ...profile, permissions: { chat: true }, quotas: [] })
      expect((await ann.browser.call('/api/auth/status')).json()).toMatchObject({
        authEnabled: true,
        staticApiKeyRequired: false,
        providers: ['local'],
        hasUsers: true,
        user: profile,
      })
      expect((await world.call('/api/auth/status')).json()).toMatchObject({ user: null })
      expect((await world.admin.browser.call(ME)).json()).toMatchObject({ role: 'admin' })
      for (const name of ['', 5, 'x'.repeat(201)])
        expect((await ann.browser.send('PUT', '/api/auth/profile', { name })).status).toBe(400)
      expect(
        (await ann.browser.send('PUT', '/api/auth/profile', { name: 'a', avatar_url: 'x'.repeat(513) })).status,
      ).toBe(400)
    },
  )

  verifies(
    ['auth-api:register:local', 'auth-api:login:local', 'registration:open:active', 'auth-config:local-auth:default'],
    'are registered and signed in with an address and a password',
    async () => {
      const browser = world.browser()
      const form = { email: ' Reg@Site.example ', password: PASSWORD }
      const registered = await browser.send('POST', '/api/auth/register', form)
      expect([registered.status, registered.json()]).toEqual([
        201,
        { user: { id: expect.any(String), email: 'reg@site.example', name: 'reg@site.example', role: 'user' } },
      ])
      const again = await world.browser().send('POST', '/api/auth/register', form)
      expect([again.status, again.json(), again.headers['set-cookie']]).toEqual([
        201,
        { message: 'registration processed' },
        undefined,
      ])
      const login = await browser.send('POST', '/api/auth/login', form)
      expect([login.status, login.json()]).toEqual([200, registered.json()])
      expect(login.headers['set-cookie']).toEqual([
        expect.stringMatching(/^session=[0-9a-f]{64}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/),
      ])
      for (const wrong of [
        { ...form, password: 'no' },
        { ...form, email: 'nobody@site.example' },
      ]) {
        const refused = await world.post('/api/auth/login', wrong)
        expect([refused.status, refused.json()]).toEqual([401, { error: 'invalid email or password' }])
      }
    },
  )

  verifies(
    ['access:password:length', 'errors:envelope:accounts'],
    'need a strong password of 12 to 128 characters',
    async () => {
      for (const [password, code, overridable] of [
        ['', 'password_empty', false],
        ['short', 'password_too_short', true],
        ['x'.repeat(129), 'password_too_long', false],
        ['violet\0Marble 92 otter', 'password_null_byte', false],
        ['passwordpassword', 'password_too_weak', true],
      ] as const) {
        const reply = await world.post('/api/auth/register', { email: 'weak@site.example', password })
        expect([reply.status, reply.json()], code).toEqual([
          400,
          { error: expect.any(String), error_code: code, overridable },
        ])
      }
      const form = { email: 'weak@site.example', password: 'passwordpassword', acknowledge_weak_password: true }
      expect((await world.post('/api/auth/register', form)).status).toBe(201)
    },
  )

  it('have no cookie for the plain network only: it is Secure where the server is reached by https', async () => {
    await using server = await startAccountsWorld({ env: { SVC_BASE_URL: 'https://models.example/' } })
    const form = { email: server.admin.email, password: PASSWORD }
    const [cookie] = (await server.post('/api/auth/login', form)).headers['set-cookie'] ?? []
    expect(cookie).toMatch(/; SameSite=Lax; Secure$/)
  })
})

describe('a session', () => {
  verifies(
    ['session:carrier:cookie', 'auth:carriers:session-cookie', 'session:carrier:bearer'],
    'comes as the cookie `session`, or as a bearer value',
    async () => {
      const { session } = world.admin
      expect(await statusWith({ cookie: `session=${session}` })).toBe(200)
      expect(await statusWith({ authorization: `Bearer ${session}` })).toBe(200)
      expect(await statusWith({ 'x-api-key': session })).toBe(401)
      expect(await statusWith({ cookie: `token=${session}` })).toBe(401)
    },
  )

  verifies(
    ['session:rotation:grace', 'session:lifetime:thirty-days'],
    'gets a new value after an hour, and 50 requests at once are all served',
    async () => {
      const eve = await world.member('rotating')
      const before = eve.session
      clock.move(3_600_001)
      const renewed: string[] = []
      const ask = async (): Promise<number> => {
        const asked = Array.from({ length: 50 }, () => world.call(ME, { headers: { cookie: `session=${before}` } }))
        const replies = await Promise.all(asked)
        expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
        renewed.push(...replies.flatMap(({ headers }) => headers['set-cookie'] ?? []))
        return renewed.length
      }
      // a session that was looked up a moment before is not looked up again
      await expectSoon(ask, 1)
      const after = /^session=([0-9a-f]{64});/.exec(renewed[0] ?? '')?.[1] ?? ''
      expect(await statusWith({ cookie: `session=${before}` })).toBe(200)
      clock.move(61_000)
      await expectSoon(() => statusWith({ cookie: `session=${before}` }), 401)
      expect(await statusWith({ cookie: `session=${after}` })).toBe(200)
      clock.move(30 * DAY_MS)
      await expectSoon(() => statusWith({ cookie: `session=${after}` }), 401)
      clock.move(-30 * DAY_MS - 3_661_001)
    },
  )

  verifies('auth-api:logout:ends-session', 'ends with a logout', async () => {
    const bob = await world.member('leaving')
    const { session } = bob
    const reply = await bob.browser.send('POST', '/api/auth/logout')
    expect([reply.status, reply.json()]).toEqual([200, { message: 'logged out' }])
    expect(reply.headers['set-cookie']).toEqual([
      expect.stringMatching(/^session=; Path=\/; Max-Age=0/),
      expect.stringMatching(/^token=; Path=\/; Max-Age=0/),
    ])
    expect(bob.browser.cookies.size).toBe(0)
    expect(await statusWith({ cookie: `session=${session}` })).toBe(401)
    expect((await world.call('/api/auth/logout', { method: 'POST' })).status).toBe(401)
  })

  it('goes on under a new value when its owner ends all others', async () => {
    const bob = await world.member('cleaning')
    const other = world.browser()
    await other.send('POST', '/api/auth/login', { email: bob.email, password: PASSWORD })
    const reply = await bob.browser.send('DELETE', '/api/auth/sessions')
    expect([reply.status, reply.json()]).toEqual([200, { message: 'all other sessions revoked' }])
    expect(bob.browser.cookies.get('session')).not.toBe(bob.session)
    expect((await bob.browser.call(ME)).status).toBe(200)
    expect((await other.call(ME)).status).toBe(401)
    // somebody may have taken the value before
    expect(await statusWith({ cookie: `session=${bob.session}` })).toBe(401)
    expect(await statusWith(bob.headers)).toBe(200)
  })

  it('ends with a change of the password, whose browser gets a new one', async () => {
    const bob = await world.member('changing')
    const change = (fields: object) => bob.browser.send('PUT', '/api/auth/password', fields)
    const next = 'copper-Lantern 47 heron'
    const wrong = await change({ current_password: 'no', new_password: next })
    expect([wrong.status, wrong.json()]).toEqual([401, { error: 'current password is incorrect' }])
    const weak = await change({ current_password: PASSWORD, new_password: 'short' })
    expect([weak.status, weak.json()]).toMatchObject([400, { error_code: 'password_too_short', overridable: true }])
    const done = await change({ current_password: PASSWORD, new_password: next })
    expect([done.status, done.json()]).toEqual([200, { message: 'password updated' }])
    expect(await statusWith({ cookie: `session=${bob.session}` })).toBe(401)
    expect((await bob.browser.call(ME)).status).toBe(200)
    const { status } = await world.post('/api/auth/login', { email: bob.email, password: PASSWORD })
    expect(status).toBe(401)
    expect((await world.post('/api/auth/login', { email: bob.email, password: next })).status).toBe(200)
  })
})

describe('a key of an account', () => {
  verifies(
    [
      'user-key:create:named',
      'auth-api:keys:create',
      'user-key:value:prefix',
      'auth-api:keys:list',
      'auth-api:keys:revoke',
    ],
    'is made under a name, listed and revoked',
    async () => {
      const bob = await world.member('keeper')
      const made = await bob.browser.send('POST', '/api/auth/api-keys', { name: 'laptop' })
      expect(made.status).toBe(201)
      const { key, id } = made.json() as { key: string; id: string }
      expect(made.json()).toEqual({
        id,
        name: 'laptop',
        key: expect.stringMatching(/^svc-[0-9a-f]{64}$/),
        keyPrefix: key.slice(0, 12),
        role: 'user',
        createdAt: expect.stringMatching(/Z$/),
      })
      expect(await statusWith({ authorization: `Bearer ${key}` })).toBe(200)
      await expectSoon(async () => {
        const { keys } = (await bob.browser.call('/api/auth/api-keys')).json() as { keys: { lastUsed: unknown }[] }
        return typeof keys[0]?.lastUsed
      }, 'string')
      const { keys } = (await bob.browser.call('/api/auth/api-keys')).json() as { keys: object[] }
      expect(keys.map((one) => Object.entries(one).filter(([name]) => name === 'name' || name === 'key'))).toEqual([
        [['name', 'laptop']],
        [['name', 'a key']],
      ])
      const foreign = await world.admin.browser.send('DELETE', `/api/auth/api-keys/${id}`)
      expect([foreign.status, foreign.json()]).toEqual([404, { error: 'API key not found' }])
      const revoked = await bob.browser.send('DELETE', `/api/auth/api-keys/${id}`)
      expect([revoked.status, revoked.json()]).toEqual([200, { message: 'API key revoked' }])
      expect(await statusWith({ authorization: `Bearer ${key}` })).toBe(401)
    },
  )

  verifies('auth-api:keys:create-needs-session', 'is made with a session alone', async () => {
    const bob = await world.member('sessionless')
    const session = await world.browser().send('POST', '/api/auth/token-login', { token: bob.key })
    expect(session.status).toBe(200)
    for (const headers of [bob.headers, { authorization: `Bearer ${SHARED}` }]) {
      const reply = await world.post('/api/auth/api-keys', { name: 'another' }, headers)
      expect([reply.status, reply.json()]).toEqual([403, { error: 'API keys are made with a session of your account' }])
    }
  })

  verifies(
    ['auth:carriers:bearer-user-key', 'auth:carriers:headers-user-key', 'auth:carriers:token-cookie-user-key'],
    'comes over each of the carriers',
    async () => {
      const { key } = world.admin
      for (const headers of [
        { authorization: `Bearer ${key}` },
        { authorization: key },
        { 'x-api-key': key },
        { 'xi-api-key': key },
        { cookie: `token=${key}` },
      ])
        expect(await statusWith(headers), JSON.stringify(Object.keys(headers))).toBe(200)
      expect(await statusWith({ cookie: `session=${key}` })).toBe(401)
    },
  )

  verifies(
    ['user-key:expiry:optional', 'user-key:role:of-its-user'],
    'may expire, and acts with the role of now',
    async () => {
      const bob = await world.member('expiring')
      const { key } = await world.keyOf(bob, { expiresIn: '1d' })
      const headers = { authorization: `Bearer ${key}` }
      expect(await statusWith(headers, '/system')).toBe(403)
      await world.admin.browser.send('PUT', `/api/auth/admin/users/${bob.id}/role`, { role: 'admin' })
      expect(await statusWith(headers, '/system')).toBe(200)
      clock.move(DAY_MS + 1)
      await expectSoon(() => statusWith(headers), 401)
      clock.move(-DAY_MS - 1)
      for (const fields of [
        { expiresIn: 'soon' },
        { expiresAt: 'tomorrow' },
        { expiresAt: '2020-01-01T00:00:00Z' },
        { scopes: ['chat'] },
        { scopes: { route: ['chat'] } },
        { scopes: { routes: ['chat'], model: ['m'] } },
        { scopes: { routes: ['chats'] } },
        { scopes: { models: ['nobody'] } },
        { name: '' },
      ]) {
        const reply = await bob.browser.send('POST', '/api/auth/api-keys', { name: 'x', ...fields })
        expect(reply.status, JSON.stringify(fields)).toBe(400)
      }
    },
  )

  verifies('user-key:scopes:optional', 'may be limited to groups of routes', async () => {
    const { key } = await world.keyOf(world.admin, { scopes: { routes: ['chat'] } })
    const headers = { authorization: `Bearer ${key}` }
    const refused = await world.call('/system', { headers })
    expect([refused.status, refused.json()]).toMatchObject([
      403,
      { error: { message: 'the API key does not cover: admin' } },
    ])
    expect(await statusWith(headers, '/api/auth/api-keys')).toBe(403)
    expect((await world.post('/v1/chat/completions', { model: 'nobody', messages: [] }, headers)).status).toBe(404)
    const models = await world.admin.browser.send('POST', '/api/auth/api-keys', {
      name: 'x',
      scopes: { models: ['nobody'] },
    })
    // verifies access:names:unknown-refused
    expect(models.json()).toEqual({ error: 'scopes.models: there is no model "nobody"' })
    // its session is as narrow
    const browser = world.browser()
    await browser.send('POST', '/api/auth/token-login', { token: key })
    expect((await browser.call('/system')).status).toBe(403)
    expect((await browser.send('POST', '/api/auth/api-keys', { name: 'wide' })).status).toBe(403)
  })
})

describe('a sign-in with a key', () => {
  verifies(
    ['auth-api:token-login:session', 'auth-api:token-login:session-cookie'],
    'gives a browser a session that has no key in it',
    async () => {
      const bob = await world.member('tokens')
      for (const [token, user] of [
        [bob.key, { id: bob.id, email: bob.email, name: 'tokens', role: 'user' }],
        [SHARED, { id: 'legacy-api-key', name: 'API Key User', role: 'admin' }],
      ] as const) {
        const browser = world.browser()
        const reply = await browser.send('POST', '/api/auth/token-login', { token })
        expect([reply.status, reply.json()]).toEqual([200, { user }])
        expect([...browser.cookies.keys()]).toEqual(['session'])
        expect(String(reply.headers['set-cookie'])).not.toContain(token)
        expect((await browser.call(ME)).json()).toMatchObject({ id: user.id })
      }
      for (const [token, status, error] of [
        ['', 400, 'token is required'],
        [7, 400, 'token is required'],
        ['svc-nothing', 401, 'invalid token'],
        [bob.session, 401, 'invalid token'],
      ]) {
        const reply = await world.post('/api/auth/token-login', { token })
        expect([reply.status, reply.json()]).toEqual([status, { error }])
      }
    },
  )

  it('works without accounts too, and ends with the shared key', async () => {
    await using server = await startTestServer({ flags: ['--api-keys=one'] })
    const reply = await server.post('/api/auth/token-login', { token: 'one' })
    const cookie = String(reply.headers['set-cookie']).split(';')[0] ?? ''
    expect(reply.json()).toEqual({ user: { id: 'legacy-api-key', name: 'API Key User', role: 'admin' } })
    expect((await server.call('/system', { headers: { cookie } })).status).toBe(200)
    expect((await server.call('/api/auth/status', { headers: { cookie } })).json()).toMatchObject({
      authEnabled: false,
      staticApiKeyRequired: true,
      user: { id: 'legacy-api-key', role: 'admin' },
    })
    for (const path of ['/api/auth/admin/users', '/api/auth/admin/invites', '/api/auth/api-keys', '/api/auth/quota'])
      expect((await server.call(path, { headers: { cookie } })).status, path).toBe(200)
    const settings = { api_keys: [] }
    expect((await server.call('/api/settings', { headers: { cookie } })).status).toBe(200)
    expect((await server.post('/api/settings', settings, { cookie })).status).toBe(200)
    expect((await server.call('/system', { headers: { cookie } })).status).toBe(200)
  })
})

describe('the configuration of accounts', () => {
  const read = (argv: string[], env: Record<string, string> = {}) => loadConfig({ argv, env, cwd: '/' })

  verifies(
    ['auth-config:registration:default', 'auth-config:registration:values', 'auth-config:admin-email:unset'],
    'has registration with approval by default, and no address that is an admin',
    () => {
      expect(read([])).toMatchObject({ config: { authRegistrationMode: 'approval', authAdminEmail: undefined } })
      for (const mode of ['open', 'approval', 'invite'])
        expect(read([], { SVC_REGISTRATION_MODE: mode })).toMatchObject({ config: { authRegistrationMode: mode } })
      expect(read([], { SVC_REGISTRATION_MODE: 'closed' })).toMatchObject({ kind: 'usage-error' })
      expect(read([], { SVC_AUTH_HMAC_SECRET: 'too short' })).toMatchObject({
        kind: 'usage-error',
        message: expect.stringContaining('32 characters or more'),
      })
      expect(read([], { SVC_DEFAULT_API_KEY_EXPIRY: '90d' })).toMatchObject({
        config: { defaultApiKeyExpiryMs: 90 * DAY_MS },
      })
    },
  )

  verifies(['auth-api:register:disabled', 'auth-api:login:disabled'], 'can turn passwords off', async () => {
    await using server = await startTestServer({
      flags: ['--disable-local-auth'],
      env: { SVC_OIDC_CLIENT_ID: 'id', SVC_OIDC_ISSUER: 'http://127.0.0.1:9' },
    })
    const form = { email: 'a@site.example', password: PASSWORD }
    const [register, login] = [
      await server.post('/api/auth/register', form),
      await server.post('/api/auth/login', form),
    ]
    expect([register.status, register.json()]).toEqual([403, { error: 'local registration is disabled' }])
    expect([login.status, login.json()]).toEqual([403, { error: 'local login is disabled, please use OAuth' }])
    expect((await server.call('/api/auth/status')).json()).toMatchObject({ providers: ['oidc'] })
  })
})

it('a password opens nothing where passwords are turned off, not even for its owner', async () => {
  await using folder = await tempDir()
  const env = { SVC_OIDC_CLIENT_ID: 'id', SVC_OIDC_ISSUER: 'http://127.0.0.1:9' }
  const before = await startAccountsWorld({ folder: folder.path, env })
  const { browser } = before.admin
  await before.close()
  await using server = await startTestServer({ folder: folder.path, env, flags: ['--disable-local-auth'] })
  const cookie = `session=${browser.cookies.get('session')}`
  const change = { current_password: PASSWORD, new_password: 'copper-Lantern 47 heron' }
  const reply = await server.call('/api/auth/password', {
    method: 'PUT',
    body: JSON.stringify(change),
    headers: { 'content-type': 'application/json', cookie },
  })
  expect([reply.status, reply.json(), reply.headers['set-cookie']]).toEqual([
    403,
    { error: 'local passwords are disabled' },
    undefined,
  ])
  expect((await server.call(ME, { headers: { cookie } })).status).toBe(200)
})

/** Waits for something that a second may pass until. */
async function expectSoon<T>(read: () => Promise<T>, wanted: T): Promise<void> {
  await expect.poll(read).toBe(wanted)
}

describe('usage of a key that was revoked', () => {
  verifies('user-key:usage:label-survives-revocation', 'keeps the label of the key', async () => {
    await world.model('counted', {})
    const { browser } = await world.member('counted')
    const created = await browser.send('POST', '/api/auth/api-keys', { name: 'the old laptop' })
    const { id, key } = created.json() as { readonly id: string; readonly key: string }
    const body = { model: 'counted', messages: [{ role: 'user', content: 'hello' }] }
    expect((await world.post('/v1/chat/completions', body, { authorization: `Bearer ${key}` })).status).toBe(200)
    expect((await browser.send('DELETE', `/api/auth/api-keys/${id}`)).status).toBe(200)
    const sources = (await browser.send('GET', '/api/auth/usage/sources')).json()
    expect(JSON.stringify(sources)).toContain('"the old laptop"')
  })
})
