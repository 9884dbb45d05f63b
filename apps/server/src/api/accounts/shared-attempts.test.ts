import { createDeferred, eventually } from '@svc/test-kit'
import { describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../clock.ts'
import { useDatabase } from '../../cluster/loads/__fixtures__/use-database.ts'
import { databasePlaces, silentLogger as logger } from '../../db/__fixtures__/places.ts'
import { createSharedAttemptLimiter } from './shared-attempts.ts'

const places = await databasePlaces()
const { signal } = new AbortController()

describe.each(places)('attempts at two front ends on $name', ({ create }) => {
  const database = useDatabase(create)
  const open = () => createSharedAttemptLimiter({ database: database(), clock: systemClock, logger })
  const rows = () => database().queries.rows((db, { signInAttempts }) => db.select().from(signInAttempts))

  it('fail as often as the limit allows, and no oftener', async () => {
    const limiters = [open(), open()]
    const budgets = [{ name: 'address:1', perMinute: 5 }]
    const tries = Array.from({ length: 20 }, async (_, index) => {
      const attempt = await limiters[index % 2]?.begin(budgets, { signal })
      attempt?.end(true)
    })
    const ends = await Promise.allSettled(tries)
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    expect(ends.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'too_many_attempts', retryAfterMs: expect.any(Number) },
    })
    const known = [{ name: 'address:1', perMinute: 5, isExempt: async () => true }]
    const attempt = await open().begin(known, { signal })
    attempt.end(false)
  })

  it('wait for one that is under way at the other, and forget one of a server that was killed', async () => {
    const budgets = [{ name: 'account:a', perMinute: 1 }]
    const first = await open().begin(budgets, { signal })
    const begun = createDeferred<void>()
    const second = open().begin(budgets, { signal })
    second.then(() => begun.resolve()).catch(begun.reject)
    first.end(false)
    await begun.promise
    // The second one never ends: its server was killed.
    await database().queries.change((db, { signInAttempts }) => db.update(signInAttempts).set({ endsAt: 1 }))
    const third = await open().begin(budgets, { signal })
    third.end(true)
    await expect(open().begin(budgets, { signal })).rejects.toMatchObject({ code: 'too_many_attempts' })
  })

  it('count a failure that comes after its place was given to others', async () => {
    const budgets = [{ name: 'account:slow', perMinute: 1 }]
    const slow = await open().begin(budgets, { signal })
    await database().queries.change((db, { signInAttempts }) => db.update(signInAttempts).set({ endsAt: 1 }))
    const other = await open().begin(budgets, { signal })
    other.end(false)
    slow.end(true)
    await eventually(async () => expect(await rows()).toMatchObject([{ isFailed: 1 }]))
    await expect(open().begin(budgets, { signal })).rejects.toMatchObject({ code: 'too_many_attempts' })
  })

  it('ask once whether a budget holds, however long they wait', async () => {
    const first = await open().begin([{ name: 'account:b', perMinute: 1 }], { signal })
    const isExempt = vi.fn(async () => false)
    const waiting = open().begin([{ name: 'account:b', perMinute: 1, isExempt }], { signal })
    await eventually(() => expect(isExempt).toHaveBeenCalled())
    await systemClock.sleep(500, { signal })
    first.end(false)
    const second = await waiting
    second.end(false)
    expect(isExempt).toHaveBeenCalledTimes(1)
    await eventually(async () => expect((await rows()).filter(({ isFailed }) => isFailed === 0)).toEqual([]))
  })
})
