import { eventually } from '@svc/test-kit'
import { beforeAll, describe, expect, it } from 'vitest'
import { databasePlaces } from '../../db/__fixtures__/places.ts'
import { useDatabase } from './__fixtures__/use-database.ts'
import { createReplicaStore, type NewReplica } from './replica-store.ts'

const places = await databasePlaces()

describe.each(places)('replicas on $name', ({ create }) => {
  const database = useDatabase(create)
  let store: ReturnType<typeof createReplicaStore>
  beforeAll(() => {
    store = createReplicaStore(database())
  })

  const replica = (nodeId: string, model: string, replicaIndex = 0): NewReplica => ({
    nodeId,
    model,
    replicaIndex,
    state: 'staging',
    backend: 'mock',
    configRevision: 'r1',
    loadRequest: '',
  })
  const add = async (...values: Parameters<typeof replica>): Promise<string> =>
    (await store.add(replica(...values))) ?? expect.unreachable()

  it('take a place on a node once, and go through their states', async () => {
    const [one, two] = await Promise.all([store.add(replica('a', 'states')), store.add(replica('a', 'states'))])
    expect([one, two].filter((id) => id !== undefined)).toHaveLength(1)
    const id = one ?? two ?? expect.unreachable()
    expect(await store.change(id, { state: 'loaded', address: 'h:1' }, { from: ['unloading'] })).toBe(false)
    expect(await store.change(id, { state: 'loaded', address: 'h:1', sizeVram: 5 }, { from: ['staging'] })).toBe(true)
    const found = await store.list({ model: 'states' })
    expect(found).toEqual([
      expect.objectContaining({
        id,
        processKey: 'states#0',
        state: 'loaded',
        address: 'h:1',
        sizeVram: 5,
        inFlight: 0,
      }),
    ])
    expect(found[0]).not.toHaveProperty('loadRequest')
    expect(await store.remove(id, { address: 'h:2' })).toBe(false)
    expect(await store.remove(id, { address: 'h:1' })).toBe(true)
    expect(await store.list({ model: 'states' })).toEqual([])
  })

  it('count the requests of all front ends, until those end', async () => {
    const id = await add('b', 'uses')
    const inFlight = async (exceptFrontend?: string) =>
      (await store.list({ model: 'uses', exceptFrontend })).map((each) => each.inFlight)
    await store.writeUses('f1', new Map([[id, 2]]), { leaseMs: 60_000 })
    await store.writeUses(
      'f2',
      new Map([
        [id, 3],
        ['gone', 1],
      ]),
      { leaseMs: 60_000 },
    )
    expect([await inFlight(), await inFlight('f1'), await inFlight('f2')]).toEqual([[5], [3], [2]])
    await store.writeUses('f1', new Map([[id, 0]]), { leaseMs: 60_000 })
    expect(await inFlight()).toEqual([3])
    await store.writeUses('f2', new Map([[id, 7]]), { leaseMs: 1 })
    await eventually(async () => expect(await inFlight()).toEqual([0]))
    expect(await store.removeExpiredUses()).toBe(1)
  })

  it('go with their node, or by the keys of their processes', async () => {
    await add('c', 'm1')
    await add('c', 'm2')
    await add('d', 'm1')
    await store.removeByKeys('c', ['m1#0', 'unknown#0'])
    expect((await store.list({ nodeId: 'c' })).map(({ model }) => model)).toEqual(['m2'])
    await store.removeByKeys('c', [])
    await store.removeOfNode('c')
    expect(await store.list({ nodeId: 'c' })).toEqual([])
    expect(await store.list({ nodeId: 'd' })).toHaveLength(1)
  })
})
