import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { eventually, startPostgres, tempDir } from '@svc/test-kit'
import { type UsageReply, usageReply } from '@svc/wire/native'
import { afterAll, describe, expect, it } from 'vitest'
import { createMembers } from '../support/accounts-world.ts'
import { type BuiltServer, startBuiltServer } from '../support/built-server.ts'
import { type CrowdRequest, countStatuses, sendAtOnce } from '../support/crowd.ts'
import { call } from '../support/test-app.ts'

const SHARED = { 'x-api-key': 'a-shared-key', 'content-type': 'application/json' }
const FLAGS = ['--auth-enabled', '--auth-registration-mode=open', '--auth-rate-limit=0', '--api-keys=a-shared-key']

/** Servers on one database know each other's keys by one secret. */
const SECRET = 'a secret of at least 32 characters'

const postgres = await startPostgres()
afterAll(() => postgres[Symbol.asyncDispose]())
if (!postgres.available) console.warn(`the suites of PostgreSQL do not run: ${postgres.reason}`)

const chat = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello there' }] })

async function start(options: { readonly folder?: string; readonly url?: string | undefined }): Promise<BuiltServer> {
  const { folder, url } = options
  const env = url === undefined ? {} : { SVC_AUTH_DATABASE_URL: url, SVC_AUTH_HMAC_SECRET: SECRET }
  const server = await startBuiltServer({ mock: {}, flags: FLAGS, env, folder })
  await server.model('m', { rules: [{ rpc: 'Predict*', do: { text: 'one two' } }] })
  return server
}

async function readUsage(url: string): Promise<UsageReply> {
  const reply = await call(url, '/api/auth/admin/usage?period=day', { headers: SHARED })
  expect(reply.status, reply.text).toBe(200)
  return usageReply.parse(reply.json())
}

/** Records in the journal of a server, each once. */
async function countJournaled(folder: string): Promise<number> {
  const text = await readFile(join(folder, 'data', 'usage-journal.jsonl'), 'utf8')
  const lines = text.split('\n').filter((line) => line !== '')
  return new Set(lines.map((line) => (JSON.parse(line) as { readonly id: string }).id)).size
}

describe.runIf(postgres.available)('two servers on one PostgreSQL', () => {
  it('AU-17: let exactly 100 of 1,000 requests pass that come at once to both', async () => {
    if (!postgres.available) return
    const url = await postgres.createDatabase()
    await using first = await start({ url })
    await using second = await start({ url })
    const members = createMembers(first.url)
    const admin = await members.member('admin')
    const ada = await members.member('ada')
    const quota = { model: '', max_requests: 100, max_total_tokens: null, window: '1h' }
    expect((await admin.browser.send('PUT', `/api/auth/admin/users/${ada.id}/quotas`, quota)).status).toBe(200)
    // the second server may know the account without its quota for half a second more
    await eventually(async () => {
      const reply = await call(second.url, '/api/auth/me', { headers: ada.headers })
      expect(reply.json()).toMatchObject({ quotas: [{ max_requests: 100 }] })
    })
    const requests = Array.from({ length: 1000 }, (_, index): CrowdRequest => {
      const server = index % 2 === 0 ? first : second
      return { url: server.url, path: '/v1/chat/completions', body: JSON.parse(chat), headers: ada.headers }
    })
    const replies = await sendAtOnce(requests)
    expect(countStatuses(replies)).toEqual({ 200: 100, 429: 900 })
    for (const { status, retryAfter } of replies) {
      if (status === 429) expect(Number(retryAfter)).toBeGreaterThan(3000)
    }
    await eventually(async () => {
      const { usage } = await readUsage(second.url)
      expect(usage.filter(({ user_id }) => user_id === ada.id).map(({ request_count }) => request_count)).toEqual([100])
    })
  })
})

/** Where the database of a test is; undefined for the one in the folder of the server. */
const createUrls = {
  SQLite: async (): Promise<string | undefined> => undefined,
  PostgreSQL: async (): Promise<string | undefined> => (postgres.available ? postgres.createDatabase() : undefined),
}

describe.each(Object.entries(createUrls))(
  'REL-9: a server on %s that is killed while it writes usage',
  (name, createUrl) => {
    it.runIf(name === 'SQLite' || postgres.available)(
      'loses no row that a report has shown, and doubles none',
      async () => {
        const url = await createUrl()
        await using folder = await tempDir('svc-e2e-')
        let sent = 0
        let shown = 0
        for (let round = 0; round < 3; round += 1) {
          await using server = await start({ folder: folder.path, url })
          const known = (await readUsage(server.url)).totals.request_count
          expect(known).toBeGreaterThanOrEqual(shown)
          expect(known).toBeLessThanOrEqual(sent)
          shown = known
          let isKilled = false
          const work = async (): Promise<void> => {
            while (!isKilled) {
              sent += 1
              await call(server.url, '/v1/chat/completions', { method: 'POST', headers: SHARED, body: chat })
            }
          }
          const look = async (): Promise<void> => {
            while (!isKilled) shown = Math.max(shown, (await readUsage(server.url)).totals.request_count)
          }
          const working = Promise.allSettled([work(), work(), work(), look()])
          const target = shown + 20
          await eventually(() => expect(shown).toBeGreaterThan(target))
          // somewhere inside the next writes
          for (let turns = Math.floor(Math.random() * 5000); turns > 0; turns -= 1) await turn()
          isKilled = true
          await server.kill()
          await working
        }
        await using server = await start({ folder: folder.path, url })
        const { totals } = await readUsage(server.url)
        expect(totals.request_count).toBeGreaterThanOrEqual(shown)
        expect(totals.request_count).toBeLessThanOrEqual(sent)
      },
    )
  },
)

describe.runIf(postgres.available)('REL-8: a server that is killed while PostgreSQL is away', () => {
  it('stores the rows of its journal at its next start, each once', async () => {
    if (!postgres.available) return
    const url = await postgres.createDatabase()
    await using folder = await tempDir('svc-e2e-')
    const ask = (server: BuiltServer) =>
      call(server.url, '/v1/chat/completions', { method: 'POST', headers: SHARED, body: chat })
    await using first = await start({ folder: folder.path, url })
    for (let round = 0; round < 5; round += 1) expect((await ask(first)).status).toBe(200)
    expect((await readUsage(first.url)).totals.request_count).toBe(5)
    await postgres.halt()
    try {
      for (let round = 0; round < 10; round += 1) expect((await ask(first)).status).toBe(200)
      await first.logged('usage cannot be stored, it waits')
      for (let round = 0; round < 10; round += 1) expect((await ask(first)).status).toBe(200)
      await eventually(async () => expect(await countJournaled(folder.path)).toBe(20))
      await first.kill()
    } finally {
      await postgres.resume()
    }
    for (let round = 0; round < 2; round += 1) {
      await using next = await start({ folder: folder.path, url })
      expect((await readUsage(next.url)).totals.request_count).toBe(25)
      await next.stop()
    }
  })
})
