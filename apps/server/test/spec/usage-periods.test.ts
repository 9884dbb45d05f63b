import { readFileSync } from 'node:fs'
import type { UsageRecord } from '@svc/auth/ports'
import { eventually } from '@svc/test-kit'
import { type UsageReply, type UsageSourcesReply, usageReply, usageSourcesReply } from '@svc/wire/native'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { type OutsideDatabase, type ServerDatabase, serverDatabases } from '../support/outside-database.ts'
import { createPeople } from '../support/people.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const databases = await serverDatabases()
const call = { signal: new AbortController().signal }
const NOW = Date.UTC(2026, 7, 22, 13, 37, 11)

interface FixtureRow {
  readonly user_id: string
  readonly user_name: string
  readonly source: UsageRecord['source']
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly age_seconds: number
  readonly api_key_id?: string
  readonly api_key_name?: string
  readonly model: string
  readonly repeat?: number
}

interface Fixture {
  readonly name: string
  readonly created_at?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly kind: 'all' | 'own'
  readonly period: string
  readonly user_id?: string
  readonly api_key_id?: string
  readonly rows: readonly FixtureRow[]
  readonly result: {
    readonly by_source: unknown
    readonly grand_total: unknown
    readonly buckets_requests: number
    readonly by_key?: readonly Readonly<Record<string, unknown>>[]
    readonly by_key_count?: number
    readonly by_user_source?: readonly unknown[]
    readonly truncated?: boolean
  }
}

const path = new URL('../../../../packages/auth/test/__fixtures__/usage-periods.jsonl', import.meta.url)
const [, ...lines] = readFileSync(path, 'utf8').trim().split('\n')
const fixtures = lines.map((line) => JSON.parse(line) as Fixture)
const labels = fixtures.filter((fixture) => fixture.labels !== undefined)
const reports = fixtures.filter((fixture) => fixture.rows !== undefined)

const fill = (text: string, index: number): string =>
  text.replace(/%0(\d)d/, (_, width: string) => String(index).padStart(Number(width), '0'))

let ids = 0
const record = (changes: Partial<UsageRecord>): UsageRecord => {
  ids += 1
  return {
    id: `record-${ids}`,
    userId: 'ada',
    userName: 'Ada',
    source: 'web',
    model: 'm',
    endpoint: '/',
    durationMs: 1,
    promptTokens: 1,
    completionTokens: 2,
    totalTokens: 3,
    createdAt: NOW,
    ...changes,
  }
}

function toRecords(row: FixtureRow): readonly UsageRecord[] {
  return Array.from({ length: row.repeat ?? 1 }, (_, index) =>
    record({
      userId: row.user_id,
      userName: row.user_name,
      source: row.source,
      ...(row.api_key_id === undefined ? {} : { apiKeyId: fill(row.api_key_id, index) }),
      ...(row.api_key_name === undefined ? {} : { apiKeyName: fill(row.api_key_name, index) }),
      model: row.model,
      promptTokens: row.prompt_tokens,
      completionTokens: row.completion_tokens,
      totalTokens: row.prompt_tokens + row.completion_tokens,
      createdAt: NOW - row.age_seconds * 1000,
    }),
  )
}

/** Entries in an order that does not depend on how equal ones came. */
const sorted = (entries: readonly unknown[]): readonly string[] =>
  entries.map((entry) => JSON.stringify(entry, Object.keys(entry as object).sort())).sort()

interface World extends AsyncDisposable {
  readonly server: TestServer
  readonly outside: OutsideDatabase
  readonly clock: { time: number }
  fillWith(records: readonly UsageRecord[]): Promise<void>
  readUsage(name: string, query: string): Promise<UsageReply>
  readSources(name: string, query: URLSearchParams): Promise<UsageSourcesReply>
}

/** @param now the time at which the server starts: what is much older is removed soon after */
async function startWorld(database: ServerDatabase, now = NOW): Promise<World> {
  const place = await database.create()
  const clock = { ...systemClock, time: now, now: () => clock.time }
  const env = { SVC_AUTH_DATABASE_URL: place.url }
  const server = await startTestServer({ env, clock, authenticator: createPeople() })
  const outside = await database.open(place.url)
  const read = async (name: string, suffix: string): Promise<unknown> => {
    const folder = name === 'root' ? '/api/auth/admin/usage' : '/api/auth/usage'
    const reply = await server.call(`${folder}${suffix}`, { headers: { authorization: `Bearer ${name}` } })
    expect(reply.status, reply.text).toBe(200)
    return reply.json()
  }
  return {
    server,
    outside,
    clock,
    async fillWith(records) {
      for (const table of ['auth_usage_records', 'auth_usage_sums']) await outside.execute(`DELETE FROM ${table}`)
      await outside.stores.usage.append(records, call)
    },
    readUsage: async (name, query) => usageReply.parse(await read(name, query)),
    readSources: async (name, query) => usageSourcesReply.parse(await read(name, `/sources?${query}`)),
    async [Symbol.asyncDispose]() {
      await outside[Symbol.asyncDispose]()
      await server.close()
      await place[Symbol.asyncDispose]()
    },
  }
}

function toQuery({ period, user_id, api_key_id, kind }: Fixture): URLSearchParams {
  const query = new URLSearchParams({ period })
  if (user_id !== undefined && kind === 'all') query.set('user_id', user_id)
  if (api_key_id !== undefined) query.set('api_key_id', api_key_id)
  return query
}

