import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import postgres, { type Sql, type TransactionSql } from 'postgres'
import { StartRefused } from '../config/start-refused.ts'
import type { Clock, Logger } from '../ports.ts'
import type { DatabaseRow, PostgresDatabase, ReadOptions, ReadQuery } from './database.ts'
import { findDatabaseCode, isPassing, toDatabaseError } from './database-error.ts'
import { migrationsFolder, readMigrations } from './migrations.ts'
import { migratePostgres } from './postgres-migrate.ts'
import { createPostgresQueries } from './postgres-queries.ts'
import { MAX_ROWS, MAX_WAITING_READS, tooManyRows } from './read-limits.ts'
import { createReadQueue } from './read-queue.ts'
import { postgresTables as schema } from './schema.ts'

const MAX_CONNECTIONS = 10
/** Heavy reads leave most connections to the short queries of requests. */
const MAX_READS = 2
const CONNECT_TIMEOUT_S = 10
/** Maximum pause between two attempts to connect; queries wait as long. */
const MAX_BACKOFF_S = 1
const IDLE_TIMEOUT_S = 60
const STATEMENT_TIMEOUT_MS = 30_000
const LOCK_TIMEOUT_MS = 5000
const CLOSE_TIMEOUT_MS = 2000
/** Number of rows in one fetch. */
const BATCH = 500
/** Type numbers of `bigint` and `numeric`, which the driver leaves as text. */
const NUMBERS = [20, 1700]

/** Options of {@link openPostgres}. */
export interface PostgresOptions {
  readonly url: string
  readonly appVersion: string
  readonly logger: Logger
  readonly clock: Clock
}

