import { isDeepStrictEqual } from 'node:util'
import { eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { databasePlaces } from '../../db/__fixtures__/places.ts'
import { useDatabase } from '../loads/__fixtures__/use-database.ts'
import { createWorld } from './__fixtures__/reconciler-world.ts'
import { createDutyLease } from './duty-lease.ts'
import { createReconciler } from './reconciler.ts'

const { signal } = new AbortController()

describe.each(await databasePlaces())('the reconciler on $name', ({ name, create }) => {
  const database = useDatabase(create)
  /** Workers `a` and `b`, and a model `m` of revision `r1`. */
  async function open() {
    const world = await createWorld(database())
    world.addNode('a')
    world.addNode('b')
    world.revisions.set('m', 'r1')
    await world.expire()
    return world
  }

  it('restores the least number of replicas, and notes what cannot be had', async () => {
    const world = await open()
    await world.setRules('m', { minReplicas: 3 })
    const server = world.createServer()
    await server.look(signal)
    expect(await world.rows()).toEqual(['a m loaded', 'b m loaded'])
    expect((await server.parts.scheduling.list())[0]?.unsatisfiableTicks).toBe(1)
  })

  it('compares rows with processes', async () => {
    const world = await open()
    const [a, b] = [world.worker('a'), world.worker('b')]
    await world.addReplica('a', 'm', { runs: false })
    await world.addReplica('b', 'm')
    a.run('ghost', 0, 'a:ghost')
    a.run('elsewhere', 2, 'a:elsewhere')
    const rowsAtStops: string[] = []
    a.onRequest = async (topic) => {
      if (topic === 'model.stop') rowsAtStops.push(...(await world.rows()))
    }
    await world.createServer().look(signal)
    expect(await world.rows()).toEqual(['b m loaded'])
    // Nobody can begin a load that takes over a process which is about to end.
    expect(rowsAtStops).toEqual(expect.arrayContaining(['a ghost unloading', 'a elsewhere unloading']))
    expect([...a.processes.keys(), ...b.processes.keys()]).toEqual(['m#0'])
  })

  it('concludes nothing from rows that change while workers are asked', async () => {
    const world = await open()
    await world.setRules('m', { minReplicas: 1 })
    const id = await world.addReplica('a', 'm', { state: 'loading', runs: false })
    const worker = world.worker('a')
    worker.onRequest = async () => {
      worker.onRequest = () => undefined
      await world.replicas.change(id, { state: 'loaded' })
      await world.addReplica('c', 'other', { state: 'staging' })
      world.revisions.set('other', 'r1')
    }
    await world.createServer().look(signal)
    expect(await world.rows()).toEqual(['a m loaded', 'c other staging'])
    expect(await world.jobs.list()).toEqual([])
  })

  it('does nothing without the bus', async () => {
    const world = await open()
    await world.setRules('m', { minReplicas: 2 })
    await world.addReplica('a', 'm', { runs: false })
    const target = { key: 'm#1', model: 'm', replicaIndex: 1, configRevision: 'r1' }
    await world.jobs.claim(target, { owner: 'dead', leaseMs: 0 })
    world.messenger.isConnected = false
    await world.createServer().look(signal)
    expect([await world.rows(), world.loads]).toEqual([['a m loaded'], []])
  })

  it('removes nothing when a worker says nothing', async () => {
    const world = await open()
    await world.addReplica('a', 'm', { runs: false })
    world.worker('a').isThere = false
    const server = world.createServer()
    for (let round = 0; round < 3; round += 1) await server.look(signal)
    expect(await world.rows()).toEqual(['a m loaded'])
  })

  it('leaves replicas alone whose weights this server does not have', async () => {
    const world = await open()
    await world.addReplica('a', 'm', { configRevision: 'of a server with weights' })
    await world.addReplica('a', 'other', { configRevision: 'r0' })
    world.revisions.set('other', 'r1')
    const { parts } = world.createServer()
    const server = createReconciler({ ...parts, hasWeights: (model) => model !== 'm' })
    for (let round = 0; round < 3; round += 1) await server.look(signal)
    expect(await world.rows()).toEqual(['a m loaded'])
  })

  it('leaves replicas alone of a model that is missing here while its folder is away', async () => {
    const world = await open()
    await world.addReplica('a', 'm')
    let isAway = true
    const { parts } = world.createServer()
    const server = createReconciler({ ...parts, revisionOf: () => undefined, hasWeights: () => !isAway })
    for (let round = 0; round < 3; round += 1) await server.look(signal)
    expect(await world.rows()).toEqual(['a m loaded'])
    isAway = false
    await server.look(signal)
    expect(await world.rows()).toEqual([])
  })

  it('replaces an old revision, and stops it when its requests have ended', async () => {
    const world = await open()
    const id = await world.addReplica('a', 'm', { configRevision: 'r0' })
    await world.setRules('m', { minReplicas: 1 })
    await world.replicas.writeUses('f', new Map([[id, 1]]), { leaseMs: 60_000 })
    const server = world.createServer()
    await server.look(signal)
    // The server may not know the latest change yet.
    expect(await world.rows()).toEqual(['a m loaded'])
    await server.look(signal)
    expect(await world.rows()).toEqual(['a m unloading', 'b m loaded'])
    expect(world.processes()).toEqual(['a m#0', 'b m#0'])
    await world.replicas.writeUses('f', new Map([[id, 0]]), { leaseMs: 60_000 })
    await server.look(signal)
    expect(await world.rows()).toEqual(['b m loaded'])
    expect(world.processes()).toEqual(['b m#0'])
  })

  it('stops a replica after ten minutes although its requests have not ended', async () => {
    const world = await open()
    const id = await world.addReplica('a', 'm', { state: 'unloading' })
    await world.replicas.writeUses('f', new Map([[id, 1]]), { leaseMs: 3_600_000 })
    const server = world.createServer()
    await server.look(signal)
    await world.clock.advance(9 * 60_000)
    await server.look(signal)
    expect(await world.rows()).toEqual(['a m unloading'])
    await world.clock.advance(60_000)
    await server.look(signal)
    expect(await world.rows()).toEqual([])
  })

  it('tries a stop that failed again, when it is due', async () => {
    const world = await open()
    const worker = world.worker('a')
    await world.addReplica('a', 'm', { state: 'unloading' })
    worker.mood = 'frees'
    const server = world.createServer()
    await server.look(signal)
    await server.look(signal)
    expect(worker.stops).toHaveLength(1)
    worker.mood = 'ends'
    await world.expire()
    await server.look(signal)
    expect(await world.rows()).toEqual([])
  })

  it('goes on with loads whose server is gone, and ends those that nobody wants', async () => {
    const world = await open()
    world.revisions.set('changed', 'r2')
    for (const model of ['m', 'changed', 'gone']) {
      const target = { key: `${model}#0`, model, replicaIndex: 0, configRevision: 'r1' }
      const claim = (await world.jobs.claim(target, { owner: 'dead', leaseMs: 0 })) ?? expect.unreachable()
      await world.jobs.renew(claim, { leaseMs: 0, step: { nodeId: 'b' } })
    }
    await world.createServer().look(signal)
    expect(world.loads).toEqual(['m#0 b'])
    expect(await world.jobs.list()).toEqual([expect.objectContaining({ model: 'gone', state: 'failed' })])
  })

  it('removes a row whose load has ended without it, at its second look', async () => {
    const world = await open()
    await world.addReplica('a', 'm', { state: 'staging' })
    await world.addReplica('b', 'm', { state: 'loading' })
    const target = { key: 'm#0', model: 'm', replicaIndex: 0, configRevision: 'r1' }
    const claim = (await world.jobs.claim(target, { owner: 'alive', leaseMs: 60_000 })) ?? expect.unreachable()
    await world.jobs.renew(claim, { leaseMs: 60_000, step: { nodeId: 'b' } })
    const server = world.createServer()
    await server.look(signal)
    expect(await world.rows()).toEqual(['a m staging', 'b m loading'])
    await server.look(signal)
    expect(await world.rows()).toEqual(['b m loading'])
    expect(world.processes()).toEqual(['b m#0'])
  })

  it('is one of two servers at a time, and does nothing twice', async () => {
    const world = await open()
    await world.setRules('m', { minReplicas: 2 })
    const [one, two] = [world.createServer(), world.createServer()]
    await Promise.all([one.look(signal), two.look(signal), one.look(signal), two.look(signal)])
    expect(world.loads.toSorted()).toEqual(['m#0 a', 'm#0 b'])
    // Both believe that the duty is theirs.
    world.worker('a').run('ghost', 0, 'a:ghost')
    world.worker('b').processes.clear()
    world.loads.length = 0
    world.worker('a').onRequest = () => world.expire()
    await Promise.all([one.look(signal), two.look(signal)])
    world.worker('a').onRequest = () => undefined
    await world.expire()
    await two.look(signal)
    expect(await world.rows()).toEqual(['a m loaded', 'b m loaded'])
    expect(world.processes()).toEqual(['a m#0', 'b m#0'])
  })

  it('reaches the wanted state wherever its server dies', async () => {
    // Every third call, others with the other kind of database.
    let fuel = name === 'postgres' ? 1 : 2
    for (let isDead = true; isDead; fuel += 3) {
      const world = await open()
      await world.setRules('m', { minReplicas: 2 })
      await world.addReplica('a', 'm', { configRevision: 'r0' })
      await world.addReplica('b', 'gone', { runs: false })
      world.worker('b').run('ghost', 0, 'b:ghost')
      const target = { key: 'm#0', model: 'm', replicaIndex: 0, configRevision: 'r1' }
      await world.jobs.claim(target, { owner: 'dead', leaseMs: 0 })
      const first = world.createServer({ fuel })
      for (let round = 0; round < 3 && !first.isDead(); round += 1) await first.look(signal).catch(() => undefined)
      isDead = first.isDead()
      const second = world.createServer()
      const wanted = [['a m loaded', 'b m loaded'], ['a m#0', 'b m#0'], []]
      let state: unknown
      for (let round = 0; round < 5 && !isDeepStrictEqual(state, wanted); round += 1) {
        await world.expire()
        await second.look(signal)
        state = [await world.rows(), world.processes(), await world.jobs.list()]
      }
      expect(state, `the server died at its call ${fuel}`).toEqual(wanted)
    }
    expect(fuel).toBeGreaterThan(30)
  })

  it('is taken over within a minute from a server that is gone, and at once from one that stops', async () => {
    const world = await open()
    const start = () => {
      const stop = new AbortController()
      const done = world.createServer().run(stop.signal)
      return { stop: () => stop.abort(new Error('the server stops')), done }
    }
    const asked = () => eventually(() => expect(world.asked.length).toBeGreaterThan(0))
    const one = start()
    await asked()
    const two = start()
    world.asked.length = 0
    one.stop()
    await one.done
    await world.clock.advance(10_000)
    await asked()
    two.stop()
    await two.done
    // A server that is gone leaves its lease.
    const leaseOf = (owner: string) => createDutyLease(database(), { duty: 'reconcile', owner, leaseMs: 30_000 })
    expect([await leaseOf('gone').claim(), await leaseOf('gone').claim()]).toEqual([true, true])
    expect(await leaseOf('three').claim()).toBe(false)
    const three = start()
    await world.clock.waitForSleepers(1)
    world.asked.length = 0
    await world.expire()
    await world.clock.advance(10_000)
    await asked()
    three.stop()
    await three.done
  })

  it('ends its work when another server has the duty', async () => {
    const world = await open()
    const stop = new AbortController()
    const done = world.createServer().run(stop.signal)
    await eventually(() => expect(world.asked.length).toBeGreaterThan(0))
    await world.expire()
    await createDutyLease(database(), { duty: 'reconcile', owner: 'other', leaseMs: 30_000 }).claim()
    await eventually(async () => {
      await world.clock.advance(10_000)
      world.asked.length = 0
      await world.clock.advance(30_000)
      expect(world.asked).toEqual([])
    })
    stop.abort(new Error('the server stops'))
    await done
  })
})
