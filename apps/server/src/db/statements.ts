import type { SQL } from 'drizzle-orm'
import type { Database, DatabaseRow } from './database.ts'
import { toDatabaseError } from './database-error.ts'

/** Short statements that are the same in both dialects. */
export interface Statements {
  /** @throws {SvcError} `unavailable` while the database is away */
  rows(statement: SQL): Promise<readonly DatabaseRow[]>
  /** All or none of them. @throws {SvcError} `unavailable` while the database is away */
  write(statements: readonly SQL[]): Promise<void>
}

/** Runs statements on the server's database. */
export function createStatements(database: Database): Statements {
  const guarded = async <T>(work: () => T | Promise<T>): Promise<T> => {
    database.checkAccess()
    try {
      return await work()
    } catch (error) {
      throw toDatabaseError(error)
    }
  }
  if (database.dialect === 'sqlite') {
    const { orm } = database
    return {
      rows: (statement) => guarded(() => orm.all<DatabaseRow>(statement)),
      write: (statements) =>
        guarded(() =>
          orm.transaction(
            (transaction) => {
              for (const statement of statements) transaction.run(statement)
            },
            { behavior: 'immediate' },
          ),
        ),
    }
  }
  const { orm } = database
  return {
    rows: (statement) => guarded(async () => [...(await orm.execute<Record<string, unknown>>(statement))]),
    write: (statements) =>
      guarded(() =>
        orm.transaction(async (transaction) => {
          for (const statement of statements) await transaction.execute(statement)
        }),
      ),
  }
}
