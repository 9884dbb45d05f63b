import { type HostileIssuer, readSse, startHostileIssuer, startOidcIssuer } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Browser, createBrowser } from '../support/browser.ts'
import { CLIENT, findPort, oidcEnv, signIn, startAt } from '../support/provider-sign-in.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const PATH = '/api/auth/oidc/backchannel-logout'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} }
const now = (): number => Math.floor(Date.now() / 1000)

const meStatus = async (browser: Browser): Promise<number> => (await browser.call('/api/auth/me')).status
const post = (server: TestServer, body: string, headers: Record<string, string> = FORM) =>
  server.call(PATH, { method: 'POST', body, headers })

describe('an issuer that signs somebody out', () => {
  let issuer: HostileIssuer
  let server: TestServer
  beforeAll(async () => {
    const account = { sub: 'ada', email: 'ada@site.example', email_verified: true, name: 'Ada', sid: 'session-1' }
    issuer = await startHostileIssuer({ clientId: CLIENT.clientId, account })
    const flags = ['--auth-registration-mode=open']
    server = await startAt(await findPort(), { flags, env: oidcEnv(issuer.issuer) })
    const answer = { text: 'on ', repeat: 100_000, pieceDelayMs: 20 }
    await server.model('m', { rules: [{ rpc: 'PredictStream', do: answer }] })
  })
  afterAll(async () => {
    await server.close()
    await issuer[Symbol.asyncDispose]()
  })
  let tokens = 0
  const sign = (changes: object = {}): Promise<string> => {
    tokens += 1
    const claims = { iss: issuer.issuer, aud: CLIENT.clientId, iat: now(), exp: now() + 120, jti: `token-${tokens}` }
    return issuer.sign({ ...claims, sub: 'ada', events: EVENTS, ...changes }, { typ: 'logout+jwt' })
  }
  async function enter(sid: string): Promise<Browser> {
    issuer.account = { ...issuer.account, sid }
    const browser = createBrowser(server.url)
    await signIn(browser, 'oidc', issuer.agree)
    expect(await meStatus(browser)).toBe(200)
    return browser
  }

  verifies('auth-api:oidc:backchannel-logout', 'ends the session that it names, and its streams, once', async () => {
    const [one, two] = [await enter('session-1'), await enter('session-2')]
    const made = await one.send('POST', '/api/auth/api-keys', { name: 'stays' })
    const { key } = made.json() as { readonly key: string }
    const stream = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: `session=${one.cookies.get('session')}` },
      body: JSON.stringify({
        model: 'm',
        messages: [{ role: 'user', content: 'Hello' }],
        max_tokens: 1000,
        stream: true,
      }),
    })
    const events = readSse(stream)
    await events.next()
    const token = await sign({ sid: 'session-1' })
    const reply = await post(server, new URLSearchParams({ logout_token: token }).toString())
    expect([reply.status, reply.text, reply.headers['cache-control']]).toEqual([200, '', 'no-store'])
    expect([await meStatus(one), await meStatus(two)]).toEqual([401, 200])
    const rest: string[] = []
    for await (const { data = '' } of events) rest.push(data)
    expect(rest.slice(-2).join()).toContain('access has ended')
    const withKey = await server.call('/api/auth/me', { headers: { authorization: `Bearer ${key}` } })
    expect(withKey.status, 'a key of the account stays').toBe(200)
    const again = await enter('session-1')
    const replay = await post(server, new URLSearchParams({ logout_token: token }).toString())
    expect([replay.status, replay.json()]).toEqual([
      400,
      { error: 'invalid_request', error_description: 'the logout token does not hold' },
    ])
    expect(await meStatus(again)).toBe(200)
    expect(server.logLines.join('')).toContain('the token was used before')
    expect((await post(server, new URLSearchParams({ logout_token: await sign() }).toString())).status).toBe(200)
    expect([await meStatus(two), await meStatus(again)]).toEqual([401, 401])
  })

  it('is refused in any other form, and ends nothing', async () => {
    const browser = await enter('session-3')
    const token = await sign()
    for (const [body, headers, status] of [
      [`logout_token=${token}`, {}, 415],
      [`logout_token=${token}`, { 'content-type': 'text/plain' }, 415],
      [JSON.stringify({ logout_token: token }), { 'content-type': 'application/json' }, 415],
      ['', FORM, 400],
      ['logout_token=', FORM, 400],
      ['token=x', FORM, 400],
      [`logout_token=${token}&logout_token=${token}`, FORM, 400],
      [`logout_token=${token.slice(0, -4)}`, FORM, 400],
      [`logout_token=${'x'.repeat(200_000)}`, FORM, 413],
      [`logout_token=${await sign({ aud: 'other' })}`, FORM, 400],
    ] as const)
      expect((await post(server, body, headers)).status, body.slice(0, 40)).toBe(status)
    expect((await server.call(`${PATH}?logout_token=${token}`)).status).toBe(405)
    expect(await meStatus(browser)).toBe(200)
    const type = { 'content-type': 'Application/X-WWW-Form-Urlencoded; charset=UTF-8' }
    expect((await post(server, `logout_token=${token}`, type)).status).toBe(200)
    expect(await meStatus(browser)).toBe(401)
  })

  it('may not try for ever, while tokens that hold are not counted', async () => {
    await using limited = await startTestServer({ flags: ['--auth-enabled'], env: oidcEnv(issuer.issuer) })
    for (let attempt = 0; attempt < 70; attempt += 1)
      expect((await post(limited, `logout_token=${await sign()}`)).status).toBe(200)
    for (let attempt = 0; attempt < 60; attempt += 1) expect((await post(limited, 'logout_token=x')).status).toBe(400)
    expect((await post(limited, 'logout_token=x')).status).toBe(429)
  })

  it('has no route without an issuer', async () => {
    await using bare = await startTestServer({ flags: ['--auth-enabled'] })
    expect((await post(bare, `logout_token=${await sign()}`)).status).toBe(404)
  })
})

verifies(
  ['auth-api:oidc:backchannel-logout', 'auth-api:oidc:client-authentication'],
  'a person who signs out at oidc-provider is signed out here, and nobody else is',
  async () => {
    const port = await findPort()
    const base = `http://127.0.0.1:${port}/api/auth/oidc`
    await using issuer = await startOidcIssuer({
      ...CLIENT,
      redirectUri: `${base}/callback`,
      logoutUri: `${base}/backchannel-logout`,
      authMethod: 'client_secret_basic',
      toClaims: (login) => ({ email: `${login}@site.example`, email_verified: true, name: login }),
    })
    const flags = ['--auth-registration-mode=open']
    await using server = await startAt(port, { flags, env: oidcEnv(issuer.issuer) })
    const enter = async (login: string): Promise<Browser> => {
      const browser = createBrowser(server.url)
      await signIn(browser, 'oidc', (url) => issuer.agree(url, login))
      expect(await meStatus(browser)).toBe(200)
      return browser
    }
    const [bob, elsewhere, ada] = [await enter('bob'), await enter('ada'), await enter('ada')]
    await issuer.signOut()
    await expect.poll(() => meStatus(ada)).toBe(401)
    expect([await meStatus(bob), await meStatus(elsewhere)]).toEqual([200, 200])
  },
)
