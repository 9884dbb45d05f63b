import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, chmod, mkdir, open, readdir, stat, truncate, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Worker } from 'node:worker_threads'
import { collectLines, createFakeClock, type LineCollector, tempDir } from '@svc/test-kit'
import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { StartRefused } from '../config/start-refused.ts'
import type { LogFields, Logger } from '../ports.ts'
import { PRESENT_ENGINES } from './__fixtures__/engines.ts'
import type { Database, SqliteDatabase } from './database.ts'
import { openDatabase } from './open-database.ts'
import { sqliteTables } from './schema.ts'
import { chooseBetterSqlite, type LoadedEngine, loadSqliteEngine, type SqliteEngine } from './sqlite-engine.ts'
import { migrateSqlite } from './sqlite-migrate.ts'
import { createSqliteReader } from './sqlite-reader.ts'

const { instance } = sqliteTables
const logger: Logger = { debug() {}, info() {}, warn() {}, error() {} }
const never = new AbortController().signal
const MIGRATE_FOREVER = fileURLToPath(new URL('./__fixtures__/migrate-forever.ts', import.meta.url))
const INSERT_FOREVER = fileURLToPath(new URL('./__fixtures__/insert-forever.ts', import.meta.url))

/** The default engine of a server. */
const [fastest = 'libsql'] = PRESENT_ENGINES

async function openSqlite(dataPath: string, engine: SqliteEngine): Promise<SqliteDatabase> {
  const database = await openDatabase({ dataPath, appVersion: '1.0.0', logger, clock: systemClock, engine })
  if (database.dialect !== 'sqlite') throw new Error(database.dialect)
  return database
}

async function refusal(promise: Promise<unknown>): Promise<StartRefused> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof StartRefused)) throw new Error(`not refused: ${String(error)}`)
  return error
}

