import { createFakeClock, eventually } from '@svc/test-kit'
import { beforeEach, describe, expect, it } from 'vitest'
import { databasePlaces } from '../../db/__fixtures__/places.ts'
import { useDatabase } from '../loads/__fixtures__/use-database.ts'
import { createWorld } from './__fixtures__/reconciler-world.ts'
import { createModelShutdown } from './shutdown-model.ts'
import { stopEverywhere } from './stop-everywhere.ts'

const { signal } = new AbortController()

describe.each(await databasePlaces())('the shutdown of a model on $name', ({ create }) => {
  const database = useDatabase(create)
  let world: Awaited<ReturnType<typeof createWorld>>
  let clock: ReturnType<typeof createFakeClock>

  /** Workers `a` and `b`, each with the model `m`; `a` has another model. */
  beforeEach(async () => {
    world = await createWorld(database())
    clock = createFakeClock()
    for (const id of ['a', 'b']) {
      world.addNode(id)
      await world.addReplica(id, 'm')
    }
    await world.addReplica('a', 'other')
  })
  const toShutdown = (cutsBusy = false) => createModelShutdown({ ...world, database: database(), clock, cutsBusy })
  const shutDown = (force = false, cutsBusy = false) => toShutdown(cutsBusy)('m', { force, signal })
  /** Lets a number of requests run at the replica of a worker. */
  async function use(nodeId: string, count: number): Promise<void> {
    const [row] = await world.replicas.list({ nodeId, model: 'm' })
    await world.replicas.writeUses('f', new Map([[row?.id ?? '', count]]), { leaseMs: 600_000 })
  }
  /** Lets time pass until work has ended. */
  async function passTime<T>(work: Promise<T>): Promise<T> {
    const done = new AbortController()
    const settled = work.finally(() => done.abort())
    settled.catch(() => undefined)
    while (!done.signal.aborted) {
      await Promise.race([clock.waitForSleepers(1), settled.catch(() => undefined)])
      await clock.advance(1000)
    }
    return settled
  }

  it('stops it on all workers, and no other model', async () => {
    expect(await passTime(shutDown())).toEqual({ replicas: 2, loads: 0, endedCalls: 0 })
    expect(await world.rows()).toEqual(['a other loaded'])
    expect(world.processes()).toEqual(['a other#0'])
    expect(world.worker('a').stops).toEqual([expect.objectContaining({ force: false, expected_address: 'a:m' })])
    expect(await shutDown()).toEqual({ replicas: 0, loads: 0, endedCalls: 0 })
  })

  it('waits for running requests, and lets no new ones come', async () => {
    await use('b', 1)
    const shutdown = shutDown()
    await clock.waitForSleepers(1)
    expect(await world.rows()).toEqual(['a m unloading', 'a other loaded', 'b m unloading'])
    await clock.advance(1000)
    await clock.waitForSleepers(1)
    expect(world.processes()).toHaveLength(3)
    await use('b', 0)
    expect(await passTime(shutdown)).toMatchObject({ replicas: 2 })
  })

  it('lets a replica go on that is still busy after half a minute', async () => {
    await use('b', 2)
    await expect(passTime(shutDown())).rejects.toMatchObject({
      code: 'model_busy',
      message: 'model "m" is busy on a worker: 2 calls run for longer than 30 s',
    })
    expect(clock.monotonic()).toBeGreaterThanOrEqual(30_000)
    expect(await world.rows()).toEqual(['a other loaded', 'b m loaded'])
    expect(await passTime(shutDown(false, true))).toEqual({ replicas: 1, loads: 0, endedCalls: 2 })
  })

  it('cuts requests off with force', async () => {
    await use('b', 2)
    expect(await shutDown(true)).toEqual({ replicas: 2, loads: 0, endedCalls: 2 })
  })

  it('says which workers have not ended it, and has tried all', async () => {
    world.worker('a').isThere = false
    await expect(shutDown(true)).rejects.toMatchObject({ code: 'backend_not_ended' })
    expect(await world.rows()).toEqual(['a m unloading', 'a other loaded'])
  })

  it('ends loads: their servers lose them', async () => {
    await shutDown(true)
    const target = { key: 'm#0', model: 'm', replicaIndex: 0, configRevision: 'r1' }
    const claim = (await world.jobs.claim(target, { owner: 'one', leaseMs: 60_000 })) ?? expect.unreachable()
    await world.addReplica('a', 'm', { state: 'staging' })
    expect(await shutDown(true)).toEqual({ replicas: 1, loads: 1, endedCalls: 0 })
    expect(await world.jobs.renew(claim, { leaseMs: 60_000 })).toBe(false)
    expect(await world.jobs.finish(claim)).toBe(false)
    expect(await world.jobs.get('m#0')).toMatchObject({
      state: 'failed',
      error: 'model "m" was stopped while it was loaded',
    })
    expect(await world.jobs.claim(target, { owner: 'two', leaseMs: 60_000 })).toBeUndefined()
  })

  it('leaves the rest to the reconciler when the caller leaves', async () => {
    await use('b', 1)
    const caller = new AbortController()
    const shutdown = toShutdown()('m', { force: false, signal: caller.signal })
    await clock.waitForSleepers(1)
    caller.abort(new Error('the caller has left'))
    await expect(shutdown).rejects.toThrow('the caller has left')
    await use('b', 0)
    await world.expire()
    await eventually(async () => {
      await world.createServer().look(signal)
      expect(await world.rows()).not.toContain('b m unloading')
      expect(await world.rows()).not.toContain('b m loaded')
    })
  })

  it.each([
    [undefined, { how: 'released', endedCalls: 0 }],
    [
      { how: 'killed', endedCalls: 3 },
      { how: 'killed', endedCalls: 3 },
    ],
  ] as const)('is one with the stop on this machine', async (here, outcome) => {
    const residency = { stop: () => Promise.resolve(here) }
    const { stop } = stopEverywhere({ residency, shutdownModel: toShutdown(), signal })
    expect(await stop('m', { force: true })).toEqual(outcome)
    expect(await stop('nothing', { force: true })).toEqual(here)
  })

  it('stops workers although this machine fails', async () => {
    const residency = { stop: () => Promise.reject(new Error('busy here')) }
    await expect(
      stopEverywhere({ residency, shutdownModel: toShutdown(), signal }).stop('m', { force: true }),
    ).rejects.toThrow('busy here')
    expect(await world.rows()).toEqual(['a other loaded'])
  })
})
