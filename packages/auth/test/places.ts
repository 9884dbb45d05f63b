import { createRequire } from 'node:module'
import {
  createDrizzleStores,
  createPostgresQueries,
  createSqliteQueries,
  listTableStatements,
  type SqliteOrm,
} from '@svc/auth/drizzle'
import { createMemoryStores } from '@svc/auth/memory'
import type { Stores } from '@svc/auth/ports'
import { startPostgres, tempDir } from '@svc/test-kit'
import type BetterSqlite from 'better-sqlite3'
import { BetterSQLiteSession } from 'drizzle-orm/better-sqlite3/session'
import { drizzle } from 'drizzle-orm/postgres-js'
import { BaseSQLiteDatabase, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import postgres from 'postgres'
import { afterAll } from 'vitest'

/** Empty stores of one kind. */
export interface OpenPlace extends AsyncDisposable {
  readonly stores: Stores
  /** Stores over other connections, as another process has them; the same ones where one process owns the place. */
  openSecond(): Promise<Stores>
  /** Runs a statement; absent where there is no SQL. */
  readonly execute: ((statement: string) => Promise<void>) | undefined
  /** Takes the database away. */
  stop(): Promise<void>
  /** All rows of all tables, as text. */
  dump(): Promise<string>
}

/** A kind of place for stores. */
export interface Place {
  readonly name: string
  open(): Promise<OpenPlace>
}

const require = createRequire(import.meta.url)
const NAMES = [
  'auth_users',
  'auth_sessions',
  'auth_api_keys',
  'auth_invites',
  'auth_sign_ins',
  'auth_used_tokens',
  'auth_known_addresses',
  'auth_facts',
  'auth_usage_records',
  'auth_usage_sums',
  'auth_groups',
  'auth_group_members',
  'auth_usage_label_sums',
  'auth_usage_labels',
  'auth_limits',
  'auth_quota_rules',
  'auth_quota_counters',
  'auth_quota_reservations',
]

type Client = BetterSqlite.Database

function loadEngine(name: string): (new (path: string) => Client) | undefined {
  try {
    const Engine: new (path: string) => Client = require(name)
    new Engine(':memory:').close()
    return Engine
  } catch {
    return undefined
  }
}

/** drizzle over an open file; its own constructor function would import better-sqlite3, which may have no binary. */
function toOrm(client: Client): SqliteOrm {
  const dialect = new SQLiteSyncDialect()
  const session = new BetterSQLiteSession(client, dialect, undefined)
  return new BaseSQLiteDatabase('sync', dialect, session, undefined)
}

function sqlitePlace(name: string, Engine: new (path: string) => Client): Place {
  return {
    name,
    async open() {
      const dir = await tempDir()
      const client = new Engine(dir.join('auth.db'))
      client.pragma('journal_mode = WAL')
      client.pragma('synchronous = OFF')
      for (const statement of listTableStatements('sqlite')) client.exec(statement)
      const stores = createDrizzleStores({ dialect: 'sqlite', queries: createSqliteQueries(toOrm(client)) })
      return {
        stores,
        openSecond: async () => stores,
        execute: async (statement) => void client.exec(statement),
        stop: async () => void client.close(),
        dump: async () => JSON.stringify(NAMES.map((table) => client.prepare(`SELECT * FROM ${table}`).all())),
        async [Symbol.asyncDispose]() {
          client.close()
          await dir.close()
        },
      }
    },
  }
}

function postgresPlace(createDatabase: () => Promise<string>): Place {
  return {
    name: 'postgres',
    async open() {
      const url = await createDatabase()
      const clients: postgres.Sql[] = []
      const connect = (): postgres.Sql => {
        const client = postgres(url, { max: 5, onnotice: () => {} })
        clients.push(client)
        return client
      }
      const toStores = (client: postgres.Sql): Stores =>
        createDrizzleStores({
          dialect: 'postgres',
          queries: createPostgresQueries(drizzle(client)),
          listen: async (channel, onNotice) => void (await client.listen(channel, onNotice)),
        })
      const client = connect()
      for (const statement of listTableStatements('postgres')) await client.unsafe(statement)
      return {
        stores: toStores(client),
        openSecond: async () => toStores(connect()),
        execute: async (statement) => void (await client.unsafe(statement)),
        stop: () => client.end({ timeout: 0 }),
        async dump() {
          const tables: unknown[] = []
          for (const table of NAMES) tables.push(await client.unsafe(`SELECT * FROM ${table}`))
          return JSON.stringify(tables)
        },
        async [Symbol.asyncDispose]() {
          for (const one of clients) await one.end({ timeout: 1 })
        },
      }
    },
  }
}

const memoryPlace: Place = {
  name: 'memory',
  async open() {
    const stores = createMemoryStores()
    return {
      stores,
      openSecond: async () => stores,
      execute: undefined,
      stop: async () => {},
      dump: async () => '',
      async [Symbol.asyncDispose]() {},
    }
  },
}

/** Every kind of place this machine has, for `describe.each`; call it at the top of a test file. */
export async function listPlaces(): Promise<readonly Place[]> {
  // release 13 of better-sqlite3 ends a process of Node 20 that loads it
  const fastest = Number(process.versions.napi) >= 10 ? 'better-sqlite3' : 'better-sqlite3-12'
  const engines = [fastest, 'libsql'].flatMap((name) => {
    const Engine = loadEngine(name)
    if (Engine === undefined && name === 'libsql') throw new Error('libsql does not load')
    if (Engine === undefined) console.warn(`the suites of ${name} do not run: no binary (npm run build:sqlite)`)
    return Engine === undefined ? [] : [sqlitePlace(name, Engine)]
  })
  const server = await startPostgres()
  afterAll(() => server[Symbol.asyncDispose]())
  if (!server.available) console.warn(`the suites of PostgreSQL do not run: ${server.reason}`)
  return [memoryPlace, ...engines, ...(server.available ? [postgresPlace(() => server.createDatabase())] : [])]
}
