import { createDeferred, eventually } from '@svc/test-kit'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { databasePlaces, silentLogger } from '../../db/__fixtures__/places.ts'
import { useDatabase } from '../loads/__fixtures__/use-database.ts'
import { createWorld } from './__fixtures__/reconciler-world.ts'
import type { WantedRevision } from './old-replicas.ts'
import { createReplicaRetirement } from './retire-replicas.ts'

describe.each(await databasePlaces())('replicas of changed models on $name', ({ create }) => {
  const database = useDatabase(create)
  let world: Awaited<ReturnType<typeof createWorld>>
  beforeEach(async () => {
    world = await createWorld(database())
    world.addNode('a')
    world.addNode('b')
  })

  function open({
    wanted = { revision: 'r2' },
    tellOthers = async () => true,
  }: {
    wanted?: WantedRevision
    tellOthers?: () => Promise<boolean>
  } = {}) {
    let told = 0
    const retirement = createReplicaRetirement({
      replicas: world.replicas,
      jobs: world.jobs,
      database: database(),
      messenger: world.messenger,
      wantedRevision: () => wanted,
      shareModels: async () => {},
      tellOthers() {
        told += 1
        return tellOthers()
      },
      followHere: async () => {},
      announce: () => {},
      clock: world.clock,
      logger: silentLogger,
    })
    onTestFinished(() => retirement.close())
    return { ...retirement, told: () => told }
  }
  const use = (id: string, count: number) =>
    world.replicas.writeUses('other', new Map([[id, count]]), { leaseMs: 60_000 })

  it('are stopped at once where nothing runs, and those of the new configuration stay', async () => {
    await world.addReplica('a', 'm')
    await world.addReplica('b', 'm', { configRevision: 'r2' })
    await world.addReplica('a', 'n')
    const { settle } = open()
    expect(await settle(['m'])).toBe(0)
    expect(world.processes()).toEqual(['a n#0', 'b m#0'])
    expect(world.worker('a').stops).toMatchObject([{ process_key: 'm#0', expected_address: 'a:m', force: false }])
  })

  it('get no requests before the change is answered, and are stopped when theirs have ended', async () => {
    const id = await world.addReplica('a', 'm')
    await use(id, 1)
    const { settle } = open()
    const settled = settle(['m'])
    await eventually(async () => expect(await world.rows()).toEqual(['a m unloading']))
    await eventually(async () => {
      await world.clock.advance(1000)
      expect(world.clock.monotonic()).toBeGreaterThan(2000)
    })
    expect([await settled, world.processes()]).toEqual([1, ['a m#0']])
    await use(id, 0)
    await eventually(async () => {
      await world.clock.advance(1000)
      expect([world.processes(), await world.rows()]).toEqual([[], []])
    })
  })

  it('wait longer for requests of a front end that does not answer', async () => {
    await world.addReplica('a', 'm')
    const { settle } = open({ tellOthers: async () => false })
    const settled = settle(['m'])
    await eventually(async () => expect(await world.rows()).toEqual(['a m unloading']))
    await eventually(async () => {
      await world.clock.advance(500)
      expect(world.clock.monotonic()).toBeGreaterThan(4000)
    })
    expect([await settled, world.processes()]).toEqual([1, ['a m#0']])
    await eventually(async () => {
      await world.clock.advance(1000)
      expect(world.processes()).toEqual([])
    })
  })

  it('keep their place where the worker does not end the process', async () => {
    await world.addReplica('a', 'm')
    world.worker('a').mood = 'frees'
    expect(await open({ wanted: { revision: undefined } }).settle(['m'])).toBe(1)
    expect(await world.replicas.list()).toMatchObject([
      { state: 'unloading', cleanupError: 'the worker did not stop the process', cleanupAttempts: 1 },
    ])
  })

  it('are not judged by a server without the weights', async () => {
    await world.addReplica('a', 'm')
    const { settle, told } = open({ wanted: 'unknown' })
    expect([await settle(['m']), told()]).toEqual([0, 0])
    expect(await world.rows()).toEqual(['a m loaded'])
  })

  it('are let go once by two looks at one change, and the others are told once', async () => {
    await world.addReplica('a', 'm')
    const heard = createDeferred<boolean>()
    const { note, settle, told } = open({ tellOthers: () => heard.promise })
    note(['m'])
    const settled = settle(['m'])
    await eventually(() => expect(told()).toBe(1))
    heard.resolve(true)
    expect([await settled, told(), world.worker('a').stops.length]).toEqual([0, 1, 1])
  })

  it('end with their loads', async () => {
    const lease = { owner: 'other', leaseMs: 60_000 }
    const target = { model: 'm', replicaIndex: 0 }
    const old = await world.jobs.claim({ ...target, key: 'm#0', configRevision: 'r1' }, lease)
    await world.jobs.claim({ ...target, key: 'm@b#0', configRevision: 'r2' }, lease)
    await world.addReplica('a', 'm', { state: 'loading' })
    expect(await open().settle(['m'])).toBe(0)
    expect(await world.jobs.list()).toMatchObject([
      { key: 'm#0', state: 'failed', error: 'model "m" was changed while it was loaded' },
      { key: 'm@b#0', state: 'pending' },
    ])
    expect([await world.jobs.finish(old ?? expect.unreachable()), world.processes()]).toEqual([false, []])
  })

  it('go for idleness unless a request has come meanwhile', async () => {
    const id = await world.addReplica('a', 'm')
    const { letGo } = open()
    const read = async () => (await world.replicas.list())[0] ?? expect.unreachable()
    const before = await read()
    await use(id, 1)
    await letGo(await read())
    await use(id, 0)
    await letGo({ ...before, usedAt: before.usedAt - 1 })
    expect(world.processes()).toEqual(['a m#0'])
    await letGo(await read())
    expect([world.processes(), await world.rows()]).toEqual([[], []])
  })
})
