import { SvcError } from '@svc/errors'
import { createDeferred, createFakeClock, patience } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createBus } from '../bus/create-bus.ts'
import { systemClock } from '../clock.ts'
import { databasePlaces, silentLogger } from '../db/__fixtures__/places.ts'
import { openDatabase } from '../db/open-database.ts'
import type { OperationRequest } from './operation.ts'
import { openOperations } from './operation-queue.ts'
import { createOperationStore, type OperationStore } from './operation-store.ts'
import type { Operations, OperationWork } from './operations.ts'

const places = await databasePlaces()
const createTestBus = () => createBus({ logger: silentLogger })

const install = (fullName: string, details: OperationRequest['details'] = {}): OperationRequest => ({
  subject: 'model',
  action: 'installation',
  fullName,
  details,
})

interface World extends AsyncDisposable {
  readonly store: OperationStore
  readonly operations: Operations
  /** Work that has been started, in order. */
  readonly started: { readonly work: OperationWork; end(error?: Error): void }[]
}

describe.each(places)('operations on $name', ({ create }) => {
  async function open({ concurrency = 4, isStarted = true, maxQueued = 1000 } = {}): Promise<World> {
    const place = await create()
    const database = await openDatabase({
      ...place.options,
      appVersion: '1.0.0',
      logger: silentLogger,
      clock: systemClock,
    })
    const store = createOperationStore({ database, owner: 'me' })
    const operations = await openOperations({
      store,
      clock: systemClock,
      logger: silentLogger,
      concurrency,
      maxQueued,
      bus: createTestBus(),
    })
    const started: World['started'] = []
    operations.register('model', 'installation', async (work) => {
      const { promise, resolve, reject } = createDeferred()
      started.push({ work, end: (error) => (error === undefined ? resolve() : reject(error)) })
      work.signal.addEventListener('abort', () => reject(work.signal.reason))
      await promise
    })
    if (isStarted) operations.start()
    return {
      store,
      operations,
      started,
      async [Symbol.asyncDispose]() {
        await operations.close()
        await database.close()
        await place.close()
      },
    }
  }

  it('join the same change, and let another change of the object wait', async () => {
    await using world = await open()
    const first = await world.operations.enqueue(install('G@one'))
    expect((await world.operations.enqueue(install('g@ONE'))).jobId).toBe(first.jobId)
    const other = await world.operations.enqueue(install('g@one', { variant: 'small' }))
    expect(other.jobId).not.toBe(first.jobId)
    await expect.poll(() => world.started.length).toBe(1)
    expect(world.operations.list().map(({ state }) => state)).toEqual(['running', 'queued'])
    world.started[0]?.end()
    await expect.poll(() => world.started.length).toBe(2)
    expect(world.started[1]?.work.details).toEqual({ variant: 'small' })
  })

  it('do not start before they are stored', async () => {
    await using world = await open({ isStarted: false })
    const [stored, first] = [createDeferred(), createDeferred()]
    const operations = await openOperations({
      store: {
        ...world.store,
        async insert(operation, options) {
          if (operation.details.variant !== undefined) await stored.promise
          return world.store.insert(operation, options)
        },
      },
      ...{ bus: createTestBus(), clock: systemClock, logger: silentLogger, concurrency: 1 },
    })
    operations.register('model', 'installation', async ({ details }) => {
      if (details.variant !== undefined) throw new Error('no room')
      await first.promise
    })
    operations.start()
    await operations.enqueue(install('one'))
    const second = operations.enqueue(install('one', { variant: 'small' }))
    await expect.poll(() => operations.list().map(({ state }) => state)).toEqual(['running', 'queued'])
    first.resolve()
    await expect.poll(() => operations.list().map(({ state }) => state)).toEqual(['queued'])
    stored.resolve()
    const { jobId } = await second
    await expect.poll(() => operations.list()).toMatchObject([{ jobId, state: 'failed', error: 'no room' }])
    await operations.close()
  })

  it('that are cancelled before they are stored have ended in the database too', async () => {
    await using world = await open({ isStarted: false })
    const stored = createDeferred()
    const operations = await openOperations({
      store: {
        ...world.store,
        async insert(operation, options) {
          await stored.promise
          return world.store.insert(operation, options)
        },
      },
      ...{ bus: createTestBus(), clock: systemClock, logger: silentLogger },
    })
    operations.start()
    const asked = operations.enqueue(install('one'))
    const [jobId = ''] = operations.list().map((view) => view.jobId)
    const cancelled = operations.cancel(jobId)
    stored.resolve()
    expect((await asked).jobId).toBe(jobId)
    await cancelled
    expect(await world.store.unfinished()).toEqual([])
    expect((await operations.find(jobId))?.state).toBe('cancelled')
    await operations.close()
  })

  it('survive a restart while they wait, with what they are to do', async () => {
    await using world = await open({ isStarted: false })
    await world.operations.enqueue(install('one', { url: 'https://a' }))
    await world.operations.enqueue(install('two'))
    const next = await openOperations({
      store: world.store,
      bus: createTestBus(),
      clock: systemClock,
      logger: silentLogger,
      concurrency: 1,
    })
    const done: string[] = []
    next.register('model', 'installation', async ({ fullName, details }) => {
      done.push(`${fullName} ${JSON.stringify(details)}`)
    })
    next.start()
    await expect.poll(() => done).toEqual(['one {"url":"https://a"}', 'two {}'])
    await expect.poll(async () => (await next.history()).map(({ fullName }) => fullName)).toEqual(['two', 'one'])
    await next.close()
  })

  it.each(['a stop', 'a kill'])('that run go on by themselves after %s, and removals do not', async (how) => {
    await using world = await open({ concurrency: 1 })
    const { jobId } = await world.operations.enqueue(install('one', { url: 'https://a' }))
    await world.operations.enqueue(install('two'))
    await expect.poll(() => world.started.length).toBe(1)
    if (how === 'a stop') await world.operations.close()
    const next = await openOperations({
      store: world.store,
      bus: createTestBus(),
      clock: systemClock,
      logger: silentLogger,
      concurrency: 1,
    })
    expect(next.list()).toMatchObject([
      { jobId, state: 'queued', startedAt: undefined, error: undefined },
      { fullName: 'two', state: 'queued' },
    ])
    expect((await next.enqueue(install('one', { url: 'https://a' }))).jobId).toBe(jobId)
    const done: string[] = []
    next.register('model', 'installation', async ({ fullName, details }) => {
      done.push(`${fullName} ${JSON.stringify(details)}`)
    })
    next.start()
    await expect.poll(() => done).toEqual(['one {"url":"https://a"}', 'two {}'])
    await expect.poll(async () => (await next.history()).map(({ state }) => state)).toEqual(['completed', 'completed'])
    await next.close()
  })

  /** Starts the queue anew as often as a server does that ends while its installation runs. */
  async function restartOften(
    world: World,
    {
      starts,
      bytes,
      how,
    }: { readonly starts: number; readonly bytes: (run: number) => number; readonly how: 'kill' | 'stop' },
  ): Promise<readonly string[]> {
    const states: string[] = []
    let reached = 0
    for (let run = 1; run <= starts; run += 1) {
      const next = await openOperations({
        store: world.store,
        bus: createTestBus(),
        clock: systemClock,
        logger: silentLogger,
      })
      const [resumed] = next.list()
      states.push(resumed?.state ?? 'none')
      if (resumed?.state !== 'queued') break
      next.register('model', 'installation', async ({ report, signal }) => {
        report({ phase: 'Downloading', currentBytes: bytes(run) })
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      })
      next.start()
      await expect.poll(async () => (await world.store.find(resumed.jobId))?.state).toBe('running')
      const { jobId } = resumed
      const stored = async (): Promise<number> => (await world.store.find(jobId))?.resumes?.bytes ?? 0
      if (bytes(run) >= reached + 64 * 1024) {
        reached = bytes(run)
        await expect.poll(stored).toBe(reached)
      }
      if (how === 'stop') await next.close()
    }
    return states
  }

  // verifies operation:restart:bounded
  it.each<[string, (run: number) => number]>([
    ['gets nothing', () => 0],
    ['gets as far as before', () => 500_000],
    ['gets hardly further', (run) => 500_000 + run],
  ])('that %s in three resumes is failed, and can be tried again', async (_what, bytes) => {
    await using world = await open()
    const details = { url: 'https://a' }
    const { jobId } = await world.operations.enqueue(install('one', details))
    await expect.poll(async () => (await world.store.find(jobId))?.state).toBe('running')
    const states = await restartOften(world, { starts: 9, bytes, how: 'kill' })
    const most = bytes(1) === 0 ? 3 : 4
    expect(states).toEqual([...Array(most).fill('queued'), 'failed'])
    expect(await world.store.find(jobId)).toMatchObject({ state: 'failed', error: 'interrupted by restart', details })
    const last = await openOperations({
      store: world.store,
      bus: createTestBus(),
      clock: systemClock,
      logger: silentLogger,
    })
    const again = await last.enqueue(install('one', details))
    expect(again.jobId).not.toBe(jobId)
    expect(last.list()).toMatchObject([{ jobId: again.jobId, state: 'queued', details }])
    await last.close()
  })

  it.each<[string, (run: number) => number, 'kill' | 'stop']>([
    ['gets further each time', (run) => run * 100_000, 'kill'],
    ['is stopped in order', () => 0, 'stop'],
  ])('that %s is resumed however often', async (_what, bytes, how) => {
    await using world = await open()
    const { jobId } = await world.operations.enqueue(install('one', { url: 'https://a' }))
    await expect.poll(async () => (await world.store.find(jobId))?.state).toBe('running')
    expect(await restartOften(world, { starts: 7, bytes, how })).toEqual(Array(7).fill('queued'))
    expect(await world.store.find(jobId)).toMatchObject({ details: { url: 'https://a' } })
  })

  it('that were done when the server ended are complete, and run no second time', async () => {
    await using world = await open()
    const { jobId } = await world.operations.enqueue(install('one'))
    await expect.poll(() => world.started.length).toBe(1)
    const ended: string[] = []
    const next = await openOperations({
      store: world.store,
      bus: createTestBus(),
      clock: systemClock,
      logger: silentLogger,
      wasCommitted: async (operation) => operation.jobId === jobId,
      onEnd: ({ state }) => ended.push(state),
    })
    next.register('model', 'installation', () => expect.unreachable('it is done'))
    next.start()
    expect(next.list()).toEqual([])
    expect(await next.history()).toMatchObject([{ jobId, state: 'completed', finishedAt: expect.any(Number) }])
    expect(ended).toEqual(['completed'])
    await next.close()
  })

  // verifies operation:restart:removal
  it('that remove something are failed after a restart: nobody knows how far they came', async () => {
    await using world = await open()
    const removing = createDeferred()
    world.operations.register('model', 'deletion', () => removing.promise)
    const { jobId } = await world.operations.enqueue({ ...install('one'), action: 'deletion' })
    await expect.poll(async () => (await world.store.find(jobId))?.state).toBe('running')
    const next = await openOperations({
      store: world.store,
      bus: createTestBus(),
      clock: systemClock,
      logger: silentLogger,
    })
    expect(next.list()).toMatchObject([{ jobId, state: 'failed', error: 'interrupted by restart' }])
    await next.close()
    removing.resolve()
  })

  it('tell how fast the data comes and how long the rest takes', async () => {
    await using world = await open()
    await world.operations.enqueue(install('one'))
    await expect.poll(() => world.started.length).toBe(1)
    const work = world.started[0]?.work
    const report = (currentBytes: number, receivedBytes: number): void =>
      work?.report({ phase: 'Downloading', currentBytes, totalBytes: 9000, receivedBytes })
    report(5000, 0)
    expect(world.operations.list()).toMatchObject([{ rate: {} }])
    await expect
      .poll(() => {
        report(6000, 1000)
        return world.operations.list()[0]?.rate.secondsLeft
      })
      .toBeGreaterThan(0)
    work?.report({ phase: 'Verifying' })
    expect(world.operations.list()).toMatchObject([{ rate: {} }])
  })

  it('show real progress that never goes back, and tell those who wait for it', async () => {
    await using world = await open()
    const { jobId } = await world.operations.enqueue(install('one'))
    await expect.poll(() => world.started.length).toBe(1)
    const work = world.started[0]?.work
    const percent = (): number | undefined => world.operations.list()[0]?.progress.percent
    const signal = patience()
    const seen = (await world.operations.find(jobId))?.progress
    if (seen === undefined) throw new Error('the operation is not listed')
    const changed = world.operations.waitForChange(jobId, seen, { signal })
    work?.report({ phase: 'Downloading', message: 'x.gguf', currentBytes: 50, totalBytes: 100 })
    await changed
    expect(percent()).toBe(45)
    work?.report({ currentBytes: 20 })
    expect(percent()).toBe(45)
    work?.report({ currentBytes: 100 })
    expect(percent()).toBe(90)
    work?.report({ phase: 'Finalizing' })
    expect(percent()).toBe(99)
    const last = (await world.operations.find(jobId))?.progress ?? seen
    const ended = world.operations.waitForChange(jobId, last, { signal })
    world.started[0]?.end()
    await ended
    expect(await world.operations.find(jobId)).toMatchObject({ state: 'completed', progress: { percent: 100 } })
  })

  it('keep apart what belongs to other servers of the database', async () => {
    await using world = await open()
    await world.operations.enqueue(install('mine'))
    expect(await world.operations.find('nothing')).toBeUndefined()
    await expect.poll(() => world.started.length).toBe(1)
    world.started[0]?.end(new SvcError('upstream_failed', 'the origin is gone'))
    await expect.poll(() => world.operations.list()[0]?.error).toBe('the origin is gone')
    await world.operations.enqueue(install('mine'))
    expect(await world.operations.history()).toMatchObject([{ state: 'dismissed', error: 'the origin is gone' }])
  })

  // verifies operation:cancel:removal
  it('that remove something run to their end once they have begun', async () => {
    await using world = await open()
    const removing = createDeferred()
    let wasAborted = false
    world.operations.register('model', 'deletion', async ({ signal }) => {
      signal.addEventListener('abort', () => {
        wasAborted = true
      })
      await removing.promise
    })
    const { jobId } = await world.operations.enqueue({ ...install('one'), action: 'deletion' })
    await expect.poll(() => world.operations.list()[0]?.state).toBe('running')
    expect(world.operations.list()).toMatchObject([{ jobId, cancellable: false }])
    for (const stop of ['cancel', 'pause'] as const) {
      await expect(world.operations[stop](jobId)).rejects.toMatchObject({
        kind: 'invalid_request',
        code: 'operation_not_cancellable',
        message: expect.stringContaining('a running removal cannot be interrupted'),
      })
    }
    removing.resolve()
    await expect.poll(() => world.operations.list()).toEqual([])
    expect(await world.operations.history()).toMatchObject([{ jobId, state: 'completed' }])
    expect(wasAborted).toBe(false)
  })

  // verifies operation:staging:not-listed
  it('list staging that runs elsewhere, and never record it', async () => {
    await using world = await open()
    const node = { nodeId: 'n', nodeName: 'worker', status: 'Worker busy', percent: 3 } as const
    world.operations.addStaging(() => [
      { jobId: 'staging:m', fullName: 'm', progress: { percent: 3, message: '' }, nodes: [node] },
    ])
    expect(world.operations.staging()).toMatchObject([{ jobId: 'staging:m' }])
    await expect(world.operations.cancel('staging:m')).rejects.toMatchObject({ code: 'operation_not_found' })
    await world.operations.dismiss('staging:m')
    expect([world.operations.list(), await world.operations.history()]).toEqual([[], []])
  })

  it('refuse more than can wait', async () => {
    await using world = await open({ isStarted: false, maxQueued: 3 })
    for (let index = 0; index < 3; index += 1) await world.operations.enqueue(install(`m-${index}`))
    await expect(world.operations.enqueue(install('one more'))).rejects.toMatchObject({ code: 'too_many_operations' })
  })
})

it('an end that the database does not take is written once it does', async () => {
  const clock = createFakeClock()
  const saved: string[] = []
  let isAway = false
  const store: OperationStore = {
    unfinished: async () => [],
    history: async () => [],
    find: async () => undefined,
    insert: async () => undefined,
    clear: async () => undefined,
    async start({ state }) {
      saved.push(state)
      return true
    },
    async save({ state }) {
      if (isAway) throw new SvcError('unavailable', 'the database is away')
      saved.push(state)
    },
  }
  const operations = await openOperations({ store, bus: createTestBus(), clock, logger: silentLogger })
  operations.register('model', 'installation', async () => {
    isAway = true
  })
  operations.start()
  await operations.enqueue(install('one'))
  await clock.waitForSleepers(1)
  expect([saved, operations.list()[0]?.state]).toEqual([['running'], 'running'])
  isAway = false
  await clock.advance(1000)
  await expect.poll(() => [saved, operations.list()]).toEqual([['running', 'completed'], []])
  await operations.close()
})
