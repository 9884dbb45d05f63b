import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import type { Sql, TransactionSql } from 'postgres'
import { StartRefused } from '../config/start-refused.ts'
import type { Clock, Logger } from '../ports.ts'
import type { DatabaseRow, PostgresDatabase, ReadOptions, ReadQuery } from './database.ts'
import { findDatabaseCode, isPassing, toDatabaseError } from './database-error.ts'
import { migrationsFolder, readMigrations } from './migrations.ts'
import { type PostgresClient, watchPostgres } from './postgres-client.ts'
import { migratePostgres } from './postgres-migrate.ts'
import { createPostgresQueries } from './postgres-queries.ts'
import { MAX_ROWS, MAX_WAITING_READS, tooManyRows } from './read-limits.ts'
import { createReadQueue } from './read-queue.ts'
import { postgresTables as schema } from './schema.ts'
import type { WatchedClient, Work } from './watched-client.ts'

/** Heavy reads leave most connections to the short queries of requests. */
const MAX_READS = 2
const CLOSE_TIMEOUT_MS = 2000
/** Number of rows in one fetch. */
const BATCH = 500
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
  readonly beat: Work['beat']
}

/** Collects the rows of a query in batches. An abort ends it between two batches; `readRows` handles one in between. */
async function collectRows(
  connection: TransactionSql,
  query: ReadQuery,
  { maxRows, signal, beat }: BoundedRead,
): Promise<readonly DatabaseRow[]> {
  const rows: DatabaseRow[] = []
  for await (const batch of connection.unsafe<DatabaseRow[]>(query.sql, toParameters(query.params)).cursor(BATCH)) {
    signal.throwIfAborted()
    beat()
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
  const client = watchPostgres({ url, logger, clock })
  try {
    const migrations = readMigrations(migrationsFolder('postgres'))
    await client.run(({ sql }, { beat }) =>
      migratePostgres(sql, { migrations, where: place, now: clock.now(), onStatement: beat }),
    )
    const instanceId = await client.run(({ orm }) => identify(orm, appVersion, clock.now()))
    return toDatabase({ client, instanceId, clock })
  } catch (error) {
    await client.close(({ sql }) => sql.end({ timeout: 0 }))
    throw toRefusal(place, error)
  }
}

function toDatabase(parts: {
  readonly client: WatchedClient<PostgresClient>
  readonly instanceId: string
  readonly clock: Clock
}): PostgresDatabase {
  const { client, instanceId, clock } = parts
  const queue = createReadQueue({ concurrency: MAX_READS, limit: MAX_WAITING_READS })
  let closing: Promise<void> | undefined
  async function closeAll(): Promise<void> {
    const patience = new AbortController()
    // The queue ends its reads, but a database that is away does not answer.
    await Promise.race([queue.close(), clock.sleep(CLOSE_TIMEOUT_MS, { signal: patience.signal }).catch(() => {})])
    patience.abort()
    await client.close(({ sql }) => sql.end({ timeout: CLOSE_TIMEOUT_MS / 1000 }))
  }
  const close = (): Promise<void> => {
    closing ??= closeAll()
    return closing
  }
  return {
    dialect: 'postgres',
    engine: 'postgres',
    get orm() {
      return client.current.orm
    },
    queries: createPostgresQueries(client),
    instanceId,
    read: (query: ReadQuery, { signal, maxRows = MAX_ROWS }: ReadOptions) =>
      queue.run(
        (task) =>
          client
            .run(({ sql }, { beat }) => readRows(sql, query, { maxRows, signal: task, beat }))
            .catch((error: unknown) => {
              task.throwIfAborted()
              throw toDatabaseError(error)
            }),
        { signal },
      ),
    listen: (channel, onNotice) =>
      client
        .follow(async ({ sql }) => void (await sql.listen(channel, onNotice, onNotice)))
        .catch((error: unknown) => {
          throw toDatabaseError(error)
        }),
    close,
    [Symbol.asyncDispose]: close,
  }
}
