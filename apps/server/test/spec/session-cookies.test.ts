import { startHostileIssuer } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { type AccountsWorld, startAccountsWorld } from '../support/accounts-world.ts'
import { createBrowser } from '../support/browser.ts'
import { CLIENT, findPort, oidcEnv, startAt, toPath } from '../support/provider-sign-in.ts'
import { verifies } from './verifies.ts'

const OTHER = 'f'.repeat(64)

describe('a browser with cookies of other programs', () => {
  let world: AccountsWorld
  beforeAll(async () => {
    world = await startAccountsWorld()
  })
  afterAll(() => world.close())
  const statusOf = async (cookie: string, method = 'GET', path = '/api/auth/me'): Promise<number> =>
    (await world.call(path, { method, headers: { cookie } })).status

  verifies('auth-api:cookie:foreign', 'is known by its own, wherever that stands', async () => {
    const own = `session=${world.admin.session}`
    for (const cookie of [
      `session=foreign; ${own}`,
      `${own}; session=foreign`,
      `session=${OTHER}; ${own}`,
      `session=; ${own}`,
      `session=a=b; theme=dark; session=${OTHER}; ${own}; session="x"`,
      `${Array.from({ length: 20 }, (_, index) => `session=foreign-${index}`).join('; ')}; ${own}`,
      `session=foreign; token=foreign; token=${world.admin.key}`,
    ])
      expect(await statusOf(cookie), cookie).toBe(200)
    for (const cookie of [`session=foreign; session=${OTHER}`, 'session=foreign; token=foreign', `Session=${own}`])
      expect(await statusOf(cookie), cookie).toBe(401)
    const header = { authorization: 'Bearer wrong', cookie: own }
    expect((await world.call('/api/auth/me', { headers: header })).status, 'a header decides alone').toBe(401)
  })

  verifies('auth-api:cookie:foreign', 'is signed out by all of its own, and by those of nobody else', async () => {
    const [one, two, other] = await Promise.all(['one', 'two', 'other'].map((name) => world.member(name)))
    const cookie = `session=foreign; session=${one?.session}; session=${two?.session}`
    expect(await statusOf(cookie, 'POST', '/api/auth/logout')).toBe(200)
    expect([await statusOf(`session=${one?.session}`), await statusOf(`session=${two?.session}`)]).toEqual([401, 401])
    const key = { authorization: `Bearer ${other?.key}`, cookie: `session=${other?.session}` }
    expect((await world.call('/api/auth/logout', { method: 'POST', headers: key })).status).toBe(200)
    expect(await statusOf(`session=${other?.session}`), 'the header alone was looked at').toBe(200)
  })
})

verifies(
  ['auth-api:cookie:path', 'auth-api:cookie:foreign'],
  'cookies are for the path below which clients reach the server, and sign-ins come back among others',
  async () => {
    const account = { sub: 'ada', email: 'ada@site.example', email_verified: true, name: 'Ada' }
    await using issuer = await startHostileIssuer({ clientId: CLIENT.clientId, account })
    const port = await findPort()
    await using server = await startAt(port, {
      flags: ['--auth-registration-mode=open'],
      env: { ...oidcEnv(issuer.issuer), SVC_BASE_URL: `http://127.0.0.1:${port}/models/here/` },
    })
    const paths = (lines: readonly string[] = []) =>
      lines.map((line) => [line.split('=', 1)[0], /; Path=([^;]*)/.exec(line)?.[1]])
    const browser = createBrowser(server.url)
    const begun = await browser.call('/models/here/api/auth/oidc/login?invite_code=code')
    expect(paths(begun.headers['set-cookie'])).toEqual([
      ['oauth_state', '/models/here'],
      ['invite_code', '/models/here'],
    ])
    const back = await issuer.agree(new URL(begun.headers.location ?? ''))
    expect(back.pathname).toBe('/models/here/api/auth/oidc/callback')
    const cookie = `oauth_state=foreign; oauth_state=${OTHER}; oauth_state=${browser.cookies.get('oauth_state')}`
    const done = await server.call(toPath(back), { headers: { cookie } })
    expect([done.status, done.headers.location]).toEqual([307, '/models/here/app'])
    expect(paths(done.headers['set-cookie'])).toEqual([
      ['oauth_state', '/models/here'],
      ['invite_code', '/models/here'],
      ['session', '/models/here'],
    ])
    const session = /session=([0-9a-f]{64})/.exec(String(done.headers['set-cookie']))?.[1]
    const signedIn = { cookie: `session=foreign; session=${session}` }
    expect((await server.call('/models/here/api/auth/me', { headers: signedIn })).status).toBe(200)
    const out = await server.call('/models/here/api/auth/logout', { method: 'POST', headers: signedIn })
    expect(paths(out.headers['set-cookie'])).toEqual([
      ['session', '/models/here'],
      ['token', '/models/here'],
    ])
  },
)
