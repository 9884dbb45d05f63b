import type { Sql } from 'postgres'
import { type Migration, planMigrations } from './migrations.ts'
import { newerSchema } from './refusals.ts'

/** Number of our advisory lock in a database: the letters svc. */
const LOCK = 0x73_76_63
/** Time that a server waits for another one that is migrating. */
const LOCK_TIMEOUT = '60s'

const LEDGER =
  'CREATE TABLE IF NOT EXISTS svc_migrations (id bigint PRIMARY KEY, hash text NOT NULL, applied_at bigint NOT NULL)'

/**
 * Migrates a schema to this version in one transaction under an advisory lock, so that servers that start together
 * migrate one after the other.
 *
 * @throws {StartRefused} exit code 78 when the schema is of a newer version; nothing has changed then
 */
export async function migratePostgres(
  sql: Sql,
  options: {
    readonly migrations: readonly Migration[]
    readonly where: string
    readonly now: number
    /** Called before each statement of a migration. */
    readonly onStatement: () => void
  },
): Promise<void> {
  await sql.begin(async (transaction) => {
    await transaction.unsafe(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`)
    await transaction.unsafe('SET LOCAL statement_timeout = 0')
    await transaction`SELECT pg_advisory_xact_lock(${LOCK})`
    await transaction.unsafe(LEDGER)
    const rows = await transaction<{ id: number }[]>`SELECT id FROM svc_migrations`
    const plan = planMigrations(
      rows.map(({ id }) => Number(id)),
      options.migrations,
    )
    if (plan.kind === 'newer') {
      const [last] = await transaction<{ value: string }[]>`SELECT value FROM instance WHERE key = 'app_version'`
      throw newerSchema(options.where, last?.value)
    }
    for (const step of plan.steps) {
      for (const statement of step.statements) {
        options.onStatement()
        await transaction.unsafe(statement)
      }
      await transaction`INSERT INTO svc_migrations (id, hash, applied_at) VALUES (${step.id}, ${step.hash}, ${options.now})`
    }
  })
}