function startFixture(
  path: string,
  args: readonly string[],
): { readonly child: ChildProcess; readonly output: LineCollector } {
  const child = spawn(process.execPath, ['--conditions=@svc/source', '--import', 'tsx', path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return { child, output: collectLines(child.stdout) }
}

describe.each(PRESENT_ENGINES)('a SQLite file opened by %s', (engine) => {
  it('is private, in WAL mode, synchronous and with foreign keys', async () => {
    await using dir = await tempDir()
    await using database = await openSqlite(dir.join('data'), engine)
    expect(database.engine).toBe(engine)
    expect((await stat(dir.join('data'))).mode & 0o777).toBe(0o700)
    for (const name of ['database.db', 'database.db-wal'])
      expect((await stat(dir.join('data', name))).mode & 0o777).toBe(0o600)
    const orm = await database.orm()
    const pragma = (name: string) => orm.values(sql.raw(`PRAGMA ${name}`))[0]
    expect(pragma('journal_mode')).toEqual(['wal'])
    expect(pragma('synchronous')).toEqual([2])
    expect(pragma('foreign_keys')).toEqual([1])
    // the queue of queries waits for locks, the event loop does not
    expect(pragma('busy_timeout')).toEqual([0])
  })
  it('belongs to one server at a time', async () => {
    await using dir = await tempDir()
    const database = await openSqlite(dir.path, engine)
    const error = await refusal(openSqlite(dir.path, engine))
    expect([error.exitCode, error.message]).toEqual([
      75,
      expect.stringContaining(
        `the database ${dir.join('database.db')} is in use by another server (process ${process.pid}`,
      ),
    ])
    await database.close()
    await (await openSqlite(dir.path, engine)).close()
    expect((await readdir(dir.path)).filter((name) => name.includes('lock'))).toEqual([])
  })
  describe('REL-13: with a damaged content', () => {
    async function filled(dataPath: string): Promise<void> {
      const database = await openSqlite(dataPath, engine)
      const orm = await database.orm()
      for (let index = 0; index < 200; index += 1) {
        orm
          .insert(instance)
          .values({ key: `key-${index}`, value: 'x'.repeat(500), updatedAt: index })
          .run()
      }
      await database.close()
    }
    it.each([
      ['no database at all', (path: string) => writeFile(path, 'once upon a time '.repeat(1000))],
      ['its end cut off', (path: string) => truncate(path, 20_480)],
      [
        'bits flipped in the middle',
        async (path: string) => {
          await using file = await open(path, 'r+')
          await file.write(Buffer.alloc(4096, 0xa5), 0, 4096, 16_384)
        },
      ],
    ])('%s, it is refused with a hint and left as it is', async (_what, damage) => {
      await using dir = await tempDir()
      await filled(dir.path)
      await damage(dir.join('database.db'))
      const before = (await stat(dir.join('database.db'))).size
      const error = await refusal(openSqlite(dir.path, engine))
      expect(error.exitCode).toBe(78)
      expect(error.message).toContain(`the database ${dir.join('database.db')} is damaged: restore a copy`)
      expect((await stat(dir.join('database.db'))).size).toBe(before)
      expect(await readdir(dir.path)).not.toContain('database.db.lock')
    })
  })

  it('that cannot be opened is refused with its path', async () => {
    await using dir = await tempDir()
    await mkdir(dir.join('database.db'))
    const error = await refusal(openSqlite(dir.path, engine))
    expect([error.exitCode, error.message]).toEqual([
      78,
      expect.stringContaining(`${dir.join('database.db')} cannot be opened: it is a folder`),
    ])
  })
  it.skipIf(process.getuid?.() === 0)('that may not be written is refused', async () => {
    await using dir = await tempDir()
    await chmod(dir.path, 0o500)
    expect((await refusal(openSqlite(dir.path, engine))).exitCode).toBe(78)
  })

  it('REL-20: killed in the middle of a migration, is as it was before and can be migrated', async () => {
    await using dir = await tempDir()
    const path = dir.join('database.db')
    const { child, output } = startFixture(MIGRATE_FOREVER, [path, engine])
    await output.waitFor('migrating')
    // the log of the transaction grows while it runs
    await expect
      .poll(async () => (await stat(`${path}-wal`).catch(() => undefined))?.size ?? 0, { interval: 5 })
      .toBeGreaterThan(100_000)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(await output.ended).toEqual(['migrating'])
    const client = loadSqliteEngine({ logger, engine }).open(path)
    const tables = () => client.prepare('SELECT name FROM sqlite_master').raw().all().flat()
    expect(tables()).toEqual([])
    const migrations = [{ id: 1, hash: 'one', statements: ['CREATE TABLE filled (id INTEGER PRIMARY KEY, text TEXT)'] }]
    for (let again = 0; again < 2; again += 1) migrateSqlite(client, { migrations, where: path, now: 1 })
    expect(tables().sort()).toEqual(['filled', 'svc_migrations'])
    client.close()
  })
  it('applies nothing of a migration that fails', async () => {
    await using dir = await tempDir()
    const client = loadSqliteEngine({ logger, engine }).open(dir.join('a.db'))
    const migrations = [
      { id: 1, hash: 'one', statements: ['CREATE TABLE a (id INTEGER PRIMARY KEY)'] },
      { id: 2, hash: 'two', statements: ['CREATE TABLE b (id INTEGER PRIMARY KEY)', 'CREATE TABLE a (id INTEGER)'] },
    ]
    expect(() => migrateSqlite(client, { migrations, where: 'a.db', now: 1 })).toThrow(/already exists/)
    expect(client.prepare('SELECT name FROM sqlite_master').raw().all()).toEqual([])
    expect(client.pragma('foreign_keys')).toEqual([{ foreign_keys: 1 }])
    client.close()
  })
  it('keeps rows that refer to a table that a migration rebuilds', async () => {
    await using dir = await tempDir()
    const client = loadSqliteEngine({ logger, engine }).open(dir.join('a.db'))
    client.pragma('foreign_keys = ON')
    const first = {
      id: 1,
      hash: 'one',
      statements: [
        'CREATE TABLE owner (id INTEGER PRIMARY KEY)',
        'CREATE TABLE thing (id INTEGER PRIMARY KEY, owner INTEGER REFERENCES owner(id) ON DELETE CASCADE)',
        'INSERT INTO owner VALUES (1)',
        'INSERT INTO thing VALUES (1, 1)',
      ],
    }
    const second = {
      id: 2,
      hash: 'two',
      statements: [
        'CREATE TABLE new_owner (id INTEGER PRIMARY KEY, name TEXT)',
        'INSERT INTO new_owner (id) SELECT id FROM owner',
        'DROP TABLE owner',
        'ALTER TABLE new_owner RENAME TO owner',
      ],
    }
    migrateSqlite(client, { migrations: [first], where: 'a.db', now: 1 })
    migrateSqlite(client, { migrations: [first, second], where: 'a.db', now: 2 })
    expect(client.prepare('SELECT * FROM thing').raw().all()).toEqual([[1, 1]])
    const third = { id: 3, hash: 'three', statements: ['DELETE FROM owner'] }
    expect(() => migrateSqlite(client, { migrations: [first, second, third], where: 'a.db', now: 3 })).toThrow(
      /refer to nothing/,
    )
    expect(client.prepare('SELECT count(*) FROM owner').raw().all()).toEqual([[1]])
    client.close()
  })

  it('REL-9: keeps every acknowledged row when its server is killed', async () => {
    await using dir = await tempDir()
    for (let kill = 0; kill < 3; kill += 1) {
      const { child, output } = startFixture(INSERT_FOREVER, [dir.path, engine])
      await output.waitFor((line) => Number(line) >= 20 + kill)
      child.kill('SIGKILL')
      await once(child, 'exit')
      const acknowledged = Number((await output.ended).filter((line) => /^\d+$/.test(line)).at(-1))
      await using database = await openSqlite(dir.path, engine)
      const orm = await database.orm()
      const rows = orm
        .select()
        .from(instance)
        .all()
        .filter(({ key }) => key.startsWith('row-'))
      expect(rows.length).toBeGreaterThanOrEqual(acknowledged)
      expect(rows.length).toBeLessThanOrEqual(acknowledged + 1)
      orm.delete(instance).where(sql`key LIKE 'row-%'`).run()
    }
  })

  describe('its reader', () => {
    it('is another thread: the main one goes on meanwhile', async () => {
      await using dir = await tempDir()
      await using database = await openSqlite(dir.path, engine)
      const read = database.read(
        {
          sql: 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT count(*) AS c FROM n',
        },
        { signal: never },
      )
      let turns = 0
      let isOver = false
      void read.then(() => {
        isOver = true
      })
      while (!isOver) {
        turns += 1
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(await read).toEqual([{ c: 300_000 }])
      expect(turns).toBeGreaterThan(10)
    })
    it('cannot write', async () => {
      await using dir = await tempDir()
      await using database = await openSqlite(dir.path, engine)
      await expect(
        database.read({ sql: 'DELETE FROM instance RETURNING key' }, { signal: never }),
      ).rejects.toMatchObject({
        code: 'database_failed',
      })
      expect((await database.orm()).select().from(instance).all()).toHaveLength(2)
    })
    it('gives bytes, columns of any name and nulls', async () => {
      await using dir = await tempDir()
      await using database = await openSqlite(dir.path, engine)
      const [row] = await database.read(
        { sql: 'SELECT ? AS _metadata, ? AS b, NULL AS n', params: ['x', Buffer.from([0, 255])] },
        { signal: never },
      )
      expect(row?._metadata).toBe('x')
      expect(row?.b).toEqual(new Uint8Array([0, 255]))
      expect(row?.n).toBeNull()
    })
    it('is started again after it failed', async () => {
      await using dir = await tempDir()
      const reader = createSqliteReader({ engine, path: dir.join('later/a.db') })
      await expect(reader.read({ sql: 'SELECT 1 AS one' }, { signal: never })).rejects.toMatchObject({
        kind: 'internal',
      })
      await mkdir(dir.join('later'))
      const client = loadSqliteEngine({ logger, engine }).open(dir.join('later/a.db'))
      client.exec('CREATE TABLE a (id INTEGER)')
      expect(await reader.read({ sql: 'SELECT 1 AS one' }, { signal: never })).toEqual([{ one: 1 }])
      await reader.close()
      client.close()
    })
    it('ends after a rest, and the next read starts it again', async () => {
      await using dir = await tempDir()
      await (await openSqlite(dir.path, engine)).close()
      const rests: (() => void)[] = []
      const clock = {
        sleep: (_ms: number, { signal }: { readonly signal: AbortSignal }) =>
          new Promise<void>((resolve, reject) => {
            rests.push(resolve)
            signal.addEventListener('abort', () => reject(signal.reason))
          }),
      }
      const reader = createSqliteReader({ engine, path: dir.join('database.db'), clock })
      const ends: Promise<unknown>[] = []
      const note = (thread: Worker): void => void ends.push(once(thread, 'exit'))
      process.on('worker', note)
      for (const threads of [1, 2]) {
        await reader.read({ sql: 'SELECT 1 AS one' }, { signal: never })
        // a read within the rest keeps the thread
        expect(await reader.read({ sql: 'SELECT 1 AS one' }, { signal: never })).toEqual([{ one: 1 }])
        expect(ends).toHaveLength(threads)
        rests.at(-1)?.()
        await ends.at(-1)
      }
      process.off('worker', note)
      await reader.close()
    })
    it('is closed at any moment of its start', async () => {
      await using dir = await tempDir()
      await (await openSqlite(dir.path, engine)).close()
      for (let turns = 0; turns < 40; turns += 8) {
        const reader = createSqliteReader({ engine, path: dir.join('database.db') })
        const read = reader.read({ sql: 'SELECT 1 AS one' }, { signal: never }).catch((error: unknown) => error)
        for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve))
        await reader.close()
        const outcome = await read
        if (!Array.isArray(outcome)) expect(outcome).toMatchObject({ code: 'database_unavailable' })
      }
    })
    it('is ended with the database, in the middle of a read', async () => {
      await using dir = await tempDir()
      const database = await openSqlite(dir.path, engine)
      const endless = database.read({ sql: ENDLESS }, { signal: never, maxRows: 1e9 })
      const outcome = expect(endless).rejects.toMatchObject({ kind: 'unavailable', code: 'database_unavailable' })
      await database.close()
      await outcome
    })
  })
})

const ENDLESS = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n'

describe('a locked file', () => {
  it('refuses a file that another program has locked', async () => {
    await using dir = await tempDir()
    await (await openSqlite(dir.path, fastest)).close()
    const other = loadSqliteEngine({ logger, engine: fastest }).open(dir.join('database.db'))
    other.exec('BEGIN IMMEDIATE')
    const error = await refusal(openSqlite(dir.path, fastest))
    other.close()
    expect([error.exitCode, error.message]).toEqual([
      75,
      expect.stringContaining('is locked by another program; on a network file system'),
    ])
    await (await openSqlite(dir.path, fastest)).close()
  })
})

describe.each(PRESENT_ENGINES)('REL-8: a lock of another program, with %s', (engine) => {
  const note = (database: Database, key: string) =>
    database.queries.change((db, { instance }) => db.insert(instance).values({ key, value: '', updatedAt: 1 }))

  it('is waited for while the event loop goes on, and then fails what comes at once', async () => {
    await using dir = await tempDir()
    const clock = createFakeClock()
    const database = await openDatabase({ dataPath: dir.path, appVersion: '1', logger, clock, engine })
    const other = loadSqliteEngine({ logger, engine }).open(dir.join('database.db'))
    other.exec('BEGIN IMMEDIATE')
    const waiting = note(database, 'a')
    await clock.advance(3000)
    other.exec('COMMIT')
    await clock.advance(100)
    expect(await waiting).toBe(1)
    other.exec('BEGIN IMMEDIATE')
    const refused = Promise.allSettled([
      note(database, 'b'),
      database.queries.transaction((queries) => queries.rows((db, { instance }) => db.select().from(instance))),
    ])
    await clock.advance(5100)
    const unavailable = { kind: 'unavailable', code: 'database_unavailable', retryAfterMs: 1000 }
    expect(await refused).toMatchObject([{ reason: unavailable }, { reason: unavailable }])
    await expect(note(database, 'c')).rejects.toMatchObject(unavailable)
    other.exec('COMMIT')
    expect(await note(database, 'd')).toBe(1)
    other.close()
    await database.close()
  })
})

describe('the engine of SQLite files', () => {
  const without = (message: string): { readonly loaded: LoadedEngine; readonly lines: readonly string[] } => {
    const lines: string[] = []
    const take =
      (level: string) =>
      (_fields: LogFields, text: string): void =>
        void lines.push(`${level} ${text}`)
    const listening: Logger = { debug: take('debug'), info: take('info'), warn: take('warn'), error: take('error') }
    const loaded = loadSqliteEngine({
      logger: listening,
      loadEngine: (name) => {
        if (name !== 'libsql') throw new Error(message)
        return loadSqliteEngine({ logger, engine: name })
      },
    })
    return { loaded, lines }
  }

  it.each([
    ["Cannot find module 'better-sqlite3'\nRequire stack:\n- /srv/main.js", 'is not installed'],
    ["Cannot find module 'better-sqlite3-12'\nRequire stack:\n- /srv/main.js", 'needs Node 22 or newer'],
    ['Could not locate the bindings file. Tried:\n → /srv/build', 'has no binary here'],
    [
      'was compiled against NODE_MODULE_VERSION 108\nTry again',
      'cannot be loaded (was compiled against NODE_MODULE_VERSION 108)',
    ],
  ])('is libsql, said in one line, where better-sqlite3 fails with %j', (message, reason) => {
    const { loaded, lines } = without(message)
    expect(loaded.name).toBe('libsql')
    expect(lines).toEqual([
      `info libsql opens the database: better-sqlite3, which reads twice as fast, ${reason}`,
      'debug better-sqlite3 does not load',
    ])
  })

  it.each([
    ['9', 'better-sqlite3-12'],
    [undefined, 'better-sqlite3-12'],
    ['10', 'better-sqlite3'],
    ['137', 'better-sqlite3'],
  ])('is never loaded where it would end the process: Node-API %s takes %s', (nodeApi, name) => {
    expect(chooseBetterSqlite(nodeApi)).toBe(name)
  })

  it('is the fastest one there is, and makes files that the other one reads', async () => {
    await using dir = await tempDir()
    const first = await openDatabase({ dataPath: dir.path, appVersion: '1', logger, clock: systemClock })
    expect(first.dialect === 'sqlite' && first.engine).toBe(fastest)
    await first.close()
    await using second = await openSqlite(dir.path, 'libsql')
    expect(second.instanceId).toBe(first.instanceId)
    await appendFile(dir.join('unrelated'), '')
  })
})
