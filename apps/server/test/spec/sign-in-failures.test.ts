import { readdirSync, readFileSync } from 'node:fs'
import { startCodeHost, startHostileIssuer } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { createMembers, type Member } from '../support/accounts-world.ts'
import { type Browser, createBrowser } from '../support/browser.ts'
import { CLIENT, findPort, goThere, oidcEnv, signIn, startAt, toPath } from '../support/provider-sign-in.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import type { RawReply } from '../support/test-app.ts'
import { verifies } from './verifies.ts'

const ADA = { sub: 'ada', email: 'ada@site.example', email_verified: true, name: 'Ada' }
const PAGE = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

/** Texts of the page by their words, in every language. */
const LOCALES = new URL('../../../web/src/i18n/locales/', import.meta.url)
const TEXTS = readdirSync(LOCALES).map(
  (language) =>
    (
      JSON.parse(readFileSync(new URL(`${language}/sign-in.json`, LOCALES), 'utf8')) as {
        failure: Record<string, string>
      }
    ).failure,
)

/** The word by which a browser is sent back to the form; every language has a sentence for it. */
function readWord({ status, headers }: RawReply): string {
  expect([status, headers['cache-control']]).toEqual([307, 'no-store'])
  const word = /^\/login\?error=(\w+)$/.exec(headers.location ?? '')?.[1] ?? ''
  for (const failure of TEXTS) expect(Object.keys(failure)).toContain(word)
  return word
}

