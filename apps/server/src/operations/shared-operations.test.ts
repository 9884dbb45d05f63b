import { createDeferred, eventually } from '@svc/test-kit'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLocalHub } from '../bus/__fixtures__/local-hub.ts'
import { createBus } from '../bus/create-bus.ts'
import { systemClock } from '../clock.ts'
import { createFrontEndLease } from '../cluster/front-ends/front-end-lease.ts'
import { useDatabase } from '../cluster/loads/__fixtures__/use-database.ts'
import { databasePlaces, silentLogger } from '../db/__fixtures__/places.ts'
import { claimOperations } from './claimed-operations.ts'
import { createForeignOperations, describeProgress } from './foreign-operations.ts'
import { openOperations } from './operation-queue.ts'
import { createOperationStore } from './operation-store.ts'
import type { Operations, PerformOperation } from './operations.ts'
import { createSharedOperations } from './shared-operations.ts'

const [logger, clock] = [silentLogger, systemClock]
const { signal } = new AbortController()
const places = await databasePlaces()

describe.each(places)('operations of two front ends on $name', ({ create }) => {
  const database = useDatabase(create)
  const hub = createLocalHub()
  let [one, two]: Front[] = []

  interface Front {
    readonly id: string
    readonly operations: Operations
    readonly renew: () => Promise<void>
  }

  const untilAborted: PerformOperation = async (work) => {
    work.report({ phase: 'Downloading', message: 'half', currentBytes: 1, totalBytes: 2 })
    const { promise, reject } = createDeferred()
    work.signal.addEventListener('abort', () => reject(work.signal.reason))
    await promise
  }

  async function open(id: string): Promise<Front> {
    const bus = createBus({ link: hub.link(), logger })
    const own = await openOperations({
      store: claimOperations(createOperationStore({ database: database(), owner: id }), {
        database: database(),
        owner: id,
        sharesModels: false,
      }),
      bus,
      clock,
      logger,
    })
    const lease = createFrontEndLease({
      database: database(),
      id,
      readProgress: () => describeProgress(own.list()),
      clock,
      logger,
    })
    await lease.renew()
    const foreign = createForeignOperations(database(), id)
    const operations = createSharedOperations({ own, foreign, bus, clock, logger })
    operations.register('model', 'installation', untilAborted)
    operations.register('model', 'deletion', () => Promise.reject(new Error('broken')))
    operations.start()
    return { id, operations, renew: lease.renew }
  }
  const fronts = (): [Front, Front] => [one ?? expect.unreachable(), two ?? expect.unreachable()]
  const begin = (front: Front, action: 'installation' | 'deletion', fullName: string) =>
    front.operations.enqueue({ subject: 'model', action, fullName, details: {} })

  beforeAll(async () => {
    one = await open('one')
    two = await open('two')
  })
  afterAll(() => Promise.all(fronts().map(({ operations }) => operations.close())))

  // verifies operations:history:clear-replicas
  it('are listed with their progress, and ended from either', async () => {
    const [here, there] = fronts()
    const { jobId } = await begin(there, 'installation', 'g@m')
    const shown = () => here.operations.list().find((view) => view.jobId === jobId)
    await eventually(async () => {
      await there.renew()
      expect(await here.operations.find(jobId)).toMatchObject({
        state: 'running',
        progress: { percent: 45, message: 'half' },
        cancellable: true,
      })
    })
    await eventually(() => expect(shown()?.state).toBe('running'))
    const ended = here.operations.waitForEnd(jobId, { signal })
    await here.operations.pause(jobId)
    expect((await ended)?.state).toBe('paused')
    expect((await there.operations.find(jobId))?.state).toBe('paused')
    expect([shown(), (await here.operations.history()).map((each) => each.jobId)]).toEqual([undefined, [jobId]])
    await expect(here.operations.cancel(jobId)).rejects.toMatchObject({ code: 'operation_not_found' })
    await expect(here.operations.cancel('unknown')).rejects.toMatchObject({ code: 'operation_not_found' })
    await here.operations.clearHistory()
    expect(await there.operations.history()).toEqual([])
  })

  it('run once where both are asked at the same time, unless the configuration wants it here', async () => {
    const asked = await Promise.all([...fronts(), ...fronts()].map((front) => begin(front, 'installation', 'g@twice')))
    const [jobId = ''] = asked.map((operation) => operation.jobId)
    expect(new Set(asked.map((operation) => operation.jobId))).toEqual(new Set([jobId]))
    const [here, there] = fronts()
    const other = here.operations.list().some((view) => view.jobId === jobId) ? there : here
    const own = await other.operations.enqueue(
      { subject: 'model', action: 'installation', fullName: 'G@Twice', details: {} },
      { isHere: true },
    )
    expect(own.jobId).not.toBe(jobId)
    await eventually(async () => expect((await other.operations.find(own.jobId))?.state).toBe('running'))
    await other.operations.cancel(own.jobId)
    await other.operations.cancel(jobId)
    await here.operations.clearHistory()
  })

  it('wait while the other front end changes the same object', async () => {
    const [here, there] = fronts()
    const first = await begin(there, 'installation', 'g@busy')
    const second = await begin(here, 'deletion', 'g@busy')
    const stateOf = async () => (await here.operations.find(second.jobId))?.state
    await eventually(async () => expect((await here.operations.find(first.jobId))?.state).toBe('running'))
    expect(await stateOf()).not.toBe('failed')
    await there.operations.cancel(first.jobId)
    await eventually(async () => expect(await stateOf()).toBe('failed'))
    await here.operations.dismiss(second.jobId)
    await here.operations.clearHistory()
    await eventually(() => expect(there.operations.list()).toEqual([]))
  })

  it('that failed are dismissed from either', async () => {
    const [here, there] = fronts()
    const { jobId } = await begin(there, 'deletion', 'g@gone')
    await eventually(async () =>
      expect(await here.operations.find(jobId)).toMatchObject({ state: 'failed', error: 'broken' }),
    )
    await here.operations.dismiss(jobId)
    expect((await there.operations.find(jobId))?.state).toBe('dismissed')
    expect(there.operations.list()).toEqual([])
  })

  it('of a front end that is gone have failed, and are dismissed without it', async () => {
    const [here, there] = fronts()
    const { jobId } = await begin(there, 'installation', 'g@cut')
    await eventually(async () => expect((await here.operations.find(jobId))?.state).toBe('running'))
    await database().queries.change((db, { frontEnds }) =>
      db.update(frontEnds).set({ leaseUntil: 0 }).where(eq(frontEnds.id, there.id)),
    )
    expect(await here.operations.find(jobId)).toMatchObject({
      state: 'failed',
      error: 'the server that ran it is gone',
      cancellable: false,
    })
    await expect(here.operations.pause(jobId)).rejects.toMatchObject({ code: 'operation_not_found' })
    await there.renew()
    expect((await here.operations.find(jobId))?.state).toBe('running')
    await database().queries.change((db, { frontEnds }) => db.delete(frontEnds).where(eq(frontEnds.id, there.id)))
    await here.operations.dismiss(jobId)
    expect((await here.operations.find(jobId))?.state).toBe('dismissed')
    await eventually(() => expect(here.operations.list()).toEqual([]))
  })
})
