import type { BackendClient } from '@svc/backend-client'
import { SvcError } from '@svc/errors'
import { beforeEach, describe, expect, it } from 'vitest'
import type { BackendProgram } from '../../backends/catalog.ts'
import { createModel } from '../../catalog/__fixtures__/model.ts'
import { systemClock } from '../../clock.ts'
import { databasePlaces, silentLogger } from '../../db/__fixtures__/places.ts'
import type { Replica } from '../contract/nodes.ts'
import { aNode, rules } from '../decisions/__fixtures__/cluster.ts'
import { createClusterIndex } from '../decisions/cluster-view.ts'
import { createScriptedWorkers } from '../reconcile/__fixtures__/scripted-workers.ts'
import { createModelShutdown } from '../reconcile/shutdown-model.ts'
import { createWorkerClients } from '../routing/worker-clients.ts'
import { useDatabase } from './__fixtures__/use-database.ts'
import { createLoadJobs, type LoadTarget } from './load-jobs.ts'
import { createLoadOnWorker } from './load-on-worker.ts'
import { createReplicaStore } from './replica-store.ts'

const { signal } = new AbortController()
const target: LoadTarget = { key: 'm#0', model: 'm', replicaIndex: 0, configRevision: 'r1' }
const lease = { owner: 'server', leaseMs: 60_000 }

describe.each(await databasePlaces())('a load on a worker on $name', ({ create }) => {
  const database = useDatabase(create)
  beforeEach(async () => {
    await database().queries.change((db, { nodeReplicas }) => db.delete(nodeReplicas))
    await database().queries.change((db, { modelLoadJobs }) => db.delete(modelLoadJobs))
  })

  /** Two workers, and what they do. */
  function open({
    install,
    loadModel = async () => {},
    isConnected = () => true,
    candidates = [],
  }: {
    install: (nodeId: string) => Promise<unknown>
    loadModel?: (call: number) => Promise<void>
    isConnected?: () => boolean
    candidates?: readonly string[]
  }) {
    const [jobs, replicas] = [createLoadJobs(database()), createReplicaStore(database())]
    const killed: string[] = []
    const unreachable: string[] = []
    let calls = 0
    const client = {
      loadModel() {
        calls += 1
        return loadModel(calls).then(() => ({ success: true, message: '' }))
      },
      close() {},
    }
    const load = createLoadOnWorker({
      jobs,
      replicas,
      copy: {
        read: async () => ({
          view: createClusterIndex({ nodes: [aNode('a'), aNode('b')], replicas: await replicas.list() }),
          rulesOf: rules,
        }),
      },
      nodes: {
        reserveVram: async () => {},
        reportUnreachable: async (id) => void unreachable.push(id),
      },
      messenger: {
        request: (subject) => install(subject.split('.')[1] ?? ''),
        subscribe: () => () => {},
        get isConnected() {
          return isConnected()
        },
      },
      clients: createWorkerClients(() => client as unknown as BackendClient),
      findModel: () => createModel(candidates.length === 0 ? {} : { backend: '' }),
      revisionOf: () => 'r1',
      stage: async (request) => request,
      galleries: () => '[]',
      kill: async ({ id, nodeId }: Replica) => {
        killed.push(nodeId)
        return replicas.remove(id)
      },
      stop: async () => false,
      toLoadRequest: () => ({}),
      checkFiles: async () => {},
      measureFiles: async () => 1,
      catalog: { candidates: () => candidates.map((name) => ({ name }) as BackendProgram) },
      groupsOf: () => [],
      isDiskChecked: () => false,
      isShared: true,
      installMs: 1000,
      loadMs: 1000,
      clock: systemClock,
      logger: silentLogger,
    })
    const run = () => load(target, { signal, report() {} })
    const rows = async () => (await replicas.list()).map(({ nodeId, state }) => `${nodeId} ${state}`)
    return { jobs, replicas, killed, unreachable, run, rows }
  }
  const success = async (nodeId: string) => ({ success: true, address: `${nodeId}:50052` })

  it('leaves alone the replica of a load that has not told its worker yet', async () => {
    const { jobs, replicas, run, killed, rows } = open({ install: success })
    const row = { model: 'm', replicaIndex: 0, backend: 'mock', configRevision: 'r1', loadRequest: '' }
    await replicas.add({ ...row, nodeId: 'a', state: 'staging' })
    const other = await jobs.claim({ ...target, key: 'm@a#0' }, lease)
    await jobs.claim(target, lease)
    await run()
    expect([killed, await rows()]).toEqual([[], ['a staging', 'b loaded']])
    await jobs.finish(other ?? expect.unreachable())
  })

  it('does not go on at another worker, or end well, after its model was stopped', async () => {
    const asked: string[] = []
    const stop = async () => {
      await createModelShutdown({
        replicas: world.replicas,
        database: database(),
        messenger: createScriptedWorkers().messenger,
        clock: systemClock,
      })('m', { force: true, signal }).catch(() => undefined)
    }
    const world = open({
      install: async (nodeId) => {
        asked.push(nodeId)
        if (asked.length === 1) {
          await stop()
          throw new Error('the process has ended')
        }
        return success(nodeId)
      },
      loadModel: () => stop(),
    })
    await world.jobs.claim(target, lease)
    await expect(world.run()).rejects.toThrow('it was stopped meanwhile')
    expect([asked, await world.rows()]).toEqual([['a'], []])
    await database().queries.change((db, { modelLoadJobs }) => db.delete(modelLoadJobs))
    await world.jobs.claim(target, lease)
    await expect(world.run()).rejects.toThrow('it was stopped meanwhile')
    expect([asked, await world.rows()]).toEqual([['a', 'a'], []])
  })

  it('uses no process on another host than that of its worker', async () => {
    const { jobs, run, rows } = open({ install: async () => ({ success: true, address: '10.9.9.9:1' }) })
    await jobs.claim(target, lease)
    await expect(run()).rejects.toThrow('names a process at 10.9.9.9:1, which is not its host')
    expect(await rows()).toEqual([])
  })

  it('blames a worker that does not answer', async () => {
    const { jobs, run, unreachable, rows } = open({
      install: () => Promise.reject(new SvcError('unavailable', 'nobody was asked', { code: 'no_responders' })),
    })
    await jobs.claim(target, lease)
    await expect(run()).rejects.toMatchObject({ code: 'no_healthy_node' })
    expect([unreachable, await rows()]).toEqual([['a', 'b'], []])
  })

  it.each([0, 1])('blames no worker for a bus that is lost after %s questions', async (questions) => {
    let asked = 0
    const { jobs, run, unreachable, rows } = open({
      isConnected: () => asked < questions,
      install() {
        asked += 1
        return Promise.reject(new SvcError('unavailable', 'nobody was asked', { code: 'bus_disconnected' }))
      },
    })
    await jobs.claim(target, lease)
    await expect(run()).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'no_healthy_node',
      message: 'no healthy node for model "m": the message bus is not connected',
      retryAfterMs: 5000,
    })
    expect([asked, unreachable, await rows()]).toEqual([questions, [], []])
  })

  it('notes the backend that runs, not the first that was tried', async () => {
    const { jobs, replicas, run } = open({
      install: success,
      candidates: ['first', 'second'],
      loadModel: async (call) => {
        if (call === 1) throw new SvcError('internal', 'not mine')
      },
    })
    await jobs.claim(target, lease)
    await run()
    expect(await replicas.list()).toMatchObject([{ state: 'loaded', backend: 'second' }])
  })
})
