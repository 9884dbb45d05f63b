import type { Column } from 'drizzle-orm'
import { getTableConfig as describePostgres } from 'drizzle-orm/pg-core'
import { getTableConfig as describeSqlite } from 'drizzle-orm/sqlite-core'
import { type Dialect, postgresAuthTables, sqliteAuthTables } from './tables.ts'

/** The common part of both declarations of a table. */
interface Description {
  readonly name: string
  readonly columns: readonly Pick<Column, 'name' | 'notNull' | 'primary' | 'getSQLType'>[]
  readonly primaryKeys: readonly { readonly columns: readonly { readonly name: string }[] }[]
  readonly indexes: readonly { readonly config: IndexDescription }[]
}

interface IndexDescription {
  readonly name?: string | undefined
  readonly unique?: boolean | undefined
  readonly columns: readonly object[]
}

const quote = (name: string): string => `"${name}"`

const nameColumn = (column: object): string => ('name' in column ? quote(String(column.name)) : '')

function toStatements({ name, columns, primaryKeys, indexes }: Description): readonly string[] {
  const parts = [
    ...columns.map((column) => {
      const rule = column.primary ? ' PRIMARY KEY NOT NULL' : column.notNull ? ' NOT NULL' : ''
      return `${quote(column.name)} ${column.getSQLType()}${rule}`
    }),
    ...primaryKeys.map((key) => `PRIMARY KEY (${key.columns.map(nameColumn).join(', ')})`),
  ]
  return [
    `CREATE TABLE IF NOT EXISTS ${quote(name)} (${parts.join(', ')})`,
    ...indexes.map(({ config }) => {
      const kind = config.unique === true ? 'UNIQUE INDEX' : 'INDEX'
      const list = config.columns.map(nameColumn).join(', ')
      return `CREATE ${kind} IF NOT EXISTS ${quote(config.name ?? '')} ON ${quote(name)} (${list})`
    }),
  ]
}

/**
 * The statements that create the missing tables, for users without migrations of their own. With drizzle-kit, declare
 * the tables in your schema instead.
 */
export function listTableStatements(dialect: Dialect): readonly string[] {
  const descriptions: readonly Description[] =
    dialect === 'sqlite'
      ? Object.values(sqliteAuthTables).map((table) => describeSqlite(table))
      : Object.values(postgresAuthTables).map((table) => describePostgres(table))
  return descriptions.flatMap(toStatements)
}
