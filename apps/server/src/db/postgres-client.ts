import { randomUUID } from 'node:crypto'
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import postgres, { type Sql } from 'postgres'
import type { Clock, Logger } from '../ports.ts'
import { postgresTables as schema } from './schema.ts'
import { type Pulse, type WatchedClient, watchClient } from './watched-client.ts'

const MAX_CONNECTIONS = 10
const CONNECT_TIMEOUT_S = 10
/** Maximum pause between two attempts to connect; queries wait as long. */
const MAX_BACKOFF_S = 1
const IDLE_TIMEOUT_S = 60
const STATEMENT_TIMEOUT_MS = 30_000
const LOCK_TIMEOUT_MS = 5000
/** Longest time of the question whether the server is there. */
const PULSE_MS = 3000
/** Type numbers of `bigint` and `numeric`, which the driver leaves as text. */
const NUMBERS = [20, 1700]

/** The connections to a PostgreSQL server, and the builder of queries on them. */
export interface PostgresClient {
  readonly sql: Sql
  readonly orm: PostgresJsDatabase<typeof schema>
}

/** Parts of {@link watchPostgres}. */
export interface PostgresClientParts {
  readonly url: string
  readonly logger: Logger
  readonly clock: Clock
}

interface ClientOptions {
  readonly max: number
  readonly connect_timeout?: number
  /** Whether the first query asks for the types of arrays. */
  readonly fetch_types?: boolean
}

/** Makes the client of a PostgreSQL server. It connects with its first query. */
export function watchPostgres({ url, logger, clock }: PostgresClientParts): WatchedClient<PostgresClient> {
  // The server tells by this name which of its statements are ours.
  const name = `svc-${randomUUID().slice(0, 8)}`
  const connect = (options: ClientOptions): Sql =>
    postgres(url, {
      connect_timeout: CONNECT_TIMEOUT_S,
      idle_timeout: IDLE_TIMEOUT_S,
      backoff: (attempts: number) => (0.5 + Math.random() / 2) * Math.min(3 ** attempts / 100, MAX_BACKOFF_S),
      connection: { application_name: name, statement_timeout: STATEMENT_TIMEOUT_MS, lock_timeout: LOCK_TIMEOUT_MS },
      onnotice: ({ message }) => logger.debug({ notice: message }, 'database notice'),
      types: { number: { to: 20, from: NUMBERS, serialize: String, parse: Number } },
      ...options,
    })
  return watchClient<PostgresClient>({
    open() {
      const sql = connect({ max: MAX_CONNECTIONS })
      return { sql, orm: drizzle(sql, { schema }) }
    },
    drop: ({ sql }) => sql.end({ timeout: 0 }),
    async feelPulse(signal) {
      const sql = connect({ max: 1, connect_timeout: PULSE_MS / 1000, fetch_types: false })
      const patience = new AbortController()
      try {
        const late = clock
          .sleep(PULSE_MS, { signal: AbortSignal.any([patience.signal, signal]) })
          .then((): Pulse => 'away')
        return await Promise.race([askForStatements(sql, name), late])
      } catch (error) {
        // An error of the server is an answer too.
        return error instanceof postgres.PostgresError ? 'working' : 'away'
      } finally {
        patience.abort()
        await sql.end({ timeout: 0 })
      }
    },
    clock,
    logger,
  })
}

/**
 * Asks a server whether it runs statements of connections of a name. A pooler in between may hide the name. A statement
 * that waits for its client is none: the driver sends it in two messages, and the second one may be lost.
 */
async function askForStatements(sql: Sql, name: string): Promise<Pulse> {
  const rows = await sql<{ isOwn: boolean; isRunning: boolean }[]>`
    SELECT pid = pg_backend_pid() AS "isOwn", state = 'active' AND wait_event_type IS DISTINCT FROM 'Client' AS "isRunning"
    FROM pg_stat_activity WHERE application_name = ${name}`
  const canTell = rows.some(({ isOwn }) => isOwn)
  return canTell && !rows.some(({ isOwn, isRunning }) => !isOwn && isRunning) ? 'idle' : 'working'
}
