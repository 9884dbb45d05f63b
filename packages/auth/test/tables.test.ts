import { postgresAuthTables, sqliteAuthTables } from '@svc/auth/drizzle'
import { getTableColumns, getTableName } from 'drizzle-orm'
import { getTableConfig as describePostgres } from 'drizzle-orm/pg-core'
import { getTableConfig as describeSqlite } from 'drizzle-orm/sqlite-core'
import { expect, it } from 'vitest'

const names = Object.keys(sqliteAuthTables) as (keyof typeof sqliteAuthTables)[]

it('are the same on both databases', () => {
  expect(Object.keys(postgresAuthTables)).toEqual(names)
})

/** The facts that both declarations of a column must share. */
interface Column {
  readonly name: string
  readonly dataType: string
  readonly notNull: boolean
  readonly primary: boolean
  readonly hasDefault: boolean
}

const describeColumns = (columns: Readonly<Record<string, Column>>): readonly unknown[] =>
  Object.entries(columns).map(([key, { name, dataType, notNull, primary, hasDefault }]) => [
    key,
    { name, dataType, notNull, primary, hasDefault },
  ])

const listNames = (columns: readonly object[]): unknown[] => columns.map((column) => 'name' in column && column.name)

it.each(names)('%s has the same columns, keys and indexes on both', (name) => {
  const [sqlite, postgres] = [sqliteAuthTables[name], postgresAuthTables[name]]
  expect(getTableName(postgres)).toBe(getTableName(sqlite))
  expect(getTableName(postgres)).toMatch(/^auth_/)
  expect(describeColumns(getTableColumns(postgres))).toEqual(describeColumns(getTableColumns(sqlite)))
  const [left, right] = [describeSqlite(sqlite), describePostgres(postgres)]
  expect(right.primaryKeys.map((key) => listNames(key.columns))).toEqual(
    left.primaryKeys.map((key) => listNames(key.columns)),
  )
  expect(right.indexes.map(({ config }) => [config.name, config.unique, listNames(config.columns)])).toEqual(
    left.indexes.map(({ config }) => [config.name, config.unique, listNames(config.columns)]),
  )
})
