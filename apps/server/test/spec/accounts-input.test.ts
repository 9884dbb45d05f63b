import { startPostgres } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AccountsWorld, type Member, PASSWORD, startAccountsWorld } from '../support/accounts-world.ts'

const running = await startPostgres()
afterAll(() => running[Symbol.asyncDispose]())
if (!running.available) console.warn(`bad input on PostgreSQL is not tried: ${running.reason}`)

const places: readonly (readonly [string, () => Promise<Record<string, string>>])[] = [
  ['SQLite', async () => ({})],
  ...(running.available
    ? ([['PostgreSQL', async () => ({ SVC_AUTH_DATABASE_URL: await running.createDatabase() })]] as const)
    : []),
]

/** Values that a client may put where a text, a number or a switch belongs. */
const VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e308, Number.MAX_SAFE_INTEGER + 2, [], {}, ['x'], { $ne: null }],
  ...['', ' ', '\0', 'a\0b', '\ud800', '\udfff\ud800', '😀', 'Ω≈ç', 'x'.repeat(201), 'x'.repeat(1_000_000)],
  ...["' OR '1'='1", '%', '_', '\\', "'; DROP TABLE auth_users; --", '../../etc/passwd', '\u202e', '\u0085', '1e9'],
  ...['-1h', '999999999999d', '0001-01-01T00:00:00Z', '99999-01-01T00:00:00Z', '2027-02-30T00:00:00Z'],
]

/** Fields that no body of these routes may set. */
const FOREIGN = {
  id: 'x',
  user_id: 'x',
  role: 'admin',
  status: 'active',
  provider: 'oidc',
  subject: 'x',
  approved: true,
  ...{
    password_hash: '$argon2id$',
    created_at: 0,
    source: 'web',
    key_hash: 'x',
    created_by: 'x',
    __proto__: { role: 'admin' },
  },
}

