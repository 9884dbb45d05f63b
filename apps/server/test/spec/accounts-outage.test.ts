import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { startPostgres } from '@svc/test-kit'
import postgres from 'postgres'
import { afterAll, describe, expect, it } from 'vitest'
import { PRESENT_ENGINES } from '../../src/db/__fixtures__/engines.ts'
import { PASSWORD, startAccountsWorld } from '../support/accounts-world.ts'
import { startSwitchableProxy } from '../support/switchable-proxy.ts'
import type { RawReply } from '../support/test-app.ts'
import { verifies } from './verifies.ts'

const running = await startPostgres()
afterAll(() => running[Symbol.asyncDispose]())
if (!running.available) console.warn(`a PostgreSQL that is away is not tried: ${running.reason}`)

const SHARED = 'shared-key-of-everybody'
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const unknownKey = (): string => `svc-${randomBytes(32).toString('hex')}`

function expectUnavailable(reply: RawReply): void {
  expect([reply.status, reply.headers['retry-after'], reply.headers['www-authenticate']]).toEqual([503, '1', undefined])
}

/** A server on a database of PostgreSQL that a test can take away. */
async function startWorld(flags: readonly string[] = []) {
  if (!running.available) throw new Error(running.reason)
  const url = new URL(await running.createDatabase())
  const direct = url.href
  const proxy = await startSwitchableProxy(Number(url.port))
  url.host = `127.0.0.1:${proxy.port}`
  const world = await startAccountsWorld({
    flags: [`--api-keys=${SHARED}`, ...flags],
    env: { SVC_AUTH_DATABASE_URL: url.href },
  })
  return {
    world,
    proxy,
    direct,
    models: (key: string) => world.call('/v1/models', { headers: bearer(key) }),
    async [Symbol.asyncDispose]() {
      proxy.open()
      await world.close()
      await proxy[Symbol.asyncDispose]()
    },
  }
}

describe.skipIf(!running.available)('a database that is away', () => {
  verifies(
    'access:database:trouble',
    'is 503 with the time to try again, never 401, and recovers by itself',
    async () => {
      await using place = await startWorld()
      const { world, proxy, models } = place
      const { key } = world.admin
      expect((await models(key)).status).toBe(200)
      proxy.shut()
      await expect.poll(async () => (await models(key)).status).toBe(503)
      expectUnavailable(await models(key))
      expectUnavailable(await models(unknownKey()))
      expectUnavailable(await world.call('/v1/models', { headers: { cookie: `session=${world.admin.session}` } }))
      expectUnavailable(await world.post('/api/auth/login', { email: world.admin.email, password: PASSWORD }))
      expectUnavailable(await world.call('/api/auth/status'))
      // work that needs no database goes on
      expect((await models(SHARED)).status).toBe(200)
      expect((await models('no key of anybody')).status).toBe(401)
      expect((await world.call('/healthz')).status).toBe(200)
      proxy.open()
      await expect.poll(async () => (await models(key)).status).toBe(200)
      expect((await models(unknownKey())).status).toBe(401)
    },
  )

  it('lets known callers go on for a while where the operator wants that', async () => {
    await using place = await startWorld(['--auth-outage-grace=10m'])
    const { world, proxy, models } = place
    const bob = await world.member('bob')
    expect((await models(world.admin.key)).status).toBe(200)
    proxy.shut()
    await expect.poll(async () => (await models(bob.key)).status).toBe(503)
    expect((await models(world.admin.key)).status).toBe(200)
    expectUnavailable(await models(unknownKey()))
  })

  it('is 503 too where a table is locked and every connection waits', async () => {
    await using place = await startWorld()
    const { world, models, direct } = place
    const locker = postgres(direct, { max: 1 })
    try {
      await locker.begin(async (transaction) => {
        await transaction`LOCK TABLE auth_api_keys IN ACCESS EXCLUSIVE MODE`
        const replies = await Promise.all(Array.from({ length: 20 }, () => models(unknownKey())))
        for (const reply of replies) expectUnavailable(reply)
      })
    } finally {
      await locker.end()
    }
    await expect.poll(async () => (await models(world.admin.key)).status).toBe(200)
  })
})

describe('a SQLite file', () => {
  // of one process, only connections of one engine see the locks of each other
  const [engine = ''] = PRESENT_ENGINES
  it('that another program writes to for long is 503, and the sign-in works afterwards', async () => {
    await using world = await startAccountsWorld()
    const Client = createRequire(import.meta.url)(engine)
    const other = new Client(join(world.folder, 'data', 'database.db'))
    const login = () => world.post('/api/auth/login', { email: world.admin.email, password: PASSWORD })
    try {
      other.exec('BEGIN IMMEDIATE')
      expectUnavailable(await login())
      other.exec('ROLLBACK')
    } finally {
      other.close()
    }
    expect((await login()).status).toBe(200)
  })
})
