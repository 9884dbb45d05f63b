import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempDir } from '@svc/test-kit'
import { describe, expect } from 'vitest'
import { PASSWORD } from '../support/accounts-world.ts'
import { createBrowser } from '../support/browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const HOME = '192.0.2.1'
const OFFICE = '192.0.2.2'
const behindProxy = ['--auth-enabled', '--auth-registration-mode=open', '--trusted-proxies=127.0.0.1/32']
/** Signs in from an address, with the right password or a wrong one. */
const login = (server: TestServer, name: string, { at = HOME, password = 'wrong' } = {}) =>
  server.post('/api/auth/login', { email: `${name}@site.example`, password }, { 'x-forwarded-for': at })
const register = (server: TestServer, name: string, at = HOME) =>
  server.post('/api/auth/register', { email: `${name}@site.example`, password: PASSWORD }, { 'x-forwarded-for': at })

describe('attempts to sign in', () => {
  verifies(
    ['auth-api:login:rate-limit', 'auth-api:login:success-uncounted', 'auth-api:invite-check:rate-limit'],
    'that fail are five a minute for an address with an account, and lock nothing else',
    async () => {
      await using server = await startTestServer({ flags: behindProxy })
      for (const name of ['ada', 'bob']) expect((await register(server, name)).status).toBe(201)
      for (let attempt = 0; attempt < 8; attempt += 1)
        expect((await login(server, 'ada', { password: PASSWORD })).status).toBe(200)
      const guesses = await Promise.all(Array.from({ length: 8 }, () => login(server, 'ada')))
      expect(guesses.map(({ status }) => status).sort()).toEqual([...Array(5).fill(401), ...Array(3).fill(429)])
      const refused = await login(server, 'ada', { password: PASSWORD })
      expect([refused.status, refused.json()]).toEqual([429, { error: 'too many requests, please try again later' }])
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(30)
      expect((await login(server, 'ada', { at: '192.0.2.9', password: PASSWORD })).status).toBe(200)
      expect((await login(server, 'bob', { password: PASSWORD })).status).toBe(200)
      expect((await register(server, 'eve')).status).toBe(201)
      const at = { 'x-forwarded-for': HOME }
      expect((await server.post('/api/auth/token-login', { token: 'x' }, at)).status).toBe(401)
      const check = async (code: string) =>
        (await server.call(`/api/auth/invite/${code}/check`, { headers: at })).status
      for (let attempt = 0; attempt < 5; attempt += 1) expect(await check('0'.repeat(64))).toBe(200)
      expect([await check('0'.repeat(64)), await check('1'.repeat(64))]).toEqual([429, 200])
      expect((await login(server, 'bob', { password: PASSWORD })).status).toBe(200)
    },
  )

  verifies(
    'auth-api:login:known-address',
    'that are spread over addresses do not lock an owner out where the owner has been, also after a restart',
    async () => {
      await using folder = await tempDir()
      const start = () => startTestServer({ folder: folder.path, flags: [...behindProxy, '--auth-rate-limit=1'] })
      {
        await using server = await start()
        for (const name of ['ada', 'bob']) expect((await register(server, name)).status).toBe(201)
        expect((await login(server, 'ada', { at: OFFICE, password: PASSWORD })).status).toBe(200)
      }
      await using server = await start()
      for (let stranger = 0; stranger < 20; stranger += 1)
        expect((await login(server, 'ada', { at: `198.51.100.${stranger}` })).status).toBe(401)
      const right = { password: PASSWORD }
      expect((await login(server, 'ada', { ...right, at: '203.0.113.1' })).status, 'a new place').toBe(429)
      const flood = Array.from({ length: 80 }, (_, index) => login(server, `x-${index}`, { at: `100.64.${index}.1` }))
      expect((await login(server, 'ada', { ...right, at: HOME })).status, 'beside a flood').toBe(200)
      await Promise.all(flood)
      for (const at of [HOME, OFFICE]) expect((await login(server, 'ada', { ...right, at })).status, at).toBe(200)
      expect((await login(server, 'bob', { ...right, at: '203.0.113.1' })).status, 'another account').toBe(200)
      // and guesses at many accounts from one address
      for (let index = 0; index < 9; index += 1) expect((await login(server, `nobody-${index}`)).status).toBe(401)
      expect((await login(server, 'carl')).status).toBe(401)
      expect((await login(server, 'dora')).status).toBe(429)
      expect((await login(server, 'bob', right)).status).toBe(200)
      await server.close()
      expect(await readFile(join(folder.path, 'data', 'database.db'), 'latin1'), 'no address').not.toContain(HOME)
    },
  )

  verifies('auth-api:login:rate-limit', 'at the own password are limited like others', async () => {
    await using server = await startTestServer({ flags: behindProxy })
    const browser = createBrowser(server.url)
    await browser.send('POST', '/api/auth/register', { email: 'ada@site.example', password: PASSWORD })
    const change = (current: string, fresh: string) =>
      browser.send('PUT', '/api/auth/password', { current_password: current, new_password: fresh })
    expect((await change(PASSWORD, 'weak')).status).toBe(400)
    for (let attempt = 0; attempt < 5; attempt += 1) expect((await change('wrong', PASSWORD)).status).toBe(401)
    expect((await change(PASSWORD, PASSWORD)).status).toBe(429)
    expect((await browser.call('/api/auth/me')).status).toBe(200)
  })
})
