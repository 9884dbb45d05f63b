import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Canary, findCanaries, findCanariesInValues, makeCanary } from '@svc/test-kit'
import { expect } from 'vitest'
import { startAccountsWorld } from '../support/accounts-world.ts'
import { verifies } from './verifies.ts'

/** The bytes of every file of the data folder. */
async function readData(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const data = join(folder, 'data')
  const names = (await readdir(data, { withFileTypes: true })).filter((entry) => entry.isFile())
  return new Map(await Promise.all(names.map(async ({ name }) => [name, await readFile(join(data, name))] as const)))
}

verifies(
  ['session:storage:hashed', 'access:password:storage'],
  'AU-4: no issued secret and no password stands in a file, in a line of the log or in a later reply',
  async () => {
    const typed = { password: makeCanary('password'), shared: makeCanary('shared key', { plain: true }) }
    await using world = await startAccountsWorld({
      flags: ['--log-level=trace', `--api-keys=${typed.shared.value}`],
    })
    const bob = await world.member('bob')
    const { code } = (await world.admin.browser.send('POST', '/api/auth/admin/invites', {})).json() as { code: string }
    const form = { email: 'ada@site.example', password: typed.password.value, acknowledge_weak_password: true }
    expect((await world.post('/api/auth/register', form)).status).toBe(201)
    expect((await world.post('/api/auth/login', form)).status).toBe(200)
    expect((await world.post('/api/auth/login', { ...form, password: `${form.password}x` })).status).toBe(401)
    expect((await world.post('/api/auth/token-login', { token: typed.shared.value })).status).toBe(200)
    expect((await world.post('/api/auth/token-login', { token: bob.key })).status).toBe(200)
    await world.call('/v1/models', { headers: { ...bob.headers, cookie: `session=${bob.session}` } })
    await world.call('/v1/models', { headers: { cookie: `session=${bob.session}` } })
    const issued: readonly Canary[] = [
      { name: 'user key', value: bob.key },
      { name: 'session', value: bob.session },
      { name: 'admin session', value: world.admin.session },
      { name: 'invite', value: code },
      ...Object.values(typed),
    ]
    const replies = await Promise.all(
      ['/api/auth/me', '/api/auth/api-keys', '/api/auth/admin/users', '/api/auth/admin/invites', '/api/settings'].map(
        async (path) => (await world.admin.browser.call(path)).text,
      ),
    )
    expect(findCanariesInValues(replies, issued)).toEqual([])
    expect(world.logLines.length).toBeGreaterThan(10)
    expect(findCanariesInValues(world.logLines, issued)).toEqual([])
    const files = await readData(world.folder)
    expect([...files.keys()]).toContain('database.db')
    for (const [name, bytes] of files) expect(findCanaries(bytes, issued, name)).toEqual([])
    const database = Buffer.concat([...files.values()]).toString('latin1')
    expect(database).toMatch(/\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  },
)

verifies(
  'auth-api:login:equal-time',
  'AU-2: a wrong password costs as much work without an account as with one',
  async () => {
    await using world = await startAccountsWorld()
    const bob = await world.member('bob')
    const spend = async (email: string): Promise<number> => {
      const before = process.cpuUsage()
      const { status } = await world.post('/api/auth/login', { email, password: 'not the right one' })
      expect(status).toBe(401)
      const { user, system } = process.cpuUsage(before)
      return user + system
    }
    const [known, unknown]: [number[], number[]] = [[], []]
    for (let round = 0; round < 20; round += 1) {
      known.push(await spend(bob.email))
      unknown.push(await spend(`nobody-${round}@site.example`))
    }
    const median = (values: number[]): number => values.toSorted((left, right) => left - right)[10] ?? 0
    // a hash is most of the work, and one that is left out is missing by far
    expect(median(unknown) / median(known)).toBeGreaterThan(0.6)
    expect(median(unknown) / median(known)).toBeLessThan(1.7)
  },
)
