import { SvcError } from '@svc/errors'
import { createDeferred } from '@svc/test-kit'
import type { SQL } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { createPostgresQueries, createSqliteQueries, type PostgresOrm, type SqliteOrm } from './queries.ts'

const BUSY = { kind: 'unavailable', code: 'database_busy', retryAfterMs: 1000 }
const BROKEN = { kind: 'unavailable', code: 'database_unavailable', retryAfterMs: 1000 }

const toText = (statement: SQL): string => JSON.stringify(statement.queryChunks)

/** SQLite as far as these queries use it: it notes the statements, and fails on those that `fails` names. */
function createSqlite(fails: (statement: string) => boolean = () => false) {
  const statements: string[] = []
  const run = (statement: SQL) => {
    const text = /BEGIN IMMEDIATE|COMMIT|ROLLBACK/.exec(toText(statement))?.[0] ?? 'another'
    statements.push(text)
    if (fails(text)) throw new Error(`${text} failed`)
  }
  return { statements, queries: createSqliteQueries({ run } as unknown as SqliteOrm) }
}

const rows = (...found: readonly number[]) => ({ all: () => [...found] })
const changed = (changes: number) => ({ run: () => ({ changes }) })

describe('queries on SQLite', () => {
  it('give rows, and the number of those that changed', async () => {
    const { queries } = createSqlite()
    expect(await queries.rows(() => rows(1, 2))).toEqual([1, 2])
    expect(await queries.change(() => changed(3))).toBe(3)
  })

  it('run one after the other, also behind one that fails', async () => {
    const { queries, statements } = createSqlite()
    const gate = createDeferred<void>()
    const order: string[] = []
    const first = queries.transaction(async (inner) => {
      await gate.promise
      order.push('first', String(await inner.change(() => changed(1))))
      throw new SvcError('conflict', 'taken')
    })
    const second = queries.rows(() => {
      order.push('second')
      return rows()
    })
    gate.resolve()
    await expect(first).rejects.toMatchObject({ kind: 'conflict' })
    await second
    expect([order, statements]).toEqual([
      ['first', '1', 'second'],
      ['BEGIN IMMEDIATE', 'ROLLBACK'],
    ])
  })

  it('commit what a transaction did, and hand its result on', async () => {
    const { queries, statements } = createSqlite()
    expect(await queries.transaction(async (inner) => (await inner.rows(() => rows(7)))[0])).toBe(7)
    expect(statements).toEqual(['BEGIN IMMEDIATE', 'COMMIT'])
  })

  it.each([
    ['BEGIN IMMEDIATE', ['BEGIN IMMEDIATE']],
    ['COMMIT', ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK']],
  ])('fail as a database that cannot be used where %s fails', async (failing, expected) => {
    const { queries, statements } = createSqlite((statement) => statement === failing || statement === 'ROLLBACK')
    await expect(queries.transaction(async () => 1)).rejects.toMatchObject({
      ...BROKEN,
      cause: expect.objectContaining({ message: `${failing} failed` }),
    })
    expect(statements).toEqual(expected)
    expect(await queries.rows(() => rows(1))).toEqual([1])
  })

  it('fail so where the driver fails, and keep errors that say more', async () => {
    const { queries } = createSqlite()
    const fail = (error: Error) => () => {
      throw error
    }
    await expect(queries.rows(() => ({ all: fail(new Error('disk')) }))).rejects.toMatchObject(BROKEN)
    await expect(queries.change(() => ({ run: fail(new Error('disk')) }))).rejects.toMatchObject(BROKEN)
    const known = new SvcError('too_large', 'a lot')
    await expect(queries.rows(() => ({ all: fail(known) }))).rejects.toBe(known)
  })

  it('wait ten thousand at a time, and are taken again when there is room', async () => {
    const { queries } = createSqlite()
    const gate = createDeferred<void>()
    const running = queries.transaction(() => gate.promise)
    const waiting = Array.from({ length: 9_999 }, () => queries.rows(() => rows()))
    await expect(queries.rows(() => rows())).rejects.toMatchObject(BUSY)
    await expect(queries.transaction(async () => 1)).rejects.toMatchObject(BUSY)
    gate.resolve()
    await Promise.all([running, ...waiting])
    expect(await queries.rows(() => rows(1))).toEqual([1])
  })
})

describe('queries on PostgreSQL', () => {
  const unused = new Error('not used')

  /** PostgreSQL as far as these queries use it. */
  function createPostgres(failure?: unknown) {
    const sent: string[] = []
    const orm = {
      execute: async (statement: SQL) => void sent.push(toText(statement)),
      async transaction(work: (inner: unknown) => Promise<unknown>) {
        if (failure !== undefined) throw failure
        sent.push('begin')
        const result = await work(orm)
        sent.push('commit')
        return result
      },
    }
    return { sent, queries: createPostgresQueries(orm as unknown as PostgresOrm) }
  }
  const awaited = (value: unknown) => (async () => value)() as never

  it('give rows, the number of those that changed, and notices', async () => {
    const { queries, sent } = createPostgres()
    expect(await queries.rows(() => awaited([1, 2]))).toEqual([1, 2])
    expect(await queries.change(() => awaited({ count: 3 }))).toBe(3)
    await queries.notify?.('channel')
    expect(sent).toEqual([expect.stringMatching(/pg_notify.*channel/)])
  })

  it('run together in a transaction, whose own failure is that of its work', async () => {
    const { queries, sent } = createPostgres()
    expect(await queries.transaction((inner) => inner.change(() => awaited({ count: 1 })))).toBe(1)
    expect(sent).toEqual(['begin', 'commit'])
    await expect(queries.transaction(() => Promise.reject(unused))).rejects.toBe(unused)
    expect(sent).toEqual(['begin', 'commit', 'begin'])
  })

  it('fail as a database that cannot be used where it fails', async () => {
    const { queries } = createPostgres(new Error('connection lost'))
    await expect(queries.transaction(async () => 1)).rejects.toMatchObject(BROKEN)
    const rejected = async () => Promise.reject(new Error('connection lost'))
    await expect(queries.rows(() => rejected() as never)).rejects.toMatchObject(BROKEN)
  })
})