/** Gives the address without user and password: `host:5432/database`. */
function toPlace(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

function connect(url: string, logger: Logger): Sql {
  return postgres(url, {
    max: MAX_CONNECTIONS,
    connect_timeout: CONNECT_TIMEOUT_S,
    idle_timeout: IDLE_TIMEOUT_S,
    backoff: (attempts: number) => (0.5 + Math.random() / 2) * Math.min(3 ** attempts / 100, MAX_BACKOFF_S),
    connection: { application_name: 'svc', statement_timeout: STATEMENT_TIMEOUT_MS, lock_timeout: LOCK_TIMEOUT_MS },
    onnotice: ({ message }) => logger.debug({ notice: message }, 'database notice'),
    types: {
      number: { to: 20, from: NUMBERS, serialize: String, parse: Number },
    },
  })
}

async function identify(orm: PostgresJsDatabase<typeof schema>, appVersion: string, now: number): Promise<string> {
  const { instance } = schema
  return orm.transaction(async (transaction) => {
    await transaction
      .insert(instance)
      .values({ key: 'instance_id', value: randomUUID(), updatedAt: now })
      .onConflictDoNothing()
    await transaction
      .insert(instance)
      .values({ key: 'app_version', value: appVersion, updatedAt: now })
      .onConflictDoUpdate({ target: instance.key, set: { value: appVersion, updatedAt: now } })
    const [row] = await transaction
      .select({ value: instance.value })
      .from(instance)
      .where(eq(instance.key, 'instance_id'))
    return row?.value ?? ''
  })
}

function toRefusal(place: string, error: unknown): StartRefused {
  if (error instanceof StartRefused) return error
  const code = findDatabaseCode(error)
  const reason = code === undefined ? '' : ` (${code})`
  if (isPassing(error))
    return new StartRefused(`the database ${place} cannot be reached${reason}`, { exitCode: 75, cause: error })
  const words = error instanceof Error ? error.message : 'unknown reason'
  return new StartRefused(`the database ${place} cannot be opened: ${words}${reason}`, { exitCode: 78, cause: error })
}

interface BoundedRead {
  readonly maxRows: number
  readonly signal: AbortSignal
}

/** Collects the rows of a query in batches. An abort ends it between two batches; `readRows` handles one in between. */
async function collectRows(
  connection: TransactionSql,
  query: ReadQuery,
  { maxRows, signal }: BoundedRead,
): Promise<readonly DatabaseRow[]> {
  const rows: DatabaseRow[] = []
  for await (const batch of connection.unsafe<DatabaseRow[]>(query.sql, toParameters(query.params)).cursor(BATCH)) {
    signal.throwIfAborted()
    rows.push(...batch)
    if (rows.length > maxRows) throw tooManyRows(maxRows)
  }
  return rows
}

/**
 * Runs a query on a connection of its own, inside a transaction. The driver's `reserve` keeps connections for callers
 * whose attempt has failed, until none is left, and its way to cancel may reach a later query of the same connection.
 * This function asks the server to cancel, and keeps the transaction open until the server has answered.
 */
async function readRows(sql: Sql, query: ReadQuery, options: BoundedRead): Promise<readonly DatabaseRow[]> {
  const { signal } = options
  return sql.begin('read only', async (connection) => {
    let cancelling: Promise<unknown> | undefined
    const [backend] = await connection<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`
    const cancel = (): void => {
      cancelling = sql`SELECT pg_cancel_backend(${backend?.pid ?? 0})`.catch(() => {
        // the statement timeout ends the query then
      })
    }
    signal.throwIfAborted()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      return await collectRows(connection, query, options)
    } finally {
      signal.removeEventListener('abort', cancel)
      await cancelling
      // a late cancellation must not reach the next query
      if (cancelling !== undefined) await connection`SELECT 1`.catch(() => {})
    }
  })
}

type Parameter = string | number | boolean | null | Date | Uint8Array

const isParameter = (value: unknown): value is Parameter =>
  value === null ||
  ['string', 'number', 'boolean'].includes(typeof value) ||
  value instanceof Date ||
  value instanceof Uint8Array

function toParameters(params: readonly unknown[] = []): Parameter[] {
  return params.map((param) => {
    if (!isParameter(param)) throw new TypeError(`a ${typeof param} cannot be bound`)
    return param
  })
}

/** Opens a PostgreSQL database as the server's; see `openDatabase`. Several servers may share one. */
export async function openPostgres({ url, appVersion, logger, clock }: PostgresOptions): Promise<PostgresDatabase> {
  const place = toPlace(url)
  const sql = connect(url, logger)
  try {
    await migratePostgres(sql, {
      migrations: readMigrations(migrationsFolder('postgres')),
      where: place,
      now: clock.now(),
    })
    const orm = drizzle(sql, { schema })
    return toDatabase({ sql, orm, instanceId: await identify(orm, appVersion, clock.now()), clock })
  } catch (error) {
    await sql.end({ timeout: 0 })
    throw toRefusal(place, error)
  }
}

function toDatabase(parts: {
  readonly sql: Sql
  readonly orm: PostgresJsDatabase<typeof schema>
  readonly instanceId: string
  readonly clock: Clock
}): PostgresDatabase {
  const { sql, orm, instanceId, clock } = parts
  const queue = createReadQueue({ concurrency: MAX_READS, limit: MAX_WAITING_READS })
  let closing: Promise<void> | undefined
  async function closeAll(): Promise<void> {
    const patience = new AbortController()
    // reads have been told to end, but a database that is away does not answer
    await Promise.race([queue.close(), clock.sleep(CLOSE_TIMEOUT_MS, { signal: patience.signal }).catch(() => {})])
    patience.abort()
    await sql.end({ timeout: CLOSE_TIMEOUT_MS / 1000 })
  }
  const close = (): Promise<void> => {
    closing ??= closeAll()
    return closing
  }
  return {
    dialect: 'postgres',
    engine: 'postgres',
    orm,
    queries: createPostgresQueries(orm),
    instanceId,
    read: (query: ReadQuery, { signal, maxRows = MAX_ROWS }: ReadOptions) =>
      queue.run(
        (task) =>
          readRows(sql, query, { maxRows, signal: task }).catch((error: unknown) => {
            task.throwIfAborted()
            throw toDatabaseError(error)
          }),
        { signal },
      ),
    listen: (channel, onNotice) =>
      sql.listen(channel, onNotice, onNotice).then(
        () => undefined,
        (error: unknown) => {
          throw toDatabaseError(error)
        },
      ),
    close,
    [Symbol.asyncDispose]: close,
  }
}
