import { SvcError } from '@svc/errors'
import { beforeAll, describe, expect, it } from 'vitest'
import { databasePlaces } from '../../db/__fixtures__/places.ts'
import type { Database } from '../../db/database.ts'
import type { Replica, ReplicaState } from '../contract/nodes.ts'
import { useDatabase } from '../loads/__fixtures__/use-database.ts'
import { createReplicaStore } from '../loads/replica-store.ts'
import { createScriptedWorkers } from './__fixtures__/scripted-workers.ts'
import { stopReplica } from './stop-replica.ts'

const { signal } = new AbortController()

describe.each(await databasePlaces())('the stop of a replica on $name', ({ create }) => {
  const database = useDatabase(create)
  const { messenger, worker } = createScriptedWorkers()
  let replicas: ReturnType<typeof createReplicaStore>
  beforeAll(() => {
    replicas = createReplicaStore(database())
  })

  /** A replica of `m` on a node of its own, whose process runs. */
  async function open(nodeId: string, { state = 'loaded', address = 'h:1' }: Partial<Replica> = {}) {
    const place = { nodeId, model: 'm', replicaIndex: 0, backend: 'mock', configRevision: 'r1', loadRequest: '' }
    const id = (await replicas.add({ ...place, state: 'loading' })) ?? expect.unreachable()
    await replicas.change(id, { state, address })
    worker(nodeId).run('m', 0, 'h:1')
    return find(nodeId)
  }
  const find = async (nodeId: string): Promise<Replica> =>
    (await replicas.list({ nodeId }))[0] ?? expect.unreachable('there is no row')
  const stop = (replica: Replica, options: { readonly force?: boolean; readonly revision?: string } = {}) =>
    stopReplica(replica, { messenger, replicas, signal, ...options })

  it('asks for exactly this process, and removes the row when it is gone', async () => {
    const replica = await open('a')
    worker('a').onRequest = async () => expect((await find('a')).state).toBe('unloading')
    expect(await stop(replica, { force: true, revision: 'r2' })).toBe(true)
    const asked = { model_name: 'm', process_key: 'm#0', expected_address: 'h:1', force: true, config_revision: 'r2' }
    expect(worker('a').stops).toEqual([asked])
    expect(await replicas.list({ nodeId: 'a' })).toEqual([])
    expect(await stop(replica)).toBe(true)
    expect(worker('a').stops).toHaveLength(1)
  })

  it('judges by the end of the process, not by the freed model or an error', async () => {
    const replica = await open('b')
    worker('b').mood = 'frees'
    expect(await stop(replica)).toBe(false)
    expect(await find('b')).toMatchObject({
      state: 'unloading',
      cleanupAttempts: 1,
      cleanupError: 'the worker did not stop the process',
    })
    worker('b').mood = 'ends with an error'
    expect(await stop(await find('b'))).toBe(true)
  })

  it('removes the row of a process that the worker does not run', async () => {
    const replica = await open('c')
    worker('c').processes.clear()
    expect(await stop(replica)).toBe(true)
  })

  it('leaves a process alone that has the key now and another address', async () => {
    const replica = await open('d')
    worker('d').run('m', 0, 'h:2')
    expect(await stop(replica)).toBe(true)
    expect([...worker('d').processes.keys()]).toEqual(['m#0'])
  })

  it('keeps the row of a process that got its address meanwhile', async () => {
    const replica = await open('e', { state: 'loading', address: 'h:1' })
    await replicas.change(replica.id, { address: 'h:2' })
    worker('e').run('m', 0, 'h:2')
    expect(await stop(replica)).toBe(false)
    expect(await find('e')).toMatchObject({ address: 'h:2', state: 'unloading' })
    expect(await stop(await find('e'))).toBe(true)
    expect(worker('e').processes.size).toBe(0)
  })

  it('stops a load whose address is not known by the address that the worker tells', async () => {
    expect(await stop(await open('f', { state: 'staging', address: '' }))).toBe(true)
    expect(worker('f').stops).toEqual([expect.objectContaining({ expected_address: 'h:1' })])
    worker('f').processes.clear()
    const second = await open('f', { state: 'staging', address: '' })
    worker('f').processes.clear()
    expect(await stop(second)).toBe(true)
    expect(worker('f').stops).toHaveLength(1)
  })

  it.each([
    ['is not there', (id: string) => Object.assign(worker(id), { isThere: false }), 'nobody answers'],
    ['answers in another form', (id: string) => Object.assign(worker(id), { mood: 'garbles' }), 'another form'],
    ['says nothing', (id: string) => Object.assign(worker(id), { onRequest: waitInVain }), 'no reply'],
  ])('tries again later, up to every five minutes, when the worker %s', async (name, spoil, error) => {
    await open(name)
    spoil(name)
    for (const seconds of [5, 10, 20, 40, 80, 160, 300, 300]) {
      expect(await stop(await find(name))).toBe(false)
      const due = await dueIn(database(), name)
      expect(due).toBeLessThanOrEqual(seconds * 1000 + 1000)
      expect(due).toBeGreaterThan(seconds * 1000 - 4000)
    }
    expect(await find(name)).toMatchObject({ cleanupAttempts: 8, cleanupError: expect.stringContaining(error) })
  })

  it('leaves the row to others when it is cut off', async () => {
    const replica = await open('g')
    const cut = new AbortController()
    worker('g').onRequest = () => cut.abort(new Error('the server stops'))
    await expect(stopReplica(replica, { messenger, replicas, signal: cut.signal })).rejects.toThrow('the server stops')
    expect(await find('g')).toMatchObject({ state: 'unloading' satisfies ReplicaState, cleanupAttempts: 0 })
    expect(await dueIn(database(), 'g')).toBeGreaterThan(60_000)
  })
})

function waitInVain(): never {
  throw new SvcError('timeout', 'no reply came in time', { code: 'bus_timeout' })
}

/** Time until the stop of the replica of a node is due, milliseconds. */
async function dueIn({ queries }: Pick<Database, 'queries'>, nodeId: string): Promise<number> {
  const rows = await queries.rows((db, { nodeReplicas: table }) => db.select().from(table))
  return (rows.find((row) => row.nodeId === nodeId)?.cleanupNextAt ?? 0) - Date.now()
}