describe.each(places)('bodies on %s', (_, createEnv) => {
  let world: AccountsWorld
  let bob: Member
  beforeAll(async () => {
    world = await startAccountsWorld({ env: await createEnv() })
    bob = await world.member('bob')
  })
  afterAll(() => world.close())

  /** Each route with a body that it takes, for whom it is. */
  const routes = (): readonly (readonly [string, string, Readonly<Record<string, unknown>>, Member])[] => {
    const user = `/api/auth/admin/users/${bob.id}`
    return [
      [
        'POST',
        '/api/auth/register',
        { email: 'new@site.example', password: PASSWORD, name: 'N', inviteCode: 'x' },
        bob,
      ],
      ['POST', '/api/auth/login', { email: bob.email, password: PASSWORD }, bob],
      ['POST', '/api/auth/token-login', { token: bob.key }, bob],
      ['PUT', '/api/auth/profile', { name: 'Bob', avatar_url: '' }, bob],
      ['PUT', '/api/auth/password', { current_password: 'x', new_password: PASSWORD }, bob],
      [
        'POST',
        '/api/auth/api-keys',
        { name: 'k', expiresIn: '1d', expiresAt: '', scopes: { routes: [], models: [] } },
        bob,
      ],
      ['PUT', `${user}/role`, { role: 'user' }, world.admin],
      ['PUT', `${user}/status`, { status: 'active' }, world.admin],
      ['PUT', `${user}/permissions`, { chat: true }, world.admin],
      ['PUT', `${user}/models`, { enabled: false, models: [] }, world.admin],
      ['PUT', `${user}/quotas`, { model: '', max_requests: 1, max_total_tokens: 1, window: '1h' }, world.admin],
      ['POST', '/api/auth/admin/invites', { expiresInHours: 1 }, world.admin],
    ]
  }

  it('with any value in any field are taken as they are or refused, and never break the server', async () => {
    for (const [method, path, body, { browser }] of routes()) {
      // each try of these costs a hash
      const values = /register|login$|password/.test(path) ? VALUES.filter((_, index) => index % 3 === 0) : VALUES
      for (const field of Object.keys(body)) {
        for (const value of values) {
          const reply = await browser.send(method, path, { ...body, [field]: value })
          const shown = `${method} ${path} ${field}: ${JSON.stringify(value).slice(0, 60)}`
          expect(reply.status, shown).toBeLessThan(500)
          if (reply.status >= 400) expect(Object.keys(reply.json() as object), shown).toContain('error')
        }
      }
    }
  })

  it('that are no object are 400', async () => {
    for (const [method, path, , { browser }] of routes()) {
      for (const body of [[], 'x', 5, null]) {
        const reply = await browser.send(method, path, body)
        expect([reply.status, reply.json()], `${method} ${path}`).toEqual([400, { error: 'invalid request' }])
      }
      const broken = await browser.call(path, {
        method,
        body: '{"a":',
        headers: { 'content-type': 'application/json' },
      })
      expect(broken.status, `${method} ${path}`).toBe(400)
    }
  })

  it('REL-2: of strangers are small, so that they cannot fill the memory of all bodies', async () => {
    const largest = 16 * 1024
    for (const path of ['/api/auth/register', '/api/auth/login', '/api/auth/token-login']) {
      const send = (body: string, headers: Record<string, string> = {}) =>
        world.call(path, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })
      expect((await send('{}'.padEnd(largest))).status, path).toBe(400)
      const refused = [413, { error: `request body is larger than ${largest} bytes` }]
      const large = '{}'.padEnd(largest + 1)
      for (const reply of [await send(large), await send(large, { 'transfer-encoding': 'chunked' })])
        expect([reply.status, reply.json()], path).toEqual(refused)
    }
  })

  it('AU-15: change nothing that is not theirs to change', async () => {
    const eve = await world.member('eve')
    const before = (await eve.browser.call('/api/auth/me')).json()
    const form = { email: 'mallory@site.example', password: PASSWORD, ...FOREIGN }
    const registered = await world.browser().send('POST', '/api/auth/register', form)
    expect(registered.json()).toMatchObject({ user: { role: 'user', id: expect.stringMatching(/^[0-9a-f]{32}$/) } })
    await eve.browser.send('PUT', '/api/auth/profile', { name: 'eve', ...FOREIGN })
    const key = await eve.browser.send('POST', '/api/auth/api-keys', { name: 'k', ...FOREIGN })
    expect([key.status, key.json()]).toEqual([400, { error: expect.stringMatching(/^unknown field /) }])
    expect((await eve.browser.call('/api/auth/me')).json()).toEqual(before)
    expect((await eve.browser.call('/system')).status).toBe(403)
    expect((await world.call('/api/auth/me', { headers: bob.headers })).json()).toMatchObject({ role: 'user' })
  })

  // verifies accounts:forms:unknown
  it.each<[string, string, unknown, string]>([
    ['POST', '/api/auth/api-keys', { name: 'k', expires_in: '1d' }, 'expires_in'],
    ['POST', '/api/auth/api-keys', { name: 'k', expires_at: '2030-01-01T00:00:00Z' }, 'expires_at'],
    ['POST', '/api/auth/api-keys', { name: 'k', expiresin: '1d' }, 'expiresin'],
    ['POST', '/api/auth/api-keys', { name: 'k', scope: { routes: ['chat'] } }, 'scope'],
    ['POST', '/api/auth/api-keys', { name: 'k', models: ['m'] }, 'models'],
    ['POST', '/api/auth/admin/invites', { expires_in_hours: 1 }, 'expires_in_hours'],
    ['POST', '/api/auth/admin/invites', { expiresInDays: 1 }, 'expiresInDays'],
    ['PUT', '/api/auth/admin/users/:bob/quotas', { model: '', max_request: 1, window: '1d' }, 'max_request'],
    ['PUT', '/api/auth/admin/users/:bob/models', { enabled: true, model: ['m'] }, 'model'],
  ])('with a limit by a wrong name are refused: %s %s %j', async (method, path, body, field) => {
    const reply = await world.admin.browser.send(method, path.replace(':bob', bob.id), body)
    expect([reply.status, reply.json()]).toEqual([400, { error: expect.stringContaining(`unknown field "${field}"`) }])
  })

  it('keep a name exactly as it was typed', async () => {
    for (const name of ['Ω≈ç√∫', '😀 👩‍👩‍👧', "Robert'); DROP TABLE auth_users;--", 'a\u0301', '%_\\']) {
      const changed = await bob.browser.send('PUT', '/api/auth/profile', { name })
      expect([changed.status, (changed.json() as { name: string }).name]).toEqual([200, name])
      expect((await bob.browser.call('/api/auth/me')).json()).toMatchObject({ name })
    }
  })

  // verifies accounts:names:seen
  it('take no name or address that people cannot see or take for another', async () => {
    const register = async (email: string, name: string) =>
      (await world.browser().send('POST', '/api/auth/register', { email, password: PASSWORD, name })).status
    for (const name of ['\u202eevil', 'A\u200bda', '\u0410dmin', 'Ada\u001b[2J']) {
      expect((await bob.browser.send('PUT', '/api/auth/profile', { name })).status, name).toBe(400)
      expect((await bob.browser.send('POST', '/api/auth/api-keys', { name })).status, name).toBe(400)
      expect(await register('seen@site.example', name), name).toBe(400)
    }
    for (const email of ['bo\u200bb@site.example', 'b\u043eb@site.example', 'bob\u202e@site.example'])
      expect(await register(email, 'Bob'), email).toBe(400)
  })

  // verifies accounts:names:one-account
  it('mean one account in all spellings of an address', async () => {
    const email = 'jürgen@bücher.example'
    const form = { email, password: PASSWORD, name: 'J' }
    expect((await world.browser().send('POST', '/api/auth/register', form)).status).toBe(201)
    for (const spelling of ['JÜRGEN@xn--bcher-kva.example', 'ju\u0308rgen@bücher.example', 'ｊürgen@BÜCHER.example']) {
      const again = await world.browser().send('POST', '/api/auth/register', { ...form, email: spelling })
      expect(again.json(), spelling).toEqual({ message: 'registration processed' })
      const login = await world.browser().send('POST', '/api/auth/login', { email: spelling, password: PASSWORD })
      expect(login.json(), spelling).toMatchObject({ user: { email } })
    }
  })

  // verifies accounts:avatar:https
  it('take pictures of accounts over https only', async () => {
    const put = async (avatar: string) =>
      (await bob.browser.send('PUT', '/api/auth/profile', { name: 'Bob', avatar_url: avatar })).status
    for (const avatar of ['https://pictures.example/a.png?s=64', '']) expect(await put(avatar), avatar).toBe(200)
    for (const avatar of [
      'http://pictures.example/a.png',
      'HTTP://pictures.example/a.png',
      '//pictures.example/a.png',
      'javascript:alert(1)',
      'data:image/svg+xml,<svg/>',
      'file:///etc/passwd',
      'https://',
      'https://me:secret@pictures.example/a.png',
      'https://pictures.example/a b.png',
      '/api/auth/logout',
    ])
      expect(await put(avatar), avatar).toBe(400)
  })

  it('AU-14: ids of others and hostile ids are as good as none', async () => {
    const foreign = [bob.keyId, "x' OR '1'='1", '%00', '%', '_', '..', 'x'.repeat(2000), '%F0%9F%98%80', '%ED%A0%80']
    for (const id of foreign) {
      const own = await world.admin.browser.send('DELETE', `/api/auth/api-keys/${encodeURI(id).replaceAll('%25', '%')}`)
      expect(own.status, id).toBeGreaterThanOrEqual(400)
      expect(own.status, id).toBeLessThan(500)
      for (const path of ['users', 'invites']) {
        if (id === bob.keyId && path === 'users') continue
        const reply = await world.admin.browser.send(
          'DELETE',
          `/api/auth/admin/${path}/${encodeURI(id).replaceAll('%25', '%')}`,
        )
        expect(reply.status, `${path} ${id}`).toBeGreaterThanOrEqual(400)
        expect(reply.status, `${path} ${id}`).toBeLessThan(500)
      }
    }
    expect((await world.call('/v1/models', { headers: bob.headers })).status).toBe(200)
  })
})

