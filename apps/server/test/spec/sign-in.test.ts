import { startCodeHost, startHostileIssuer, startOidcIssuer } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { loadConfig } from '../../src/config/load.ts'
import { type AccountsWorld, createMembers, startAccountsWorld } from '../support/accounts-world.ts'
import { type Browser, createBrowser } from '../support/browser.ts'
import { CLIENT, findPort, goThere, signIn, startAt, toPath } from '../support/provider-sign-in.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const ADA = {
  user: { id: 7, login: 'ada', name: 'Ada', email: 'public@site.example', avatar_url: 'https://pics.example/7' },
  emails: [{ email: 'Ada@Site.example', verified: true, primary: true }],
}
const me = async (browser: Browser) => (await browser.call('/api/auth/me')).json()

async function countUsers(server: TestServer): Promise<number> {
  const { users } = (await server.call('/api/auth/admin/users', { headers: { 'x-api-key': 'counting' } })).json() as {
    users: unknown[]
  }
  return users.length
}

describe('a sign-in at an OIDC issuer', () => {
  verifies(
    [
      'auth-api:oidc:login',
      'auth-api:oidc:callback',
      'auth-config:callback:oidc',
      'auth-config:base-url:callbacks',
      'auth-config:oidc:discovery',
      'auth-config:oidc:client',
      'auth-config:oidc:scopes',
      'auth-config:local-auth:providers-go-on',
    ],
    'makes an account of oidc-provider an account here',
    async () => {
      const port = await findPort()
      const redirectUri = `http://127.0.0.1:${port}/api/auth/oidc/callback`
      await using issuer = await startOidcIssuer({
        ...CLIENT,
        redirectUri,
        toClaims: (login) => ({ email: `${login}@site.example`, email_verified: true, name: login.toUpperCase() }),
      })
      await using server = await startAt(port, {
        flags: ['--auth-registration-mode=open', '--disable-local-auth'],
        env: {
          SVC_OIDC_ISSUER: issuer.issuer,
          SVC_OIDC_CLIENT_ID: CLIENT.clientId,
          SVC_OIDC_CLIENT_SECRET: CLIENT.clientSecret,
        },
      })
      const browser = createBrowser(server.url)
      const begun = await browser.call('/api/auth/oidc/login')
      const url = new URL(begun.headers.location ?? '')
      expect(Object.fromEntries(url.searchParams)).toMatchObject({
        client_id: 'client',
        redirect_uri: redirectUri,
        scope: 'openid profile email',
        response_type: 'code',
        code_challenge_method: 'S256',
      })
      expect(begun.headers['set-cookie']).toEqual([
        expect.stringMatching(/^oauth_state=[0-9a-f]{64}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/),
      ])
      const back = await browser.call(toPath(await issuer.agree(url, 'ada')))
      expect([back.status, back.headers.location]).toEqual([307, '/app'])
      expect(browser.cookies.has('oauth_state')).toBe(false)
      const ada = { email: 'ada@site.example', name: 'ADA', role: 'admin', provider: 'oidc' }
      expect(await me(browser)).toMatchObject(ada)
      const again = createBrowser(server.url)
      expect((await signIn(again, 'oidc', (target) => issuer.agree(target, 'ada'))).status).toBe(307)
      expect(await me(again)).toMatchObject({ ...ada, id: ((await me(browser)) as { id: string }).id })
      const bob = createBrowser(server.url)
      await signIn(bob, 'oidc', (target) => issuer.agree(target, 'bob'))
      expect(await me(bob)).toMatchObject({ email: 'bob@site.example', role: 'user' })
    },
  )

  it('AU-11: that lies makes no account, and one that is away costs the rest of the server nothing', async () => {
    const port = await findPort()
    const account = { sub: 'ada', email: 'ada@site.example', email_verified: true, name: 'Ada' }
    await using issuer = await startHostileIssuer({ clientId: CLIENT.clientId, account })
    issuer.discoveryStatus = 500
    let ahead = 0
    await using server = await startAt(port, {
      clock: { ...systemClock, monotonic: () => systemClock.monotonic() + ahead },
      flags: ['--auth-registration-mode=open', '--api-keys=counting'],
      env: {
        SVC_OIDC_ISSUER: issuer.issuer,
        SVC_OIDC_CLIENT_ID: CLIENT.clientId,
        SVC_OIDC_CLIENT_SECRET: CLIENT.clientSecret,
      },
    })
    const browser = createBrowser(server.url)
    const away = await browser.call('/api/auth/oidc/login')
    expect([away.status, Number(away.headers['retry-after'])]).toEqual([503, expect.any(Number)])
    expect((await server.call('/healthz')).status).toBe(200)
    issuer.discoveryStatus = 200
    expect((await browser.call('/api/auth/oidc/login')).status).toBe(503)
    ahead += 10_001
    expect((await browser.call('/api/auth/oidc/login')).status).toBe(307)
    const honest = issuer.forge
    for (const forge of [
      async () => 'token',
      async ({ claims, sign }: Parameters<typeof honest>[0]) => sign({ ...claims, nonce: 'another' }),
      async ({ claims, sign }: Parameters<typeof honest>[0]) => sign({ ...claims, aud: 'other' }),
      async ({ claims, sign }: Parameters<typeof honest>[0]) => sign({ ...claims, iss: 'https://evil.example' }),
      async ({ claims }: Parameters<typeof honest>[0]) =>
        `${['{"alg":"none"}', JSON.stringify(claims)].map((part) => Buffer.from(part).toString('base64url')).join('.')}.`,
    ]) {
      issuer.forge = forge
      const failed = await signIn(browser, 'oidc', issuer.agree)
      expect([failed.status, failed.json()]).toEqual([400, { error: 'OAuth authentication failed' }])
    }
    expect(await countUsers(server)).toBe(0)
    expect(browser.cookies.has('session')).toBe(false)
    issuer.forge = honest
    await issuer.rotateKey()
    // keys are asked for once a minute at most
    ahead += 60_001
    expect((await signIn(browser, 'oidc', issuer.agree)).status).toBe(307)
    expect(await countUsers(server)).toBe(1)
  })

  verifies(
    ['user:admin-email:unverified'],
    'AU-12: promotes nobody whose address the issuer does not vouch for',
    async () => {
      const port = await findPort()
      const account = { sub: 'boss', email: 'boss@site.example', email_verified: false, name: 'Boss' }
      await using issuer = await startHostileIssuer({ clientId: CLIENT.clientId, account })
      await using server = await startAt(port, {
        flags: ['--auth-registration-mode=open', '--api-keys=counting'],
        env: {
          SVC_OIDC_ISSUER: issuer.issuer,
          SVC_OIDC_CLIENT_ID: CLIENT.clientId,
          SVC_OIDC_CLIENT_SECRET: CLIENT.clientSecret,
          SVC_ADMIN_EMAIL: 'boss@site.example',
        },
      })
      await createMembers(server.url).member('first')
      const local = await createMembers(server.url).member('boss')
      const browser = createBrowser(server.url)
      await signIn(browser, 'oidc', issuer.agree)
      expect(await me(browser)).toMatchObject({ role: 'user', provider: 'oidc' })
      await signIn(browser, 'oidc', issuer.agree)
      const found = (await me(browser)) as { id: string; role: string }
      expect(found.role).toBe('user')
      expect(found.id).not.toBe(local.id)
      issuer.account = { ...account, email_verified: true }
      await signIn(browser, 'oidc', issuer.agree)
      expect(await me(browser)).toMatchObject({ role: 'admin', id: found.id })
      expect(await countUsers(server)).toBe(3)
    },
  )

  verifies('auth-config:oidc:loopback-http', 'over plain HTTP is for this machine alone', async () => {
    const start = (issuer: string) => startTestServer({ env: { SVC_OIDC_ISSUER: issuer, SVC_OIDC_CLIENT_ID: 'id' } })
    for (const issuer of ['http://issuer.example', 'http://127.evil.test', 'http://localhost.evil.test'])
      await expect(start(issuer), issuer).rejects.toMatchObject({ exitCode: 78 })
    await expect(startTestServer({ env: { SVC_OIDC_CLIENT_ID: 'id' } })).rejects.toMatchObject({
      exitCode: 78,
      message: 'SVC_OIDC_CLIENT_ID needs SVC_OIDC_ISSUER',
    })
    await using server = await start('http://localhost:9')
    expect((await server.call('/healthz')).status).toBe(200)
  })
})

