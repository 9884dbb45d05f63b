import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { startPostgres, tempDir } from '@svc/test-kit'
import { afterAll, describe, expect, it } from 'vitest'
import { runAccountCommand } from '../../src/cli/account-commands.ts'
import { loadConfig } from '../../src/config/load.ts'
import { createMembers, type Member, PASSWORD, startAccountsWorld } from '../support/accounts-world.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const postgres = await startPostgres()
afterAll(() => postgres[Symbol.asyncDispose]())
if (!postgres.available) console.warn(`secrets of servers on PostgreSQL are not tried: ${postgres.reason}`)

const ONE = 'one secret of more than thirty-two characters'
const OTHER = 'another secret of more than thirty-two characters'
const secretOf = (folder: string): string => join(folder, 'data', '.hmac_secret')

const start = (folder: string, env: Readonly<Record<string, string>> = {}): Promise<TestServer> =>
  startTestServer({ folder, env, flags: ['--auth-enabled', '--auth-rate-limit=0'] })

function runCommand(line: string, folder: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const argv = [...line.split(' '), `--data-path=${join(folder, 'data')}`]
  const command = loadConfig({ argv, env, cwd: '/' })
  if (command.kind !== 'accounts') throw new Error(JSON.stringify(command))
  return runAccountCommand({ ...command, version: '0.0.0 (0000000)', input: Readable.from([]) })
}

/** The status of a member's key and of a member's session. */
async function tryCredentials(server: TestServer, { key, session }: Member): Promise<readonly number[]> {
  const headers = [{ authorization: `Bearer ${key}` }, { cookie: `session=${session}` }]
  return Promise.all(headers.map(async (one) => (await server.call('/api/auth/me', { headers: one })).status))
}

verifies(
  'auth-config:secret:kept',
  'without its secret no server starts, and the right one brings all back',
  async () => {
    await using folder = await tempDir()
    const world = await startAccountsWorld({ folder: folder.path })
    const { admin } = world
    await world.close()
    const path = secretOf(folder.path)
    const { mode, size } = await stat(path)
    expect([mode & 0o777, size]).toEqual([0o600, 65])
    const right = await readFile(path, 'utf8')
    const refuse = async (remedy: RegExp, env: Readonly<Record<string, string>> = {}) => {
      const refusal = { exitCode: 78, message: expect.stringMatching(remedy) }
      await expect(start(folder.path, env)).rejects.toMatchObject(refusal)
      for (const line of ['users list', 'keys create admin@site.example'])
        await expect(runCommand(line, folder.path, env), line).rejects.toMatchObject(refusal)
    }
    await rename(path, `${path}.away`)
    await refuse(/put the file back from a copy, .* or run "svc secret rotate"/)
    await expect(stat(path), 'none is made').rejects.toMatchObject({ code: 'ENOENT' })
    await writeFile(path, `${'0'.repeat(64)}\n`)
    await refuse(/\.hmac_secret is not the secret of the database: put the file back from a copy/)
    await rename(`${path}.away`, path)
    await refuse(/SVC_AUTH_HMAC_SECRET is not the secret of the database: .* leave the variable out/, {
      SVC_AUTH_HMAC_SECRET: OTHER,
    })
    for (const env of [{}, { SVC_AUTH_HMAC_SECRET: right.trim() }]) {
      await using server = await start(folder.path, env)
      expect(await tryCredentials(server, admin)).toEqual([200, 200])
    }
  },
)

