import { readMigrationFiles } from 'drizzle-orm/migrator'
import { findShippedPath } from './shipped-path.ts'

/** One step of the schema. */
export interface Migration {
  /** Time of writing, milliseconds since the epoch; grows from step to step. */
  readonly id: number
  /** SHA-256 of its text. */
  readonly hash: string
  readonly statements: readonly string[]
}

/** Reads the steps of this version, in order. */
export function readMigrations(folder: string): readonly Migration[] {
  return readMigrationFiles({ migrationsFolder: folder })
    .map(({ folderMillis, hash, sql }) => ({
      id: folderMillis,
      hash,
      statements: sql.map((statement) => statement.trim()).filter((statement) => statement !== ''),
    }))
    .sort((left, right) => left.id - right.id)
}

/** Finds the folder of a dialect's steps. */
export function migrationsFolder(dialect: 'sqlite' | 'postgres'): string {
  return findShippedPath(`migrations/${dialect}`)
}

/** Plans the missing steps of a schema; `newer` when it has a step that this version does not know. */
export function planMigrations(
  applied: readonly number[],
  known: readonly Migration[],
): { readonly kind: 'pending'; readonly steps: readonly Migration[] } | { readonly kind: 'newer' } {
  const ids = new Set(known.map(({ id }) => id))
  if (applied.some((id) => !ids.has(id))) return { kind: 'newer' }
  const done = new Set(applied)
  return { kind: 'pending', steps: known.filter(({ id }) => !done.has(id)) }
}
