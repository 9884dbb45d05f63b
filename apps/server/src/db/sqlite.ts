import { randomUUID } from 'node:crypto'
import { mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { SvcError } from '@svc/errors'
import { StartRefused } from '../config/start-refused.ts'
import { toReason } from '../files/file-error.ts'
import { type FileLock, lockFile } from '../files/file-lock.ts'
import type { Clock, Logger } from '../ports.ts'
import type { SqliteDatabase } from './database.ts'
import { findDatabaseCode, isDamage, isPassing } from './database-error.ts'
import { migrationsFolder, readMigrations } from './migrations.ts'
import { createSqliteQueries, type DatabaseQueries } from './queries.ts'
import { damagedFile } from './refusals.ts'
import { loadSqliteEngine, type SqliteClient, type SqliteEngine } from './sqlite-engine.ts'
import { checkSqliteSchema, migrateSqlite } from './sqlite-migrate.ts'
import type { SqliteOrm } from './sqlite-orm.ts'
import { createSqliteReader, type SqliteReader } from './sqlite-reader.ts'

/** Time that a statement of the start waits for a lock of another program. Later ones do not wait in the engine. */
const BUSY_TIMEOUT_MS = 5000
/** Files up to this size are checked completely at start; that takes a tenth of a second. */
const MAX_CHECKED_BYTES = 64 * 1024 * 1024

/** Options of {@link openSqlite}. */
export interface SqliteOptions {
  readonly path: string
  readonly appVersion: string
  readonly logger: Logger
  readonly clock: Clock
  readonly engine?: SqliteEngine | undefined
  readonly joinsServer?: boolean | undefined
}

/** Creates the file before the engine does, readable only by this user, because it holds hashes and ids. */
async function makePrivate(path: string): Promise<number> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await (await open(path, 'a', 0o600)).close()
  return (await stat(path)).size
}

function prepare(client: SqliteClient, sizeBytes: number): void {
  client.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
  client.pragma('journal_mode = WAL')
  client.pragma('synchronous = FULL')
  client.pragma('foreign_keys = ON')
  if (sizeBytes > MAX_CHECKED_BYTES) return
  const [row] = client.prepare('PRAGMA quick_check(1)').raw().all()
  const [verdict] = Array.isArray(row) ? row : []
  if (verdict !== 'ok') throw Object.assign(new Error(String(verdict)), { code: 'SQLITE_CORRUPT' })
}

/**
 * Gives the id of the installation, creating it once; also records the version. The statements are written out, because
 * a start needs no others and drizzle takes long to load.
 */
export function identify(client: SqliteClient, appVersion: string, now: number): string {
  client.exec('BEGIN IMMEDIATE')
  try {
    const add = 'INSERT INTO instance (key, value, updated_at) VALUES (?, ?, ?) ON CONFLICT (key)'
    client.prepare(`${add} DO NOTHING`).run('instance_id', randomUUID(), now)
    client
      .prepare(`${add} DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`)
      .run('app_version', appVersion, now)
    const [row] = client.prepare("SELECT value FROM instance WHERE key = 'instance_id'").raw().all()
    client.exec('COMMIT')
    return Array.isArray(row) ? String(row[0]) : ''
  } catch (error) {
    if (client.inTransaction) client.exec('ROLLBACK')
    throw error
  }
}

function toRefusal(path: string, error: unknown): StartRefused {
  if (error instanceof StartRefused) return error
  if (isDamage(error)) return damagedFile(path, error)
  if (isPassing(error)) {
    return new StartRefused(
      `the database ${path} is locked by another program; on a network file system use PostgreSQL (SVC_AUTH_DATABASE_URL) instead`,
      { exitCode: 75, cause: error },
    )
  }
  const reason = findDatabaseCode(error) === undefined && error instanceof Error ? error.message : toReason(error)
  return new StartRefused(`the database ${path} cannot be opened: ${reason}`, { exitCode: 78, cause: error })
}

/** Opens a SQLite file as the server's database; see `openDatabase`. */
export async function openSqlite(options: SqliteOptions): Promise<SqliteDatabase> {
  const { path, appVersion, logger, clock, engine, joinsServer = false } = options
  let lock: FileLock | undefined
  let client: SqliteClient | undefined
  try {
    const sizeBytes = await makePrivate(path)
    lock = await claim(path, { clock, joinsServer })
    const loaded = loadSqliteEngine({ logger, engine })
    client = loaded.open(path)
    prepare(client, sizeBytes)
    const migrations = readMigrations(migrationsFolder('sqlite'))
    if (lock === undefined) checkSqliteSchema(client, { migrations, where: path })
    else migrateSqlite(client, { migrations, where: path, now: clock.now() })
    const instanceId = identify(client, appVersion, clock.now())
    client.pragma('busy_timeout = 0')
    return toDatabase({
      instanceId,
      engine: loaded.name,
      client,
      lock,
      createReader: () => createSqliteReader({ engine: loaded.name, path, clock }),
      clock,
    })
  } catch (error) {
    client?.close()
    await lock?.close()
    throw toRefusal(path, error)
  }
}

/** Takes the lock of a database. @returns undefined where a server holds it that may be joined */
async function claim(
  path: string,
  { clock, joinsServer }: { readonly clock: Clock; readonly joinsServer: boolean },
): Promise<FileLock | undefined> {
  try {
    return await lockFile(`${path}.lock`, { what: `the database ${path}`, clock })
  } catch (error) {
    if (joinsServer && error instanceof StartRefused && error.exitCode === 75) return undefined
    throw error
  }
}

/** Makes the database of an open SQLite client. */
export function toDatabase(parts: {
  readonly instanceId: string
  readonly engine: SqliteEngine
  readonly client: SqliteClient
  /** Absent where a server holds it, and where there is no file. */
  readonly lock: FileLock | undefined
  readonly createReader: (queries: DatabaseQueries) => SqliteReader
  readonly clock: Clock
}): SqliteDatabase {
  const { instanceId, engine, client, lock, clock } = parts
  let loading: Promise<SqliteOrm> | undefined
  const loadOrm = (): Promise<SqliteOrm> => {
    loading ??= import('./sqlite-orm.ts').then(({ createSqliteOrm }) => createSqliteOrm(client))
    return loading
  }
  const checkAccess = (): void => {
    const reason = lock?.lossReason()
    if (reason === undefined) return
    throw new SvcError('unavailable', `the database was taken away while the server ran: ${reason}`, {
      code: 'database_gone',
    })
  }
  const queries = createSqliteQueries({
    load: async () => ({ orm: await loadOrm(), tables: (await import('./sqlite-orm.ts')).tables }),
    execute: (statement) => client.exec(statement),
    firstValue(statement, ...values) {
      const [row] = client
        .prepare(statement)
        .raw()
        .all(...values)
      return Array.isArray(row) ? row[0] : undefined
    },
    checkAccess,
    clock,
  })
  const reader = parts.createReader(queries)
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= reader.close().then(async () => {
      try {
        // better-sqlite3 does this by itself; libsql leaves everything in the log
        if (lock !== undefined) client.pragma('wal_checkpoint(TRUNCATE)')
      } finally {
        client.close()
        await lock?.close()
      }
    })
    return closing
  }
  return {
    dialect: 'sqlite',
    engine,
    orm: loadOrm,
    instanceId,
    queries,
    async read(query, options) {
      checkAccess()
      return reader.read(query, options)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
