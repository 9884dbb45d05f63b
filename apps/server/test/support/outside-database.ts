import { setImmediate } from 'node:timers/promises'
import { createDrizzleStores, createPostgresQueries, createSqliteQueries } from '@svc/auth/drizzle'
import type { Stores } from '@svc/auth/ports'
import { startPostgres, tempDir } from '@svc/test-kit'
import { BetterSQLiteSession } from 'drizzle-orm/better-sqlite3/session'
import { drizzle } from 'drizzle-orm/postgres-js'
import { BaseSQLiteDatabase, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import postgres from 'postgres'
import { afterAll } from 'vitest'
import { PRESENT_ENGINES } from '../../src/db/__fixtures__/engines.ts'
import { loadSqliteEngine } from '../../src/db/sqlite-engine.ts'

/** A database that a server uses, seen from outside. */
export interface OutsideDatabase extends AsyncDisposable {
  readonly stores: Stores
  execute(statement: string): Promise<void>
}

/** A kind of database, for servers of this process and others. */
export interface ServerDatabase {
  readonly name: string
  /** Where an empty one is: the value of `SVC_AUTH_DATABASE_URL`. */
  create(): Promise<{ readonly url: string } & AsyncDisposable>
  /** Opens one that a server has brought up to its schema. */
  open(url: string): Promise<OutsideDatabase>
}

const silent = { debug() {}, info() {}, warn() {}, error() {} }

const sqlite: ServerDatabase = {
  name: 'SQLite',
  async create() {
    const folder = await tempDir()
    return { url: folder.join('svc.db'), [Symbol.asyncDispose]: () => folder.close() }
  },
  async open(url) {
    const client = loadSqliteEngine({ logger: silent, engine: PRESENT_ENGINES[0] }).open(url)
    client.pragma('busy_timeout = 5000')
    const dialect = new SQLiteSyncDialect()
    const orm = new BaseSQLiteDatabase('sync', dialect, new BetterSQLiteSession(client, dialect, undefined), undefined)
    return {
      stores: createDrizzleStores({ dialect: 'sqlite', queries: createSqliteQueries(orm) }),
      async execute(statement) {
        // a server in this process may be between two statements of a transaction, whose end would wait for this thread
        await setImmediate()
        client.exec(statement)
      },
      [Symbol.asyncDispose]: async () => void client.close(),
    }
  },
}

/** Opens a PostgreSQL database beside its servers. */
async function openPostgresOutside(url: string): Promise<OutsideDatabase> {
  const client = postgres(url, { max: 2, onnotice: () => {} })
  return {
    stores: createDrizzleStores({ dialect: 'postgres', queries: createPostgresQueries(drizzle(client)) }),
    execute: async (statement) => void (await client.unsafe(statement)),
    [Symbol.asyncDispose]: () => client.end({ timeout: 1 }),
  }
}

/** Every kind of database that this machine has, for `describe.each`; call it at the top of a test file. */
export async function serverDatabases(): Promise<readonly ServerDatabase[]> {
  const server = await startPostgres()
  afterAll(() => server[Symbol.asyncDispose]())
  if (!server.available) {
    console.warn(`the suite of PostgreSQL does not run: ${server.reason}`)
    return [sqlite]
  }
  const create: ServerDatabase['create'] = async () => ({
    url: await server.createDatabase(),
    [Symbol.asyncDispose]: async () => {},
  })
  return [sqlite, { name: 'PostgreSQL', create, open: openPostgresOutside }]
}