describe.skipIf(!postgres.available)('servers on one PostgreSQL', () => {
  verifies('auth-config:secret:kept', 'start with one secret alone, also from an empty data folder', async () => {
    if (!postgres.available) return
    const url = { SVC_AUTH_DATABASE_URL: await postgres.createDatabase() }
    await using folder = await tempDir()
    await using empty = await tempDir()
    await using world = await startAccountsWorld({ folder: folder.path, env: { ...url, SVC_AUTH_HMAC_SECRET: ONE } })
    // a container without a volume, and a server with a secret of its own
    await expect(start(empty.path, url)).rejects.toMatchObject({
      exitCode: 78,
      message: expect.stringContaining('set SVC_AUTH_HMAC_SECRET where other servers of the database have it'),
    })
    await expect(stat(secretOf(empty.path))).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(start(empty.path, { ...url, SVC_AUTH_HMAC_SECRET: OTHER })).rejects.toMatchObject({ exitCode: 78 })
    await using second = await start(empty.path, { ...url, SVC_AUTH_HMAC_SECRET: ONE })
    expect(await tryCredentials(second, world.admin)).toEqual([200, 200])
  })

  verifies(
    'auth-config:secret:rotated',
    'stop using a secret that was rotated beside them: 503, never 401',
    async () => {
      if (!postgres.available) return
      const url = { SVC_AUTH_DATABASE_URL: await postgres.createDatabase() }
      await using folder = await tempDir()
      await using other = await tempDir()
      await using world = await startAccountsWorld({ folder: folder.path, env: { ...url, SVC_AUTH_HMAC_SECRET: ONE } })
      await runCommand('secret rotate', other.path, { ...url, SVC_AUTH_HMAC_SECRET: OTHER })
      await expect.poll(() => tryCredentials(world, world.admin)).toEqual([503, 503])
      const login = await world.post('/api/auth/login', { email: world.admin.email, password: PASSWORD })
      expect(login.status, 'no session under the secret before').toBe(503)
      await expect.poll(async () => (await world.call('/readyz')).status).toBe(503)
      expect(world.logLines.join('')).toContain('the secret of the database was replaced')
      await using next = await start(other.path, { ...url, SVC_AUTH_HMAC_SECRET: OTHER })
      expect(await tryCredentials(next, world.admin)).toEqual([401, 401])
      const again = await next.post('/api/auth/login', { email: world.admin.email, password: PASSWORD })
      expect(again.status).toBe(200)
    },
  )
})

verifies('auth-config:secret:rotated', 'a rotation ends keys and sessions, and accounts stay', async () => {
  await using folder = await tempDir()
  const world = await startAccountsWorld({ folder: folder.path })
  const { admin } = world
  const invite = await admin.browser.send('POST', '/api/auth/admin/invites')
  expect(invite.status).toBe(201)
  await expect(runCommand('secret rotate', folder.path), 'while a server runs').rejects.toMatchObject({ exitCode: 75 })
  expect(await tryCredentials(world, admin)).toEqual([200, 200])
  await world.close()
  // the remedy of a lost file
  await rm(secretOf(folder.path))
  expect(await runCommand('secret rotate', folder.path)).toBe(
    `the database has the new secret of ${secretOf(folder.path)}\nended: sessions 1, API keys 1, invites 1\n`,
  )
  const made = await readFile(secretOf(folder.path), 'utf8')
  expect(await runCommand('secret rotate', folder.path)).toContain('ended: sessions 0, API keys 0, invites 0')
  expect(await readFile(secretOf(folder.path), 'utf8')).not.toBe(made)
  await using server = await start(folder.path)
  expect(await tryCredentials(server, admin)).toEqual([401, 401])
  const login = await server.post('/api/auth/login', { email: admin.email, password: PASSWORD })
  expect(login.json()).toMatchObject({ user: { id: admin.id, role: 'admin' } })
  expect((await createMembers(server.url).browser().call('/api/auth/status')).json()).toMatchObject({ hasUsers: true })
})

it('a rotation to a given secret needs a new one, and writes none down', async () => {
  await using folder = await tempDir()
  const env = { SVC_AUTH_HMAC_SECRET: ONE }
  expect(await runCommand('secret rotate', folder.path, env)).toContain('the new secret of SVC_AUTH_HMAC_SECRET')
  await expect(runCommand('secret rotate', folder.path, env)).rejects.toMatchObject({ exitCode: 78 })
  await expect(stat(secretOf(folder.path))).rejects.toMatchObject({ code: 'ENOENT' })
  await using server = await start(folder.path, env)
  expect((await server.call('/healthz')).status).toBe(200)
  await expect(
    runCommand('secret rotate', folder.path, { SVC_AUTH_DATABASE_URL: ':memory:' }),
    'nobody else can reach it',
  ).rejects.toMatchObject({ exitCode: 78 })
})