describe('a browser for which a sign-in fails', () => {
  const ahead = 0
  let issuer: Awaited<ReturnType<typeof startHostileIssuer>>
  let server: TestServer
  let admin: Member
  beforeAll(async () => {
    issuer = await startHostileIssuer({ clientId: CLIENT.clientId, account: ADA })
    server = await startAt(await findPort(), {
      clock: { ...systemClock, monotonic: () => systemClock.monotonic() + ahead },
      flags: ['--auth-registration-mode=approval'],
      env: oidcEnv(issuer.issuer),
    })
    admin = await createMembers(server.url).member('admin')
  })
  afterAll(async () => {
    await server.close()
    await issuer[Symbol.asyncDispose]()
  })
  const browser = (): Browser => createBrowser(server.url)
  /** A sign-in whose browser asks for pages. */
  const signInWithPages = async (own = browser()): Promise<RawReply> =>
    own.call(toPath(await goThere(own, 'oidc', issuer.agree)), { headers: PAGE })
  const lastLog = (message: string): Record<string, unknown> =>
    JSON.parse(server.logLines.findLast((line) => line.includes(message)) ?? '{}') as Record<string, unknown>

  verifies(
    ['auth-api:provider:failure-page', 'auth-api:provider:failure-log'],
    'sees why the provider refused, and the log has the words of the provider',
    async () => {
      for (const [refusal, word] of [
        [{ error: 'access_denied', error_description: 'The person said no' }, 'sign_in_denied'],
        [{ error: 'login_required', error_description: 'Nobody is there' }, 'sign_in_failed'],
        [{ error: 'temporarily_unavailable', error_description: 'Back at noon' }, 'provider_unavailable'],
      ] as const) {
        issuer.refusal = refusal
        expect(readWord(await signInWithPages())).toBe(word)
        expect(lastLog('a sign-in has failed')).toMatchObject({
          provider: 'oidc',
          code: word,
          error: refusal.error,
          description: refusal.error_description,
        })
      }
      // providers exist that leave the state out
      const bare = '/api/auth/oidc/callback?error=access_denied&error_description=No+state'
      expect(readWord(await browser().call(bare, { headers: PAGE }))).toBe('sign_in_denied')
      expect(lastLog('a sign-in has failed')).toMatchObject({ error: 'access_denied', description: 'No state' })
      const stale = `${bare}&state=${'a'.repeat(64)}`
      expect(readWord(await browser().call(stale, { headers: PAGE }))).toBe('invalid_state')
      expect(lastLog('a sign-in has failed')).toMatchObject({ code: 'invalid_state', error: 'access_denied' })
      // a program gets the error
      const reply = await signIn(browser(), 'oidc', issuer.agree)
      expect([reply.status, Number(reply.headers['retry-after'])]).toEqual([503, 10])
      issuer.refusal = { error: 'access_denied' }
      const denied = await signIn(browser(), 'oidc', issuer.agree)
      expect([denied.status, denied.json()]).toEqual([400, { error: 'OAuth authentication failed' }])
      issuer.refusal = undefined
      issuer.tokenReply = { status: 400, body: { error: 'invalid_grant', error_description: 'too late' } }
      expect(readWord(await signInWithPages())).toBe('sign_in_failed')
      expect(lastLog('a sign-in has failed')).toMatchObject({ error: 'invalid_grant', description: 'too late' })
      issuer.tokenReply = undefined
    },
  )

  verifies('auth-api:provider:failure-page', 'sees that the provider is down, before and after', async () => {
    issuer.down = ['/token']
    expect(readWord(await signInWithPages())).toBe('provider_unavailable')
    issuer.down = []
    issuer.discoveryStatus = 500
    await using other = await startAt(await findPort(), { env: oidcEnv(issuer.issuer) })
    expect(readWord(await createBrowser(other.url).call('/api/auth/oidc/login', { headers: PAGE }))).toBe(
      'provider_unavailable',
    )
    expect((await other.call('/api/auth/oidc/login')).status).toBe(503)
    issuer.discoveryStatus = 200
  })

  verifies('auth-api:provider:failure-page', 'sees that a sign-in is stale, foreign or cut', async () => {
    const own = browser()
    const back = toPath(await goThere(own, 'oidc', issuer.agree))
    expect(readWord(await browser().call(back, { headers: PAGE })), 'of another browser').toBe('invalid_state')
    const bare = browser()
    const url = await goThere(bare, 'oidc', issuer.agree)
    url.searchParams.delete('code')
    expect(readWord(await bare.call(toPath(url), { headers: PAGE }))).toBe('sign_in_failed')
    for (const path of [
      'callback',
      'callback?state=x&code=y',
      'callback?state=x&error=access_denied',
      `callback?state=${'a'.repeat(64)}`,
    ])
      expect(readWord(await browser().call(`/api/auth/oidc/${path}`, { headers: PAGE })), path).toBe('invalid_state')
    expect(readWord(await browser().call('/api/auth/github/login', { headers: PAGE }))).toBe('provider_missing')
    expect(readWord(await browser().call('/api/auth/github/callback', { headers: PAGE }))).toBe('provider_missing')
  })

  verifies(
    'auth-api:provider:failure-page',
    'sees that the account waits, is disabled or needs a better invite',
    async () => {
      expect(readWord(await signInWithPages())).toBe('account_pending')
      expect(readWord(await signInWithPages())).toBe('account_pending')
      const { users } = (await admin.browser.call('/api/auth/admin/users')).json() as {
        users: { id: string; provider: string }[]
      }
      const { id } = users.find(({ provider }) => provider === 'oidc') ?? { id: '' }
      const setStatus = (status: string) => admin.browser.send('PUT', `/api/auth/admin/users/${id}/status`, { status })
      await setStatus('disabled')
      expect(readWord(await signInWithPages())).toBe('account_disabled')
      await setStatus('active')
      expect((await signInWithPages()).headers.location).toBe('/app')
      issuer.account = { ...ADA, sub: 'guest' }
      const expired = ((await admin.browser.send('POST', '/api/auth/admin/invites')).json() as { code: string }).code
      for (const code of ['f'.repeat(64), 'nonsense', 'with%20blanks', 'x'.repeat(300), '%00']) {
        const own = browser()
        const back = await goThere(own, 'oidc', issuer.agree, `?invite_code=${code}`)
        expect(readWord(await own.call(toPath(back), { headers: PAGE })), code).toBe('invalid_invite')
      }
      const guest = browser()
      const back = await goThere(guest, 'oidc', issuer.agree, `?invite_code=${expired}`)
      expect((await guest.call(toPath(back), { headers: PAGE })).headers.location).toBe('/app')
      issuer.account = ADA
    },
  )

  it('sees that there were too many attempts, and that the server is broken', async () => {
    await using limited = await startTestServer({ flags: ['--auth-enabled'], env: oidcEnv(issuer.issuer) })
    const call = (path: string) => limited.call(`/api/auth/oidc/${path}`, { headers: PAGE })
    for (let attempt = 0; attempt < 60; attempt += 1) expect(readWord(await call('callback'))).toBe('invalid_state')
    expect(readWord(await call('callback'))).toBe('too_many')
    expect((await limited.call('/api/auth/oidc/callback')).status).toBe(429)
    expect((await call('login')).headers.location, 'those who leave have a budget of their own').toMatch(/^http/)
  })

  verifies('auth-api:provider:plain-page', 'gets a plain page where there is no web interface', async () => {
    const flags = ['--disable-webui', '--auth-registration-mode=approval']
    await using bare = await startAt(await findPort(), { flags, env: oidcEnv(issuer.issuer) })
    const own = createBrowser(bare.url)
    const read = ({ status, headers, text }: RawReply) => [
      ...[status, headers['content-type'], headers['cache-control']],
      /<p>(.*)<\/p>/.exec(text)?.[1],
    ]
    const html = ['text/html; charset=utf-8', 'no-store']
    const finish = async (browser: Browser) =>
      browser.call(toPath(await goThere(browser, 'oidc', issuer.agree)), { headers: PAGE })
    expect(read(await finish(own))).toEqual([200, ...html, 'You are signed in. You can close this page.'])
    const stale = await own.call('/api/auth/oidc/callback?code=1&state=2', { headers: PAGE })
    expect(read(stale)).toEqual([400, ...html, expect.stringContaining('This sign-in has expired')])
    const denied = await own.call('/api/auth/oidc/callback?error=%3Cscript%3E', { headers: PAGE })
    expect(read(denied)).toEqual([expect.any(Number), ...html, expect.any(String)])
    expect(denied.text).not.toContain('script')
    const missing = await own.call('/api/auth/github/login', { headers: PAGE })
    expect(read(missing)).toEqual([404, ...html, 'This way to sign in is not set up on this server.'])
    const program = await own.call('/api/auth/github/login', { headers: { accept: 'application/json' } })
    expect([program.status, program.json()]).toEqual([404, { error: 'this way to sign in is not configured' }])
  })

  it('is counted as refused or as failed', async () => {
    const count = async (outcome: string): Promise<number> => {
      const { text } = await server.call('/metrics', { headers: admin.headers })
      const line = text
        .split('\n')
        .find((one) => one.startsWith('svc_sign_ins_total') && one.includes('"oidc"') && one.includes(`"${outcome}"`))
      return Number(line?.split(' ').at(-1) ?? 0)
    }
    const before = [await count('refused'), await count('failed')]
    await browser().call('/api/auth/oidc/callback', { headers: PAGE })
    issuer.down = ['/token']
    await signInWithPages()
    issuer.down = []
    expect([await count('refused'), await count('failed')]).toEqual(before.map((number) => number + 1))
  })
})

verifies(
  'auth-api:provider:failure-page',
  'a browser for which the code host fails goes back to the form too',
  async () => {
    const port = await findPort()
    const account = { user: { id: 7, login: 'ada' }, emails: [] }
    await using host = await startCodeHost({ ...CLIENT, account })
    await using server = await startAt(port, {
      flags: ['--auth-registration-mode=open'],
      env: {
        CODEHOST_CLIENT_ID: CLIENT.clientId,
        CODEHOST_CLIENT_SECRET: CLIENT.clientSecret,
        CODEHOST_BASE_URL: host.baseUrl,
        CODEHOST_API_URL: host.apiUrl,
      },
    })
    const own = createBrowser(server.url)
    const expired = toPath(await goThere(own, 'github', host.agree))
    host.expireCodes()
    expect(readWord(await own.call(expired, { headers: PAGE }))).toBe('sign_in_failed')
    expect(server.logLines.join('')).toContain('bad_verification_code')
    host.apiStatus = 500
    const failing = toPath(await goThere(own, 'github', host.agree))
    expect(readWord(await own.call(failing, { headers: PAGE }))).toBe('provider_unavailable')
  },
)
