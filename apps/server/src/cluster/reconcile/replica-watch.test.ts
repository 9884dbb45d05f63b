import { beforeEach, describe, expect, it } from 'vitest'
import { databasePlaces, silentLogger } from '../../db/__fixtures__/places.ts'
import { useDatabase } from '../loads/__fixtures__/use-database.ts'
import { createWorld } from './__fixtures__/reconciler-world.ts'
import { createReplicaWatch } from './replica-watch.ts'

const { signal } = new AbortController()

describe.each(await databasePlaces())('the watch of replicas on $name', ({ create }) => {
  const database = useDatabase(create)
  let world: Awaited<ReturnType<typeof createWorld>>
  /** Addresses that do not answer, and those that were asked. */
  const [deaf, probed] = [new Set<string>(), [] as string[]]
  let watch: ReturnType<typeof createReplicaWatch>

  /** Workers `a` and `b`, each with the model `m`. */
  beforeEach(async () => {
    world = await createWorld(database())
    deaf.clear()
    probed.length = 0
    for (const id of ['a', 'b']) {
      world.addNode(id)
      await world.addReplica(id, 'm')
    }
    watch = createReplicaWatch({
      nodes: { list: () => Promise.resolve([...world.nodes.values()]) },
      replicas: world.replicas,
      messenger: world.messenger,
      logger: silentLogger,
      probe: ({ address }) => {
        probed.push(address)
        return Promise.resolve(!deaf.has(address))
      },
    })
  })
  const look = async (times: number): Promise<readonly string[]> => {
    for (let time = 0; time < times; time += 1) await watch.look(signal)
    return world.rows()
  }
  const BOTH = ['a m loaded', 'b m loaded']

  it('removes a replica at once whose process the worker does not run', async () => {
    world.worker('a').processes.clear()
    expect(await look(1)).toEqual(['b m loaded'])
    expect(world.worker('a').stops).toEqual([])
    expect(probed).toEqual(['b:m'])
  })

  it('stops a process that misses three looks in a row', async () => {
    deaf.add('a:m')
    expect(await look(2)).toEqual(BOTH)
    deaf.clear()
    expect(await look(1)).toEqual(BOTH)
    deaf.add('a:m')
    expect(await look(2)).toEqual(BOTH)
    expect(await look(1)).toEqual(['b m loaded'])
    expect(world.worker('a').stops).toEqual([expect.objectContaining({ expected_address: 'a:m', force: true })])
  })

  it('gives a busy process a minute', async () => {
    const [row] = await world.replicas.list({ nodeId: 'a' })
    await world.replicas.writeUses('f', new Map([[row?.id ?? '', 1]]), { leaseMs: 600_000 })
    deaf.add('a:m')
    expect(await look(11)).toEqual(BOTH)
    expect(await look(1)).toEqual(['b m loaded'])
  })

  it('concludes nothing when no process of any worker answers', async () => {
    deaf.add('a:m').add('b:m')
    expect(await look(5)).toEqual(BOTH)
  })

  it('concludes nothing from silence of the worker or the bus', async () => {
    deaf.add('a:m')
    world.worker('a').isThere = false
    expect(await look(5)).toEqual(BOTH)
    world.messenger.isConnected = false
    expect(await look(5)).toEqual(BOTH)
    expect(probed).not.toContain('a:m')
  })

  it('concludes nothing from a replica that changes while its worker is asked', async () => {
    const worker = world.worker('a')
    worker.onRequest = async () => {
      worker.processes.clear()
      const [row] = await world.replicas.list({ nodeId: 'a' })
      await world.replicas.change(row?.id ?? '', { address: 'a:new' })
    }
    expect(await look(1)).toEqual(BOTH)
  })
})