function checkReport({ result }: Fixture, report: UsageSourcesReply): void {
  const { by_source, by_key, by_user_source, grand_total } = report.totals
  expect(by_source).toEqual(result.by_source)
  expect(grand_total).toEqual(result.grand_total)
  expect(report.buckets.reduce((sum, { request_count }) => sum + request_count, 0)).toBe(result.buckets_requests)
  if (result.truncated !== undefined) expect(report.truncated).toBe(result.truncated)
  if (result.by_key_count !== undefined) expect(by_key).toHaveLength(result.by_key_count)
  if (result.by_key !== undefined) {
    const keys = by_key.map(({ last_used, ...key }) => ({
      ...key,
      last_used_age: (NOW - Date.parse(last_used)) / 1000,
    }))
    expect(sorted(keys)).toEqual(sorted(result.by_key))
    expect(keys.map(({ tokens }) => tokens)).toEqual(result.by_key.map(({ tokens }) => tokens))
  }
  if (result.by_user_source === undefined) expect(by_user_source).toBeUndefined()
  else expect(sorted(by_user_source ?? [])).toEqual(sorted(result.by_user_source))
}

describe.each(databases)('usage in $name', (database) => {
  // verifies auth-api:admin:sources, auth-api:sources:buckets, auth-api:sources:by-source, auth-api:sources:by-key
  // verifies auth-api:sources:by-key-order, auth-api:sources:by-key-cap, auth-api:sources:truncated
  // verifies auth-api:sources:grand-total
  it('has the figures of the reference in every report', async () => {
    await using world = await startWorld(database)
    expect(reports).toHaveLength(25)
    for (const fixture of reports) {
      await world.fillWith(fixture.rows.flatMap(toRecords))
      const caller = fixture.kind === 'own' ? (fixture.user_id ?? '') : 'root'
      const report = await world.readSources(caller, toQuery(fixture))
      expect.soft(() => checkReport(fixture, report), fixture.name).not.toThrow()
    }
  })

  // verifies usage:row:bucket, auth-api:period:day, auth-api:period:week, auth-api:period:month, auth-api:period:all
  it('has the labels of the reference for every period', async () => {
    const times = labels.map(({ created_at = '' }) => Date.parse(created_at))
    await using world = await startWorld(database, Math.min(...times))
    expect(labels).toHaveLength(30)
    for (const { name, created_at = '', labels: wanted = {} } of labels) {
      const createdAt = Date.parse(created_at)
      world.clock.time = createdAt + 1000
      await world.fillWith([record({ createdAt })])
      for (const [period, label] of Object.entries(wanted)) {
        const { usage } = await world.readUsage('root', `?period=${period}`)
        expect.soft([name, period, usage.map(({ bucket }) => bucket)]).toEqual([name, period, [label]])
      }
    }
  })

  // verifies usage:row:model, usage:row:prompt-tokens, usage:row:completion-tokens, usage:row:total-tokens
  // verifies usage:row:request-count
  it('tells models apart and adds their tokens and requests', async () => {
    await using world = await startWorld(database)
    await world.fillWith([
      record({}),
      record({}),
      record({ model: 'other', promptTokens: 9_007_199_254_740_000, totalTokens: 9_007_199_254_740_002 }),
    ])
    const { usage, totals } = await world.readUsage('ada', '?period=day')
    const common = { bucket: '2026-08-22 13:00', user_id: 'ada', user_name: 'Ada', source: 'web' }
    const large = 9_007_199_254_740_000
    expect(usage.toSorted((left, right) => (left.model < right.model ? -1 : 1))).toEqual([
      { ...common, model: 'm', prompt_tokens: 2, completion_tokens: 4, total_tokens: 6, request_count: 2 },
      {
        ...common,
        model: 'other',
        prompt_tokens: large,
        completion_tokens: 2,
        total_tokens: large + 2,
        request_count: 1,
      },
    ])
    expect(totals).toMatchObject({ completion_tokens: 6, request_count: 3 })
  })

  // verifies usage:backfill:legacy, usage:backfill:web, usage:backfill:idempotent, versioning:backfill:across-upgrades
  it('gets the sources of old rows at each start', async () => {
    await using place = await database.create()
    const env = {
      SVC_AUTH_DATABASE_URL: place.url,
      SVC_AUTH_HMAC_SECRET: 'the same secret at each start of the server',
    }
    const start = () => startTestServer({ env, authenticator: createPeople() })
    const first = await start()
    await using outside = await database.open(place.url)
    await outside.execute('DELETE FROM auth_usage_records')
    const createdAt = Date.now()
    await outside.stores.usage.append(
      [
        record({ createdAt }),
        record({ createdAt, userId: 'legacy-api-key' }),
        record({ createdAt, userId: 'legacy-api-key' }),
      ],
      call,
    )
    for (const table of ['auth_usage_records', 'auth_usage_sums'])
      await outside.execute(`UPDATE ${table} SET source = ''`)
    await first.close()
    for (let round = 0; round < 2; round += 1) {
      const server = await start()
      const headers = { authorization: 'Bearer root' }
      await eventually(async () => {
        const reply = await server.call('/api/auth/admin/usage/sources', { headers })
        expect(usageSourcesReply.parse(reply.json()).totals.by_source).toEqual({
          web: { tokens: 3, requests: 1 },
          legacy: { tokens: 6, requests: 2 },
        })
      })
      await server.close()
    }
  })
})
