import { createDrizzleStores, createPostgresQueries, type HeavyRead, listTableStatements } from '@svc/auth/drizzle'
import type { UsageRecord } from '@svc/auth/ports'
import { createUsage } from '@svc/auth/usage'
import { startPostgres } from '@svc/test-kit'
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { afterAll, describe, expect, it } from 'vitest'
import { call } from './world.ts'

const server = await startPostgres()
afterAll(() => server[Symbol.asyncDispose]())
if (!server.available) console.warn(`the suite of PostgreSQL does not run: ${server.reason}`)

const NOW = Date.UTC(2026, 7, 22, 13, 37, 11)

const record = (id: string, ageMs: number): UsageRecord => ({
  id,
  userId: 'ada',
  userName: 'Ada',
  source: 'apikey',
  apiKeyId: 'k',
  apiKeyName: 'laptop',
  model: 'm',
  endpoint: '/',
  promptTokens: 1,
  completionTokens: 2,
  totalTokens: 3,
  durationMs: 1,
  createdAt: NOW - ageMs,
})

describe.skipIf(!server.available)('reports whose reads run elsewhere', () => {
  it('are the same as those whose reads run with the other queries', async () => {
    if (!server.available) return
    const client = postgres(await server.createDatabase(), { max: 3, onnotice: () => {} })
    const seen: HeavyRead[] = []
    try {
      for (const statement of listTableStatements('postgres')) await client.unsafe(statement)
      const queries = createPostgresQueries(drizzle(client))
      const stores = createDrizzleStores({ dialect: 'postgres', queries })
      const heavy = createDrizzleStores({
        dialect: 'postgres',
        queries,
        async readHeavily(query, { maxRows }) {
          seen.push(query)
          expect(maxRows).toBe(50_000)
          const params = (query.params ?? []).map((param) => (typeof param === 'number' ? param : String(param)))
          return client.unsafe<Record<string, unknown>[]>(query.sql, params)
        },
      })
      await stores.usage.append(
        [record('a', 0), record('b', 1000), record('c', 86_399_000), record('d', 86_401_000)],
        call,
      )
      for (const period of ['day', 'week', 'all']) {
        const audience = { period, view: 'own', userId: 'ada' } as const
        const [here, there] = [stores, heavy].map(({ usage }) =>
          createUsage({ store: usage, clock: { now: () => NOW } }),
        )
        expect(await there?.readUsage(audience, call)).toEqual(await here?.readUsage(audience, call))
        expect(await there?.readSources(audience, call)).toEqual(await here?.readSources(audience, call))
      }
      expect(seen.length).toBeGreaterThan(6)
    } finally {
      await client.end({ timeout: 1 })
    }
  })
})
