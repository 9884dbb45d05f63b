import { SvcError } from '@svc/errors'
import { expect, it } from 'vitest'
import { systemClock } from '../../clock.ts'
import { databasePlaces, silentLogger } from '../../db/__fixtures__/places.ts'
import { openDatabase } from '../../db/open-database.ts'
import type { NodeRecord } from './node-record.ts'
import { createPendingOps, orLater } from './pending-ops.ts'

const { signal } = new AbortController()
const away = () => new SvcError('unavailable', 'the worker does not answer', { code: 'node_unreachable' })

it.each(await databasePlaces())('changes wait for their worker on $name', async ({ create }) => {
  const place = await create()
  const database = await openDatabase({
    ...place.options,
    appVersion: '1.0.0',
    logger: silentLogger,
    clock: systemClock,
  })
  let status: NodeRecord['status'] = 'offline'
  let failure: Error | undefined
  const done: string[] = []
  const note = async (what: string): Promise<void> => {
    done.push(what)
    if (failure !== undefined) throw failure
  }
  const pending = createPendingOps({
    database,
    nodes: { list: async () => [{ id: 'n1', status } as NodeRecord] },
    calls: {
      install: (id, { backend }) => note(`install ${backend} on ${id}`),
      upgrade: (id, { backend }) => note(`upgrade ${backend} on ${id}`),
      deleteBackend: (id, backend) => note(`delete ${backend} on ${id}`),
    },
    logger: silentLogger,
    timeoutMs: 1000,
  })
  const rows = () => database.queries.rows((db, { pendingBackendOps: table }) => db.select().from(table))

  await pending.add('n1', 'upgrade', { backend: 'b' })
  await pending.add('n1', 'upgrade', { backend: 'b' })
  await pending.retry(signal)
  expect([done, (await rows()).length]).toEqual([[], 1])
  status = 'healthy'
  failure = away()
  await pending.retry(signal)
  expect(done).toEqual(['upgrade b on n1'])
  expect(await rows()).toMatchObject([{ attempts: 1, error: 'the worker does not answer' }])
  // It rests for a while.
  await pending.retry(signal)
  expect(done).toHaveLength(1)
  failure = undefined
  await pending.add('n1', 'upgrade', { backend: 'b' })
  await pending.add('n1', 'delete', { backend: 'c' })
  await pending.retry(signal)
  expect([done.slice(1).sort(), await rows()]).toEqual([['delete c on n1', 'upgrade b on n1'], []])
  await pending.add('n1', 'install', { backend: 'd' })
  failure = new Error('it does not exist')
  await database.queries.change((db, { pendingBackendOps: table }) => db.update(table).set({ attempts: 9 }))
  await pending.retry(signal)
  expect([done.slice(3), await rows()]).toEqual([['install d on n1'], []])
  await database.close()
  await place.close()
})

it('a change that no worker was asked for is kept, and its error says so', async () => {
  let kept = 0
  const keep = async (): Promise<void> => {
    kept += 1
  }
  const fail = (error: Error) => orLater(() => Promise.reject(error), keep)
  await expect(fail(new SvcError('upstream_failed', 'no room'))).rejects.toThrow('no room')
  expect(kept).toBe(0)
  await expect(fail(away())).rejects.toMatchObject({
    code: 'node_unreachable',
    message: 'the worker does not answer; the change is made when the worker is there',
  })
  expect(kept).toBe(1)
})