describe('AU-9: a page elsewhere', () => {
  it('changes nothing with the session of a browser, and a page of this server does', async () => {
    await using world = await startAccountsWorld()
    const { browser } = world.admin
    const json = { 'content-type': 'application/json' }
    for (const headers of [
      { origin: 'https://evil.example', ...json },
      { 'sec-fetch-site': 'cross-site', ...json },
      { origin: 'https://evil.example', 'content-type': 'application/x-www-form-urlencoded' },
      { 'sec-fetch-site': 'cross-site', 'content-type': 'multipart/form-data; boundary=x' },
      { origin: 'null', ...json },
    ]) {
      for (const [method, path] of [
        ['POST', '/api/auth/admin/invites'],
        ['PUT', '/api/auth/profile'],
        ['POST', '/api/auth/logout'],
        ['DELETE', '/api/auth/sessions'],
        ['POST', '/v1/chat/completions'],
        ['POST', '/api/auth/login'],
      ] as const) {
        const reply = await browser.call(path, { method, headers, body: '{}' })
        expect([reply.status, reply.json()], path).toMatchObject([403, { error: expect.anything() }])
      }
    }
    const form = await browser.call('/api/auth/admin/invites', {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: '{}',
    })
    expect(form.status).toBe(415)
    const own = await browser.send(
      'POST',
      '/api/auth/admin/invites',
      {},
      { origin: world.url, 'sec-fetch-site': 'same-origin' },
    )
    expect(own.status).toBe(201)
    const withKey = await world.post(
      '/v1/chat/completions',
      {},
      { ...world.admin.headers, origin: 'https://evil.example' },
    )
    expect(withKey.status).not.toBe(403)
  })

  it('may do so where the check is off, by flag or by setting', async () => {
    await using world = await startAccountsWorld({ flags: ['--disable-csrf'] })
    const elsewhere = { origin: 'https://evil.example', 'content-type': 'application/json' }
    const ask = async () =>
      (await world.admin.browser.call('/api/auth/admin/invites', { method: 'POST', headers: elsewhere, body: '{}' }))
        .status
    expect(await ask()).toBe(201)
    expect((await world.admin.browser.call('/api/settings')).json()).toMatchObject({ csrf: false })
    await using other = await startAccountsWorld()
    const invite = async () =>
      (await other.admin.browser.call('/api/auth/admin/invites', { method: 'POST', headers: elsewhere, body: '{}' }))
        .status
    expect(await invite()).toBe(403)
    expect((await other.admin.browser.send('POST', '/api/settings', { csrf: false })).status).toBe(200)
    expect(await invite()).toBe(201)
  })
})