/** A server with a double of the code host. */
async function startCodeHostWorld(mode: string) {
  const port = await findPort()
  const host = await startCodeHost({ ...CLIENT, account: ADA })
  const server = await startAt(port, {
    flags: [`--auth-registration-mode=${mode}`, '--api-keys=counting'],
    env: {
      CODEHOST_CLIENT_ID: CLIENT.clientId,
      CODEHOST_CLIENT_SECRET: CLIENT.clientSecret,
      CODEHOST_BASE_URL: host.baseUrl,
      CODEHOST_API_URL: host.apiUrl,
    },
  })
  return {
    host,
    server,
    port,
    browser: () => createBrowser(server.url),
    async [Symbol.asyncDispose]() {
      await server.close()
      await host[Symbol.asyncDispose]()
    },
  }
}

describe('a sign-in at the code host', () => {
  verifies(
    [
      'auth-api:codehost:login',
      'auth-api:codehost:callback',
      'auth-config:codehost:client',
      'auth-config:codehost:endpoints',
      'auth-config:callback:codehost',
    ],
    'makes an account, and finds it again',
    async () => {
      await using world = await startCodeHostWorld('open')
      const browser = world.browser()
      const back = await goThere(browser, 'github', world.host.agree)
      expect(back.href.split('?')[0]).toBe(`http://127.0.0.1:${world.port}/api/auth/github/callback`)
      expect((await browser.call(toPath(back))).status).toBe(307)
      const ada = { email: 'ada@site.example', name: 'Ada', avatarUrl: 'https://pics.example/7', provider: 'github' }
      expect(await me(browser)).toMatchObject(ada)
      await signIn(world.browser(), 'github', world.host.agree)
      expect(await countUsers(world.server)).toBe(1)
      expect((await world.server.call('/api/auth/status')).json()).toMatchObject({ providers: ['local', 'github'] })
      world.host.apiStatus = 500
      const failed = await signIn(world.browser(), 'github', world.host.agree)
      expect([failed.status, failed.json()]).toEqual([500, { error: 'failed to fetch user info' }])
    },
  )

  it('AU-10: needs the state of this browser and this provider, once', async () => {
    await using world = await startCodeHostWorld('open')
    const { host, server } = world
    const refuse = async (browser: Browser, path: string, error = 'invalid OAuth state') => {
      const reply = await browser.call(path)
      expect([reply.status, reply.json()], path.split('?')[0]).toEqual([400, { error }])
      expect(browser.cookies.has('session')).toBe(false)
    }
    const first = world.browser()
    const back = toPath(await goThere(first, 'github', host.agree))
    await refuse(world.browser(), back)
    const other = world.browser()
    await goThere(other, 'github', host.agree)
    await refuse(other, back)
    await refuse(world.browser(), '/api/auth/github/callback')
    await refuse(world.browser(), '/api/auth/github/callback?state=x&state=y&code=z')
    expect((await first.call(back.replace('github', 'oidc'))).status).toBe(404)
    const late = world.browser()
    const expired = toPath(await goThere(late, 'github', host.agree))
    host.expireCodes()
    await refuse(late, expired, 'OAuth authentication failed')
    const bare = world.browser()
    const url = await goThere(bare, 'github', host.agree)
    url.searchParams.delete('code')
    await refuse(bare, toPath(url), 'missing authorization code')
    const twice = world.browser()
    const once = toPath(await goThere(twice, 'github', host.agree))
    const cookie = `oauth_state=${twice.cookies.get('oauth_state')}`
    expect((await twice.call(once)).status).toBe(307)
    expect((await server.call(once, { headers: { cookie } })).status).toBe(400)
    expect(await countUsers(server)).toBe(1)
  })

  verifies('auth-config:invite:cookie', 'keeps an invite in a cookie until it is over', async () => {
    await using world = await startCodeHostWorld('invite')
    const { host, server } = world
    const admin = await createMembers(server.url).member('admin')
    const { code } = (await admin.browser.send('POST', '/api/auth/admin/invites', {})).json() as { code: string }
    const outsider = world.browser()
    const refused = await signIn(outsider, 'github', host.agree)
    expect([refused.status, refused.headers.location]).toEqual([307, '/login?error=invite_required'])
    const wrong = await signIn(world.browser(), 'github', host.agree, '?invite_code=nonsense')
    expect(wrong.headers.location).toBe('/login?error=invalid_invite')
    const guest = world.browser()
    const back = await goThere(guest, 'github', host.agree, `?invite_code=${code}`)
    expect(guest.cookies.get('invite_code')).toBe(code)
    expect((await guest.call(toPath(back))).headers.location).toBe('/app')
    expect(guest.cookies.has('invite_code')).toBe(false)
    expect(await me(guest)).toMatchObject({ provider: 'github', role: 'user' })
  })

  it('of an account that waits or is disabled is refused', async () => {
    await using world = await startCodeHostWorld('approval')
    const admin = await createMembers(world.server.url).member('admin')
    const waiting = await signIn(world.browser(), 'github', world.host.agree)
    expect([waiting.status, waiting.json()]).toEqual([403, { error: 'account pending approval' }])
    const { users } = (await admin.browser.call('/api/auth/admin/users')).json() as {
      users: { id: string; provider: string }[]
    }
    const { id } = users.find(({ provider }) => provider === 'github') ?? { id: '' }
    const reset = await admin.browser.send('PUT', `/api/auth/admin/users/${id}/password`, { password: 'x' })
    expect([reset.status, reset.json()]).toEqual([400, { error: 'the account has no password here' }])
    await admin.browser.send('PUT', `/api/auth/admin/users/${id}/status`, { status: 'active' })
    expect((await signIn(world.browser(), 'github', world.host.agree)).headers.location).toBe('/app')
  })
})

it('without a configured provider is 404', async () => {
  await using world: AccountsWorld = await startAccountsWorld()
  for (const path of ['github/login', 'github/callback', 'oidc/login', 'oidc/callback']) {
    const reply = await world.call(`/api/auth/${path}`)
    expect([reply.status, reply.json()], path).toEqual([404, { error: 'this way to sign in is not configured' }])
  }
  expect(loadConfig({ argv: [], env: { CODEHOST_BASE_URL: 'nonsense' }, cwd: '/' })).toMatchObject({
    kind: 'usage-error',
  })
})
