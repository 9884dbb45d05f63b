import { afterEach, describe, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { MEMORY_DATABASE } from '../config/places.ts'
import { PRESENT_ENGINES } from '../db/__fixtures__/engines.ts'
import { openDatabase } from '../db/open-database.ts'
import type { SqliteEngine } from '../db/sqlite-engine.ts'
import { createAccountStores } from '../platform/lazy/lazy-stores.ts'
import { fillSources } from './fill-sources.ts'

const { signal } = new AbortController()
const warnings: unknown[] = []
const ignore = (): void => undefined
const quiet = { debug: ignore, info: ignore, warn: ignore, error: ignore }
const logger = { ...quiet, warn: (fields: unknown) => void warnings.push(fields) }
const record = {
  id: 'r',
  userId: 'u',
  userName: 'u',
  source: 'legacy',
  model: 'm',
  endpoint: '/x',
  createdAt: 1,
} as const
const figures = { promptTokens: 1, completionTokens: 1, totalTokens: 2, durationMs: 1 }

async function fill(engine: SqliteEngine, { hasRecord }: { readonly hasRecord: boolean }): Promise<number> {
  await using database = await openDatabase({
    ...{ url: MEMORY_DATABASE, dataPath: '/nowhere', appVersion: '1.0.0', engine, clock: systemClock },
    logger: quiet,
  })
  if (hasRecord) await createAccountStores(database).usage.append([{ ...record, ...figures }], { signal })
  let calls = 0
  const backfillSources = async (): Promise<number> => {
    calls += 1
    return 0
  }
  await fillSources({ backfillSources }, { database, logger, signal })
  return calls
}

afterEach(() => {
  warnings.length = 0
})

describe.each(PRESENT_ENGINES)('sources of old usage in a database of %s', (engine) => {
  it('are filled in where there are records', async () => {
    expect(await fill(engine, { hasRecord: true })).toBe(1)
    expect(warnings).toEqual([])
  })

  it('are not looked for in a new database', async () => {
    expect(await fill(engine, { hasRecord: false })).toBe(0)
    expect(warnings).toEqual([])
  })
})
