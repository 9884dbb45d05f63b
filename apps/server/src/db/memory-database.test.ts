import { readdir } from 'node:fs/promises'
import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { MEMORY_DATABASE } from '../config/places.ts'
import type { Logger } from '../ports.ts'
import { PRESENT_ENGINES } from './__fixtures__/engines.ts'
import type { Database } from './database.ts'
import { openDatabase } from './open-database.ts'
import type { SqliteEngine } from './sqlite-engine.ts'

const logger: Logger = { debug() {}, info() {}, warn() {}, error() {} }
const signal = new AbortController().signal

const open = (dataPath: string, engine: SqliteEngine): Promise<Database> =>
  openDatabase({ url: MEMORY_DATABASE, dataPath, appVersion: '1.0.0', engine, logger, clock: systemClock })

const insert = (database: Database, key: string): Promise<number> =>
  database.queries.change((db, { instance }) => db.insert(instance).values({ key, value: 'v', updatedAt: 1 }))

const readKeys = (database: Database, maxRows?: number) =>
  database.read(
    { sql: 'SELECT key FROM instance WHERE key <> ? ORDER BY key', params: ['app_version'] },
    { signal, maxRows },
  )

describe.each(PRESENT_ENGINES)('a database in memory, opened by %s', (engine) => {
  it('has the schema, answers short queries and reads, and leaves nothing on disk', async () => {
    await using dir = await tempDir()
    await using database = await open(dir.path, engine)
    expect(await insert(database, 'x')).toBe(1)
    expect(await readKeys(database)).toEqual([{ key: 'instance_id' }, { key: 'x' }])
    expect(await database.queries.holdsRows('responses')).toBe(false)
    expect(await readdir(dir.path)).toEqual([])
  })

  it('is another one for each process and each server', async () => {
    await using one = await open('/nowhere', engine)
    await using other = await open('/nowhere', engine)
    expect(one.instanceId).not.toBe(other.instanceId)
    await insert(one, 'x')
    expect(await readKeys(other)).toEqual([{ key: 'instance_id' }])
  })

  it('never shows a read the rows of a transaction that is rolled back', async () => {
    await using database = await open('/nowhere', engine)
    const failing = database.queries.transaction(async ({ change }) => {
      await change((db, { instance }) => db.insert(instance).values({ key: 'x', value: 'v', updatedAt: 1 }))
      throw new Error('changed my mind')
    })
    const reading = readKeys(database)
    await expect(failing).rejects.toThrow('changed my mind')
    expect(await reading).toEqual([{ key: 'instance_id' }])
  })

  it('refuses reads that find too many rows or are aborted, and works on', async () => {
    await using database = await open('/nowhere', engine)
    await insert(database, 'x')
    await expect(readKeys(database, 1)).rejects.toMatchObject({ code: 'too_many_rows' })
    const reason = new Error('left')
    await expect(database.read({ sql: 'SELECT 1' }, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    await expect(database.read({ sql: 'SELECT nothing' }, { signal })).rejects.toMatchObject({ kind: 'internal' })
    await insert(database, 'y')
    expect(await readKeys(database)).toHaveLength(3)
  })

  it('says that it is full instead of growing without end', async () => {
    await using database = await open('/nowhere', engine)
    const value = 'x'.repeat(8 * 1024 * 1024)
    const add = (key: string) =>
      database.queries.change((db, { instance }) => db.insert(instance).values({ key, value, updatedAt: 1 }))
    let added = 0
    await expect(
      (async () => {
        for (; added < 64; added += 1) await add(`big ${added}`)
      })(),
    ).rejects.toMatchObject({ kind: 'insufficient_storage', code: 'disk_full' })
    expect(added).toBeGreaterThan(16)
    expect(added).toBeLessThan(33)
    await database.queries.change((db, { instance }) => db.delete(instance))
    await insert(database, 'x')
  })
})

describe('a command for accounts', () => {
  it('is refused for a database that is in the memory of a server', async () => {
    const joining = openDatabase({
      url: MEMORY_DATABASE,
      dataPath: '/nowhere',
      appVersion: '1.0.0',
      logger,
      clock: systemClock,
      joinsServer: true,
    })
    await expect(joining).rejects.toMatchObject({ exitCode: 78 })
  })
})
