import { type Migration, planMigrations } from './migrations.ts'
import { newerSchema, olderServer } from './refusals.ts'
import type { SqliteClient } from './sqlite-engine.ts'

const LEDGER =
  'CREATE TABLE IF NOT EXISTS svc_migrations (id INTEGER PRIMARY KEY, hash TEXT NOT NULL, applied_at INTEGER NOT NULL)'

function column(client: SqliteClient, statement: string): readonly unknown[] {
  return client
    .prepare(statement)
    .raw()
    .all()
    .map((row) => (Array.isArray(row) ? row[0] : undefined))
}

const hasTable = (client: SqliteClient, name: string): boolean =>
  client.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").raw().all(name).length > 0

/** Reads the version that used a database last, when it is recorded. */
function readLastVersion(client: SqliteClient): string | undefined {
  if (!hasTable(client, 'instance')) return undefined
  const [version] = column(client, "SELECT value FROM instance WHERE key = 'app_version'")
  return typeof version === 'string' ? version : undefined
}

function planFor(
  client: SqliteClient,
  { migrations, where }: { readonly migrations: readonly Migration[]; readonly where: string },
): readonly Migration[] {
  const applied = hasTable(client, 'svc_migrations') ? column(client, 'SELECT id FROM svc_migrations').map(Number) : []
  const plan = planMigrations(applied, migrations)
  if (plan.kind === 'newer') throw newerSchema(where, readLastVersion(client))
  return plan.steps
}

/**
 * Passes a schema of this version; it is not changed, as a server has it open.
 *
 * @throws {StartRefused} exit code 78 for a schema of a newer version, 75 for one of an older version
 */
export function checkSqliteSchema(
  client: SqliteClient,
  options: { readonly migrations: readonly Migration[]; readonly where: string },
): void {
  if (planFor(client, options).length > 0) throw olderServer(options.where, readLastVersion(client))
}

/**
 * Migrates a schema to this version in one transaction: a kill leaves it unchanged or complete.
 *
 * @param options.where the database's name for a refusal
 * @throws {StartRefused} exit code 78 when the schema is of a newer version; nothing has changed then
 */
export function migrateSqlite(
  client: SqliteClient,
  options: { readonly migrations: readonly Migration[]; readonly where: string; readonly now: number },
): void {
  const steps = planFor(client, options)
  if (steps.length === 0) return
  // rebuilding a table would otherwise remove the rows that refer to it; inside a transaction this has no effect
  client.pragma('foreign_keys = OFF')
  client.exec('BEGIN IMMEDIATE')
  try {
    client.exec(LEDGER)
    const done = client.prepare('INSERT INTO svc_migrations (id, hash, applied_at) VALUES (?, ?, ?)')
    for (const step of steps) {
      for (const statement of step.statements) client.exec(statement)
      done.run(step.id, step.hash, options.now)
    }
    const dangling = column(client, 'PRAGMA foreign_key_check')
    if (dangling.length > 0) throw new Error(`a migration left rows that refer to nothing: ${String(dangling[0])}`)
    client.exec('COMMIT')
  } catch (error) {
    if (client.inTransaction) client.exec('ROLLBACK')
    throw error
  } finally {
    client.pragma('foreign_keys = ON')
  }
}
