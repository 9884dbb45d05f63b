import { SvcError } from '@svc/errors'
import { createDeferred } from '@svc/test-kit'
import { eq, sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { databasePlaces, silentLogger as logger } from './__fixtures__/places.ts'
import type { Database } from './database.ts'
import { openDatabase } from './open-database.ts'
import { type Queries, START_TABLES } from './queries.ts'

const places = await databasePlaces()

describe.each(places)('queries on $name', ({ name, create }) => {
  async function open(): Promise<{ database: Database } & AsyncDisposable> {
    const place = await create()
    const database = await openDatabase({ ...place.options, appVersion: '1.0.0', logger, clock: systemClock })
    return {
      database,
      async [Symbol.asyncDispose]() {
        await database.close()
        await place.close()
      },
    }
  }
  const put = (queries: Queries, key: string, value = 'v'): Promise<number> =>
    queries.change((db, { instance }) => db.insert(instance).values({ key, value, updatedAt: 1 }).onConflictDoNothing())
  const readValue = async (queries: Queries, key: string): Promise<string | undefined> => {
    const [row] = await queries.rows((db, { instance }) => db.select().from(instance).where(eq(instance.key, key)))
    return row?.value
  }

  it('give typed rows, and how many rows they have written', async () => {
    await using world = await open()
    const { queries } = world.database
    expect([await put(queries, 'a'), await put(queries, 'a'), await put(queries, 'b')]).toEqual([1, 0, 1])
    const [row] = await queries.rows((db, { instance }) => db.select().from(instance).where(eq(instance.key, 'a')))
    expect(row).toEqual({ key: 'a', value: 'v', updatedAt: 1 })
    const both = await queries.change((db, { instance }) =>
      db.update(instance).set({ value: 'w' }).where(eq(instance.updatedAt, 1)),
    )
    expect(both).toBe(2)
    expect(await queries.change((db, { instance }) => db.delete(instance).where(eq(instance.key, 'none')))).toBe(0)
  })

  it('tell whether a table that a start looks into has rows', async () => {
    await using world = await open()
    const { queries } = world.database
    for (const table of START_TABLES.filter((name) => name !== 'instance')) {
      expect(await queries.holdsRows(table), table).toBe(false)
    }
    await put(queries, 'a')
    expect(await queries.holdsRows('instance')).toBe(true)
    expect(await queries.readFact('a')).toBe('v')
  })

  it('of a transaction are done together or not at all', async () => {
    await using world = await open()
    const { queries } = world.database
    const result = await queries.transaction(async (transaction) => {
      await put(transaction, 'a')
      expect(await readValue(transaction, 'a')).toBe('v')
      return (await put(transaction, 'b')) + 1
    })
    expect([result, await readValue(queries, 'a'), await readValue(queries, 'b')]).toEqual([2, 'v', 'v'])
    const failure = new SvcError('conflict', 'taken')
    await expect(
      queries.transaction(async (transaction) => {
        await put(transaction, 'c')
        throw failure
      }),
    ).rejects.toBe(failure)
    expect(await readValue(queries, 'c')).toBeUndefined()
    await expect(
      queries.transaction(async (transaction) => {
        await put(transaction, 'd')
        await transaction.change((db, { instance }) =>
          db.insert(instance).values({ key: 'a', value: 'x', updatedAt: 1 }),
        )
      }),
    ).rejects.toMatchObject({ code: 'database_failed' })
    expect([await readValue(queries, 'd'), await readValue(queries, 'a')]).toEqual([undefined, 'v'])
    expect(await put(queries, 'e'), 'and the next one works').toBe(1)
  })

  it('that arrive during a transaction are not part of it', async () => {
    await using world = await open()
    const { queries } = world.database
    const begun = createDeferred<void>()
    const goOn = createDeferred<void>()
    const undone = queries
      .transaction(async (transaction) => {
        await put(transaction, 'inside')
        begun.resolve()
        await goOn.promise
        throw new SvcError('cancelled', 'changed its mind')
      })
      .catch((error: unknown) => error)
    await begun.promise
    const outside = put(queries, 'outside')
    setImmediate(() => goOn.resolve())
    expect(await outside).toBe(1)
    expect(await undone).toMatchObject({ kind: 'cancelled' })
    expect([await readValue(queries, 'inside'), await readValue(queries, 'outside')]).toEqual([undefined, 'v'])
  })

  it('run one after the other in parallel transactions without losing any', async () => {
    await using world = await open()
    const { queries } = world.database
    await put(queries, 'counter', '0')
    const add = (): Promise<void> =>
      queries.transaction(async (transaction) => {
        const changed = await transaction.change((db, { instance }) =>
          db.update(instance).set({ updatedAt: 2 }).where(eq(instance.key, 'counter')),
        )
        expect(changed).toBe(1)
        const value = Number(await readValue(transaction, 'counter')) + 1
        await transaction.change((db, { instance }) =>
          db
            .update(instance)
            .set({ value: String(value) })
            .where(eq(instance.key, 'counter')),
        )
      })
    await Promise.all(Array.from({ length: 20 }, add))
    expect(await readValue(queries, 'counter')).toBe('20')
  })

  it.runIf(name === 'postgres')('of a server that went silent in a transaction do not keep its locks', async () => {
    await using world = await open()
    const { queries } = world.database
    const limit = sql<string>`current_setting('idle_in_transaction_session_timeout')`
    const limits = await queries.transaction(async (transaction) => {
      await put(transaction, 'a')
      return transaction.rows((db, { instance }) => db.select({ limit }).from(instance).where(eq(instance.key, 'a')))
    })
    expect(limits).toEqual([{ limit: '30s' }])
  })

  it('of a transaction fail with the error of the statement that failed first', async () => {
    await using world = await open()
    const { queries } = world.database
    await put(queries, 'a')
    const failure = new SvcError('conflict', 'taken')
    const work = queries.transaction((transaction) =>
      transaction
        .change((db, { instance }) => db.insert(instance).values({ key: 'a', value: 'x', updatedAt: 1 }))
        .catch(() => Promise.reject(failure)),
    )
    await expect(work).rejects.toBe(failure)
  })

  it("report failures without the database's words", async () => {
    await using world = await open()
    const { queries } = world.database
    await put(queries, 'secret-key')
    const again = queries.change((db, { instance }) =>
      db.insert(instance).values({ key: 'secret-key', value: 'x', updatedAt: 1 }),
    )
    await expect(again).rejects.toMatchObject({
      kind: 'internal',
      code: 'database_failed',
      message: 'the database failed',
    })
  })
})
