import { startCutProxy, startPostgres, tempDir } from '@svc/test-kit'
import { eq, sql } from 'drizzle-orm'
import { afterAll, describe, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { StartRefused } from '../config/start-refused.ts'
import type { Logger } from '../ports.ts'
import { PRESENT_ENGINES } from './__fixtures__/engines.ts'
import type { Database, DatabaseOptions } from './database.ts'
import { migrationsFolder, readMigrations } from './migrations.ts'
import { openDatabase } from './open-database.ts'
import { postgresTables, sqliteTables } from './schema.ts'

const logger: Logger = { debug() {}, info() {}, warn() {}, error() {} }
const never = new AbortController().signal
/** The same in both dialects. */
const SCHEMA_STEPS = readMigrations(migrationsFolder('sqlite')).length
const base = { appVersion: '1.0.0', logger, clock: systemClock }

const postgres = await startPostgres()
afterAll(() => postgres[Symbol.asyncDispose]())
if (!postgres.available) console.warn(`the suite of PostgreSQL does not run: ${postgres.reason}`)

/** A place for databases of one kind: each call of `create` gives a new empty one. */
interface Place {
  readonly name: string
  create(): Promise<{
    readonly options: Omit<DatabaseOptions, 'appVersion' | 'logger' | 'clock'>
    close(): Promise<void>
  }>
}

const places: readonly Place[] = [
  ...PRESENT_ENGINES.map((engine) => ({
    name: engine,
    create: async () => {
      const dir = await tempDir()
      return { options: { dataPath: dir.path, engine }, close: () => dir.close() }
    },
  })),
  ...(postgres.available
    ? [
        {
          name: 'postgres',
          create: async () => ({
            options: { dataPath: '/nowhere', url: await postgres.createDatabase() },
            close: async () => {},
          }),
        },
      ]
    : []),
]

interface Fact {
  readonly key: string
  readonly value: string
  readonly updatedAt: number
}

/** The same statements for both dialects. */
async function facts(database: Database) {
  if (database.dialect === 'sqlite') {
    const orm = await database.orm()
    return {
      insert: async (fact: Fact) => void orm.insert(sqliteTables.instance).values(fact).run(),
      all: async (): Promise<readonly Fact[]> => orm.select().from(sqliteTables.instance).all(),
      insertThenFail: async (fact: Fact) =>
        orm.transaction((transaction) => {
          transaction.insert(sqliteTables.instance).values(fact).run()
          throw new Error('changed my mind')
        }),
      byKey: (key: string) =>
        orm.select().from(sqliteTables.instance).where(eq(sqliteTables.instance.key, key)).toSQL(),
      execute: async (statement: string) => void orm.run(sql.raw(statement)),
    }
  }
  const { orm } = database
  return {
    insert: async (fact: Fact) => void (await orm.insert(postgresTables.instance).values(fact)),
    all: async (): Promise<readonly Fact[]> => orm.select().from(postgresTables.instance),
    insertThenFail: async (fact: Fact) =>
      orm.transaction(async (transaction) => {
        await transaction.insert(postgresTables.instance).values(fact)
        throw new Error('changed my mind')
      }),
    byKey: (key: string) =>
      orm.select().from(postgresTables.instance).where(eq(postgresTables.instance.key, key)).toSQL(),
    execute: async (statement: string) => void (await orm.execute(sql.raw(statement))),
  }
}

const ENDLESS = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n'

describe.each(places)('a database on $name', ({ create }) => {
  it('has one id for ever, and takes its schema once', async () => {
    const place = await create()
    const first = await openDatabase({ ...base, ...place.options })
    expect(first.instanceId).toMatch(/^[0-9a-f-]{36}$/)
    await first.close()
    await first.close()
    const second = await openDatabase({ ...base, ...place.options, appVersion: '1.1.0' })
    expect(second.instanceId).toBe(first.instanceId)
    const found = await (await facts(second)).all()
    expect(found.map(({ key, value }) => [key, value]).sort()).toEqual([
      ['app_version', '1.1.0'],
      ['instance_id', first.instanceId],
    ])
    expect(await second.read({ sql: 'SELECT count(*) AS steps FROM svc_migrations' }, { signal: never })).toEqual([
      { steps: SCHEMA_STEPS },
    ])
    await second.close()
    await place.close()
  })
  it('REL-20: of a newer version is refused and left as it is', async () => {
    const place = await create()
    const newer = await openDatabase({ ...base, ...place.options, appVersion: '9.0.0' })
    await (await facts(newer)).execute(
      "INSERT INTO svc_migrations (id, hash, applied_at) VALUES (99999999999999, 'x', 1)",
    )
    await newer.close()
    const error: unknown = await openDatabase({ ...base, ...place.options }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(StartRefused)
    expect(error).toMatchObject({
      exitCode: 78,
      message: expect.stringContaining('was written by a newer version (last used by version 9.0.0)'),
    })
    await place.close()
  })
  it('keeps texts and numbers as they are, and rolls a failed transaction back', async () => {
    const place = await create()
    const database = await openDatabase({ ...base, ...place.options })
    const fact = {
      key: "ключ'; DROP TABLE instance; --",
      value: '😀 %_\\ "quoted"\n',
      updatedAt: Number.MAX_SAFE_INTEGER,
    }
    await (await facts(database)).insert(fact)
    expect(await (await facts(database)).all()).toContainEqual(fact)
    await expect((await facts(database)).insertThenFail({ key: 'gone', value: '', updatedAt: 0 })).rejects.toThrow(
      'changed my mind',
    )
    expect((await (await facts(database)).all()).map(({ key }) => key)).not.toContain('gone')
    await expect((await facts(database)).insert(fact)).rejects.toThrow()
    await database.close()
    await place.close()
  })

  describe('read on the side', () => {
    it('gives rows that were just written, with bound parameters and plain numbers', async () => {
      const place = await create()
      const database = await openDatabase({ ...base, ...place.options })
      const key = "it's"
      await (await facts(database)).insert({ key, value: '😀', updatedAt: 2 ** 53 - 1 })
      expect(await database.read((await facts(database)).byKey(key), { signal: never })).toEqual([
        { key, value: '😀', updated_at: 2 ** 53 - 1 },
      ])
      expect(await database.read((await facts(database)).byKey("' OR 1=1 --"), { signal: never })).toEqual([])
      expect(
        await database.read(
          { sql: 'SELECT count(*) AS c, sum(updated_at) - sum(updated_at) AS z, NULL AS n, 1.5 AS f FROM instance' },
          { signal: never },
        ),
      ).toEqual([{ c: 3, z: 0, n: null, f: 1.5 }])
      await database.close()
      await place.close()
    })
    it('fails with a message that reveals nothing of the statement', async () => {
      const place = await create()
      const database = await openDatabase({ ...base, ...place.options })
      await expect(database.read({ sql: 'SELECT * FROM no_such_table' }, { signal: never })).rejects.toMatchObject({
        kind: 'internal',
        code: 'database_failed',
        message: 'the database failed',
      })
      expect(await database.read({ sql: 'SELECT 1 AS one' }, { signal: never })).toEqual([{ one: 1 }])
      await database.close()
      await place.close()
    })
    it('has a limit of rows', async () => {
      const place = await create()
      const database = await openDatabase({ ...base, ...place.options })
      const numbers = (count: number) => ({
        sql: `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT i FROM n`,
      })
      expect(await database.read(numbers(1000), { signal: never, maxRows: 1000 })).toHaveLength(1000)
      await expect(database.read(numbers(1001), { signal: never, maxRows: 1000 })).rejects.toMatchObject({
        code: 'too_many_rows',
      })
      await expect(database.read({ sql: ENDLESS }, { signal: never })).rejects.toMatchObject({ code: 'too_many_rows' })
      await database.close()
      await place.close()
    })
    it('is stopped by an abort, and its place is free again', async () => {
      const place = await create()
      const database = await openDatabase({ ...base, ...place.options })
      const controllers = Array.from({ length: 4 }, () => new AbortController())
      const endless = controllers.map(({ signal }) => database.read({ sql: ENDLESS }, { signal, maxRows: 1e9 }))
      const next = database.read({ sql: 'SELECT 1 AS one' }, { signal: never })
      for (const [index, controller] of controllers.entries()) controller.abort(new Error(`left ${index}`))
      for (const [index, read] of endless.entries()) await expect(read).rejects.toThrow(`left ${index}`)
      expect(await next).toEqual([{ one: 1 }])
      await database.close()
      await place.close()
    })
    it('is refused when 64 wait already', async () => {
      const place = await create()
      const database = await openDatabase({ ...base, ...place.options })
      const controllers = Array.from({ length: 70 }, () => new AbortController())
      const reads = controllers.map(({ signal }) => database.read({ sql: ENDLESS }, { signal, maxRows: 1e9 }))
      const outcomes = Promise.allSettled(reads)
      await expect(database.read({ sql: 'SELECT 1 AS one' }, { signal: never })).rejects.toMatchObject({
        code: 'database_busy',
      })
      for (const controller of controllers) controller.abort(new Error('left'))
      const reasons = (await outcomes).map((outcome) =>
        outcome.status === 'rejected' ? String(outcome.reason.message) : 'ended',
      )
      expect(reasons.filter((reason) => reason === 'left').length).toBeGreaterThanOrEqual(65)
      expect(reasons).not.toContain('ended')
      await database.close()
      await place.close()
    })
    it('is refused after the database was closed', async () => {
      const place = await create()
      const database = await openDatabase({ ...base, ...place.options })
      await database.close()
      await expect(database.read({ sql: 'SELECT 1' }, { signal: never })).rejects.toMatchObject({ kind: 'unavailable' })
      await place.close()
    })
  })
})

describe.skipIf(!postgres.available)('PostgreSQL', () => {
  const create = async (): Promise<string> => (postgres.available ? postgres.createDatabase() : '')
  const refused = async (url: string): Promise<StartRefused> => {
    const error: unknown = await openDatabase({ ...base, dataPath: '/nowhere', url }).catch((reason: unknown) => reason)
    if (!(error instanceof StartRefused)) throw new Error(`not refused: ${String(error)}`)
    return error
  }

  it('is shared by servers that start together', async () => {
    const url = await create()
    const servers = await Promise.all(
      Array.from({ length: 4 }, () => openDatabase({ ...base, dataPath: '/nowhere', url })),
    )
    expect(new Set(servers.map(({ instanceId }) => instanceId)).size).toBe(1)
    expect(await servers[0]?.read({ sql: 'SELECT count(*) AS steps FROM svc_migrations' }, { signal: never })).toEqual([
      { steps: SCHEMA_STEPS },
    ])
    await Promise.all(servers.map((server) => server.close()))
  })
  it('that is not there is refused with exit code 75 and without the password', async () => {
    const error = await refused('postgres://svc:canary@127.0.0.1:1/svc')
    expect([error.exitCode, error.message]).toEqual([
      75,
      'the database 127.0.0.1:1/svc cannot be reached (ECONNREFUSED)',
    ])
  })
  it.each([
    ['user', 'svc-wrong:canary@', '28P01'],
    ['database', undefined, '3D000'],
  ])('without this %s is refused with exit code 78', async (_what, credentials, code) => {
    const url = new URL(await create())
    const error = await refused(
      credentials === undefined
        ? Object.assign(url, { pathname: '/no_such' }).href
        : `postgres://${credentials}${url.host}${url.pathname}`,
    )
    expect(error.exitCode).toBe(78)
    expect(error.message).toContain(code)
    expect(error.message).not.toContain('canary')
  })
  it('REL-8: that goes away makes reads unavailable, and is used again when it is back', async () => {
    const target = new URL(await create())
    await using proxy = await startCutProxy({ target: { port: Number(target.port) } })
    const url = Object.assign(new URL(target), { port: String(proxy.port) }).href
    await using database = await openDatabase({ ...base, dataPath: '/nowhere', url })
    const read = () => database.read({ sql: 'SELECT 1 AS one' }, { signal: never })
    expect(await read()).toEqual([{ one: 1 }])
    proxy.setCut({ direction: 'response', afterBytes: 0, how: 'rst' })
    await using direct = await openDatabase({ ...base, dataPath: '/nowhere', url: target.href })
    await direct.read(
      {
        sql: `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
              WHERE datname = current_database() AND client_port IS NOT NULL AND pid <> pg_backend_pid()`,
      },
      { signal: never },
    )
    // More often than there are connections: a failed read must not keep one.
    for (let attempt = 0; attempt < 25; attempt += 1) {
      await expect(read()).rejects.toMatchObject({
        kind: 'unavailable',
        code: 'database_unavailable',
        retryAfterMs: 1000,
      })
    }
    proxy.setCut(undefined)
    await expect.poll(read).toEqual([{ one: 1 }])
  })
})

describe.skipIf(!postgres.available)('a channel of PostgreSQL', () => {
  it('is heard again when its connection was lost, until the database is closed', async () => {
    if (!postgres.available) return
    const url = await postgres.createDatabase()
    const database = await openDatabase({ ...base, dataPath: '/nowhere', url })
    const teller = await openDatabase({ ...base, dataPath: '/nowhere', url })
    if (database.dialect !== 'postgres' || teller.dialect !== 'postgres') throw new Error('not PostgreSQL')
    const { queries, orm } = teller
    let heard = 0
    await database.listen('channel', () => {
      heard += 1
    })
    expect(heard).toBe(1)
    await queries.notify?.('channel')
    await queries.notify?.('other')
    await expect.poll(() => heard).toBe(2)
    await queries
      .transaction(async (transaction) => {
        await transaction.notify?.('channel')
        throw new Error('changed my mind')
      })
      .catch(() => undefined)
    await orm.execute(
      sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'listen%' AND datname = current_database()`,
    )
    await expect.poll(() => heard).toBe(3)
    await queries.transaction((transaction) => transaction.notify?.('channel') ?? Promise.resolve())
    await expect.poll(() => heard).toBe(4)
    await database.close()
    await queries.notify?.('channel')
    await teller.close()
    expect(heard).toBe(4)
  })
})
