import { getTableColumns, getTableName } from 'drizzle-orm'
import { getTableConfig as postgresConfig } from 'drizzle-orm/pg-core'
import { getTableConfig as sqliteConfig } from 'drizzle-orm/sqlite-core'
import { expect, it } from 'vitest'
import { postgresTables, sqliteTables, type Tables } from './schema.ts'

const names = Object.keys(sqliteTables) as (keyof Tables)[]

it('is of the same tables on both', () => {
  expect(Object.keys(postgresTables)).toEqual(names)
})

/** Facts that must be equal in both declarations of a table. */
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

it.each(names)('%s has the same columns, keys and indexes on both', (name) => {
  const [sqlite, postgres] = [sqliteTables[name], postgresTables[name]]
  expect(getTableName(postgres)).toBe(getTableName(sqlite))
  expect(describeColumns(getTableColumns(postgres))).toEqual(describeColumns(getTableColumns(sqlite)))
  const [left, right] = [sqliteConfig(sqlite), postgresConfig(postgres)]
  expect(right.primaryKeys.map((key) => key.columns.map((column) => column.name))).toEqual(
    left.primaryKeys.map((key) => key.columns.map((column) => column.name)),
  )
  const listColumns = (columns: readonly object[]): unknown[] =>
    columns.map((column) => 'name' in column && column.name)
  expect(right.indexes.map(({ config }) => [config.name, config.unique, listColumns(config.columns)])).toEqual(
    left.indexes.map(({ config }) => [config.name, config.unique, listColumns(config.columns)]),
  )
  expect(right.foreignKeys).toHaveLength(left.foreignKeys.length)
})
