import { randomUUID } from 'node:crypto'
import { mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { SvcError } from '@svc/errors'
import {
  createTableRelationsHelpers,
  type ExtractTablesWithRelations,
  eq,
  extractTablesRelationalConfig,
} from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { BetterSQLiteSession } from 'drizzle-orm/better-sqlite3/session'
import { BaseSQLiteDatabase, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import { StartRefused } from '../config/start-refused.ts'
import { toReason } from '../files/file-error.ts'
import { type FileLock, lockFile } from '../files/file-lock.ts'
import type { Clock, Logger } from '../ports.ts'
import type { SqliteDatabase } from './database.ts'
import { findDatabaseCode, isDamage, isPassing } from './database-error.ts'
import { migrationsFolder, readMigrations } from './migrations.ts'
import { createSqliteQueries } from './queries.ts'
import { damagedFile } from './refusals.ts'
import { sqliteTables as schema } from './schema.ts'
import { loadSqliteEngine, type SqliteClient, type SqliteEngine } from './sqlite-engine.ts'
import { migrateSqlite } from './sqlite-migrate.ts'
import { createSqliteReader } from './sqlite-reader.ts'

/** Time that a statement waits for a lock of another program. */
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
 * Creates drizzle for an open file. Its own constructor function imports better-sqlite3, which may be missing; its
 * parts do not.
 */
function toOrm(client: SqliteClient): BetterSQLite3Database<typeof schema> {
  const dialect = new SQLiteSyncDialect()
  const { tables, tableNamesMap } = extractTablesRelationalConfig<ExtractTablesWithRelations<typeof schema>>(
    schema,
    createTableRelationsHelpers,
  )
  const config = { fullSchema: schema, schema: tables, tableNamesMap }
  return new BaseSQLiteDatabase('sync', dialect, new BetterSQLiteSession(client, dialect, config), config)
}

/** Gives the id of the installation, creating it once; also records the version. */
function identify(orm: BetterSQLite3Database<typeof schema>, appVersion: string, now: number): string {
  const { instance } = schema
  return orm.transaction(
    (transaction) => {
      transaction
        .insert(instance)
        .values({ key: 'instance_id', value: randomUUID(), updatedAt: now })
        .onConflictDoNothing()
        .run()
      transaction
        .insert(instance)
        .values({ key: 'app_version', value: appVersion, updatedAt: now })
        .onConflictDoUpdate({ target: instance.key, set: { value: appVersion, updatedAt: now } })
        .run()
      const row = transaction
        .select({ value: instance.value })
        .from(instance)
        .where(eq(instance.key, 'instance_id'))
        .get()
      return row?.value ?? ''
    },
    { behavior: 'immediate' },
  )
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
export async function openSqlite({ path, appVersion, logger, clock, engine }: SqliteOptions): Promise<SqliteDatabase> {
  let lock: FileLock | undefined
  let client: SqliteClient | undefined
  try {
    const sizeBytes = await makePrivate(path)
    lock = await lockFile(`${path}.lock`, { what: `the database ${path}`, clock })
    const loaded = loadSqliteEngine({ logger, engine })
    client = loaded.open(path)
    prepare(client, sizeBytes)
    migrateSqlite(client, { migrations: readMigrations(migrationsFolder('sqlite')), where: path, now: clock.now() })
    const orm = toOrm(client)
    const instanceId = identify(orm, appVersion, clock.now())
    return toDatabase({ orm, instanceId, engine: loaded.name, path, client, lock })
  } catch (error) {
    client?.close()
    await lock?.close()
    throw toRefusal(path, error)
  }
}

function toDatabase(parts: {
  readonly orm: BetterSQLite3Database<typeof schema>
  readonly instanceId: string
  readonly engine: SqliteEngine
  readonly path: string
  readonly client: SqliteClient
  readonly lock: FileLock
}): SqliteDatabase {
  const { orm, instanceId, engine, path, client, lock } = parts
  const reader = createSqliteReader({ engine, path })
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= reader.close().then(async () => {
      try {
        // better-sqlite3 does this by itself; libsql leaves everything in the log
        client.pragma('wal_checkpoint(TRUNCATE)')
      } finally {
        client.close()
        await lock.close()
      }
    })
    return closing
  }
  const checkAccess = (): void => {
    const reason = lock.lossReason()
    if (reason === undefined) return
    throw new SvcError('unavailable', `the database was taken away while the server ran: ${reason}`, {
      code: 'database_gone',
    })
  }
  return {
    dialect: 'sqlite',
    engine,
    orm,
    instanceId,
    queries: createSqliteQueries({ orm, checkAccess }),
    async read(query, options) {
      checkAccess()
      return reader.read(query, options)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
