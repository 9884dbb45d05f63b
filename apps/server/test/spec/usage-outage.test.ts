import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually, startPostgres } from '@svc/test-kit'
import { usageReply } from '@svc/wire/native'
import postgres from 'postgres'
import { afterAll, describe, expect, it } from 'vitest'
import { PRESENT_ENGINES } from '../../src/db/__fixtures__/engines.ts'
import { loadSqliteEngine } from '../../src/db/sqlite-engine.ts'
import { type AccountsWorld, type Member, startAccountsWorld } from '../support/accounts-world.ts'
import type { RawReply } from '../support/test-app.ts'

const SHARED = { 'x-api-key': 'a-shared-key' }
const silent = { debug() {}, info() {}, warn() {}, error() {} }

interface World extends AsyncDisposable {
  readonly server: AccountsWorld
  /** An account with a quota of 1,000 requests. */
  readonly ada: Member
  /** Requests that were answered, by who asked. */
  readonly served: { ada: number; shared: number }
  ask(who: 'ada' | 'shared'): Promise<RawReply>
  /** Rows that reports show, by who asked. */
  readRows(): Promise<{ readonly ada: number; readonly shared: number }>
  readonly journal: string
}

async function startWorld(env: Record<string, string> = {}): Promise<World> {
  const server = await startAccountsWorld({ env, flags: ['--api-keys=a-shared-key'] })
  await server.model('m', { rules: [{ rpc: 'Predict*', do: { text: 'one two' } }] })
  const ada = await server.member('ada')
  const quota = { model: '', max_requests: 1000, max_total_tokens: null, window: '1h' }
  const put = await server.admin.browser.send('PUT', `/api/auth/admin/users/${ada.id}/quotas`, quota)
  expect(put.status, put.text).toBe(200)
  const served = { ada: 0, shared: 0 }
  const readCount = async (userId: string): Promise<number> => {
    const reply = await server.call(`/api/auth/admin/usage?period=day&user_id=${userId}`, { headers: SHARED })
    expect(reply.status, reply.text).toBe(200)
    return usageReply.parse(reply.json()).totals.request_count
  }
  return {
    server,
    ada,
    served,
    async ask(who) {
      const reply = await server.chat('m', {}, who === 'ada' ? ada.headers : SHARED)
      if (reply.status === 200) served[who] += 1
      return reply
    },
    readRows: async () => ({ ada: await readCount(ada.id), shared: await readCount('legacy-api-key') }),
    journal: join(server.folder, 'data', 'usage-journal.jsonl'),
    [Symbol.asyncDispose]: () => server.close(),
  }
}

/** Asks until a caller with a quota is refused; every refusal must be one that another try may mend. */
async function refuseEventually(world: World): Promise<void> {
  await eventually(async () => {
    const reply = await world.ask('ada')
    expect([200, 503]).toContain(reply.status)
    expect(reply.status).toBe(503)
    expect(Number(reply.headers['retry-after'])).toBeGreaterThanOrEqual(1)
  })
}

async function recover(world: World): Promise<void> {
  await eventually(async () => expect((await world.ask('ada')).status).toBe(200))
  await eventually(async () => expect(await world.readRows()).toEqual(world.served))
  await eventually(() => expect(existsSync(world.journal)).toBe(false))
}

/** Identities of the records in the journal, each once. */
async function journaled(world: World): Promise<number> {
  const lines = (await readFile(world.journal, 'utf8')).split('\n').filter((line) => line !== '')
  return new Set(lines.map((line) => (JSON.parse(line) as { id: string }).id)).size
}

const server = await startPostgres()
afterAll(() => server[Symbol.asyncDispose]())
if (!server.available) console.warn(`the outages of PostgreSQL are not tested: ${server.reason}`)

describe.runIf(server.available)('REL-8: while PostgreSQL is away', () => {
  const start = async (): Promise<World & { readonly url: string }> => {
    if (!server.available) throw new Error(server.reason)
    const url = await server.createDatabase()
    return Object.assign(await startWorld({ SVC_AUTH_DATABASE_URL: url }), { url })
  }

  it('callers with a quota get 503, others are served, and no row is lost or doubled', async () => {
    if (!server.available) return
    await using world = await start()
    for (let round = 0; round < 3; round += 1) expect((await world.ask('ada')).status).toBe(200)
    expect(await world.readRows()).toEqual(world.served)
    await server.halt()
    try {
      await refuseEventually(world)
      for (let round = 0; round < 20; round += 1) expect((await world.ask('shared')).status).toBe(200)
      const report = await world.server.call('/api/auth/admin/usage', { headers: SHARED })
      expect([report.status, Number(report.headers['retry-after']) >= 1]).toEqual([503, true])
      await eventually(async () => expect(await journaled(world)).toBeGreaterThanOrEqual(20))
    } finally {
      await server.resume()
    }
    await recover(world)
  })

  it('locked tables exhaust the connections, and that passes', async () => {
    await using world = await start()
    expect((await world.ask('ada')).status).toBe(200)
    const outside = postgres(world.url, { max: 1, onnotice: () => {} })
    const locker = await outside.reserve()
    await locker`BEGIN`
    await locker`LOCK TABLE auth_quota_counters, auth_usage_records IN ACCESS EXCLUSIVE MODE`
    const asked = Promise.all(Array.from({ length: 30 }, () => world.ask('ada')))
    const replies = await asked
    for (const reply of replies) {
      expect(reply.status).toBe(503)
      expect(Number(reply.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    }
    expect((await world.ask('shared')).status).toBe(200)
    await locker`COMMIT`
    locker.release()
    await outside.end()
    await recover(world)
  })
})

describe('REL-8: while another program has the SQLite file locked', () => {
  it('callers with a quota get 503, others are served, and no row is lost or doubled', async () => {
    await using world = await startWorld()
    for (let round = 0; round < 3; round += 1) expect((await world.ask('ada')).status).toBe(200)
    expect(await world.readRows()).toEqual(world.served)
    const path = join(world.server.folder, 'data', 'database.db')
    const other = loadSqliteEngine({ logger: silent, engine: PRESENT_ENGINES[0] }).open(path)
    await eventually(() => void other.exec('BEGIN IMMEDIATE'))
    try {
      await refuseEventually(world)
      for (let round = 0; round < 20; round += 1) expect((await world.ask('shared')).status).toBe(200)
      await eventually(async () => expect(await journaled(world)).toBeGreaterThanOrEqual(20))
    } finally {
      other.exec('COMMIT')
      other.close()
    }
    await recover(world)
  })
})
