import { writeFile } from 'node:fs/promises'
import { SvcError } from '@svc/errors'
import { createFakeClock, tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import type { Database } from '../db/database.ts'
import { createReadiness, type ReadinessParts } from './readiness.ts'

/** A database that answers, is away, or does not answer. */
function database(look: () => unknown): Pick<Database, 'queries'> {
  return { queries: { holdsRows: async () => look() } as unknown as Database['queries'] }
}

async function world(parts: Partial<ReadinessParts> = {}) {
  const dir = await tempDir()
  const clock = createFakeClock()
  const readiness = createReadiness({
    passing: () => undefined,
    lock: { lossReason: () => undefined },
    dataPath: dir.path,
    database: database(() => []),
    clock,
    ...parts,
  })
  return { readiness, clock, dir, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() }
}

it('is ready where data can be written and the database answers', async () => {
  await using here = await world()
  expect(await here.readiness.look()).toBeUndefined()
})

it('reports that nothing can be written into the data folder', async () => {
  await using dir = await tempDir()
  await writeFile(dir.join('file'), '')
  await using here = await world({ dataPath: dir.join('file') })
  const reason = 'the data folder takes nothing: its folder is not a folder'
  expect(await here.readiness.look()).toEqual({ status: 'degraded', reason })
})

it('says that the database is away, or does not answer', async () => {
  const away = new SvcError('unavailable', 'the database cannot be reached')
  await using here = await world({ database: database(() => Promise.reject(away)) })
  expect((await here.readiness.look())?.reason).toMatch(/^the database is away: /)
  await using slow = await world({ database: database(() => new Promise(() => undefined)) })
  const looked = slow.readiness.look()
  await slow.clock.waitForSleepers(1)
  await slow.clock.advance(2000)
  expect((await looked)?.reason).toBe('the database does not answer within 2000 ms')
})

it('looks once a second at most', async () => {
  let looks = 0
  await using here = await world({
    database: database(() => {
      looks += 1
      return []
    }),
  })
  await Promise.all(Array.from({ length: 20 }, () => here.readiness.look()))
  expect(looks).toBe(1)
  await here.clock.advance(1001)
  await here.readiness.look()
  expect(looks).toBe(2)
})

it('names the engines without which it goes on', async () => {
  await using here = await world({ isBusConnected: () => false, storageTrouble: () => 'the object storage failed' })
  expect(await here.readiness.look()).toBeUndefined()
  expect(here.readiness.slowness()).toEqual({
    status: 'degraded',
    reason: 'the message bus is not connected; the object storage failed',
    missing: ['nats', 'storage'],
  })
  await using away = await world({
    database: database(() => Promise.reject(new Error('gone'))),
    storageTrouble: () => 'the object storage failed',
  })
  expect((await away.readiness.look())?.missing).toEqual(['database', 'storage'])
})
