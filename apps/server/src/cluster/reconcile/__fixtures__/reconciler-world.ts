import { createFakeClock } from '@svc/test-kit'
import { expect } from 'vitest'
import { silentLogger } from '../../../db/__fixtures__/places.ts'
import type { Database } from '../../../db/database.ts'
import type { ClusterNode, Replica } from '../../contract/nodes.ts'
import { noRules } from '../../contract/scheduling.ts'
import { aNode } from '../../decisions/__fixtures__/cluster.ts'
import { createLoadJobs, type LoadJobs } from '../../loads/load-jobs.ts'
import { createReplicaStore, type ReplicaRows } from '../../loads/replica-store.ts'
import { createSchedulingRules } from '../../nodes/scheduling-rules.ts'
import { createReconciler } from '../reconciler.ts'
import type { StartLoad } from '../reconciler-parts.ts'
import { createScriptedWorkers } from './scripted-workers.ts'

/** A cluster on a database: workers and servers are played, rows are real. */
export async function createWorld(database: Database) {
  const { queries } = database
  await queries.transaction(async (inside) => {
    await inside.change((db, { nodeReplicas }) => db.delete(nodeReplicas))
    await inside.change((db, { replicaUses }) => db.delete(replicaUses))
    await inside.change((db, { modelLoadJobs }) => db.delete(modelLoadJobs))
    await inside.change((db, { modelScheduling }) => db.delete(modelScheduling))
  })
  const workers = createScriptedWorkers()
  const clock = createFakeClock()
  const [replicas, jobs] = [createReplicaStore(database), createLoadJobs(database)]
  const nodes = new Map<string, ClusterNode>()
  const revisions = new Map<string, string>()
  /** Loads that were run to their end, as `<model>#<index> <node>`. */
  const loads: string[] = []

  /** A server. With `fuel`, it dies after so many of its calls. */
  function createServer({ fuel = Number.POSITIVE_INFINITY, leaseMs = 60_000 } = {}) {
    let left = fuel
    const dying = <Part extends object>(part: Part): Part =>
      new Proxy(part, {
        get(target, name, receiver) {
          const value: unknown = Reflect.get(target, name, receiver)
          if (typeof value !== 'function') return value
          return async (...args: unknown[]): Promise<unknown> => {
            left -= 1
            if (left < 0) throw new Error('the server is dead')
            const result: unknown = await Reflect.apply(value, target, args)
            if (left <= 0) throw new Error('the server is dead')
            return result
          }
        },
      })
    const mine = { replicas: dying(replicas), jobs: dying(jobs), messenger: dying(workers.messenger) }
    const startLoad: StartLoad = (model, { replicaIndex, nodeId = 'a' }) =>
      runLoad({ ...mine, leaseMs }, { model, replicaIndex, nodeId })
    const parts = {
      ...mine,
      nodes: { list: () => Promise.resolve([...nodes.values()]) },
      scheduling: dying(createSchedulingRules({ database, clock })),
      database,
      startLoad,
      needsOf: (model: string) =>
        revisions.has(model) ? { model, sizeBytes: 1, memoryBytes: 1, concurrencyGroups: [] } : undefined,
      revisionOf: (model: string) => revisions.get(model),
      groupsOf: () => [],
      isDiskChecked: () => true,
      clock,
      logger: silentLogger,
    }
    return { ...createReconciler(parts), parts, isDead: () => left <= 0 }
  }
  async function runLoad(
    { replicas: rows, jobs: claims, leaseMs }: { replicas: ReplicaRows; jobs: LoadJobs; leaseMs: number },
    { model, replicaIndex, nodeId }: { model: string; replicaIndex: number; nodeId: string },
  ): Promise<boolean> {
    const key = `${model}#${replicaIndex}`
    const configRevision = revisions.get(model) ?? expect.unreachable()
    const claim = await claims.claim({ key, model, replicaIndex, configRevision }, { owner: 'server', leaseMs })
    if (claim === undefined) return false
    await claims.renew(claim, { leaseMs, step: { nodeId, state: 'staging' } })
    const row = { nodeId, model, replicaIndex, backend: 'mock', configRevision, loadRequest: '' }
    const added = await rows.add({ ...row, state: 'staging' })
    const found = (await rows.list({ nodeId, model })).find((each) => each.replicaIndex === replicaIndex)
    const id = added ?? found?.id ?? ''
    const address = `${nodeId}:${model}`
    if (found === undefined || !(await rows.change(id, { state: 'loading', address }, { from: ['staging', 'loading'] }))) {
      await claims.fail(claim, { error: 'the place is taken', tellMs: 0 })
      return true
    }
    workers.worker(nodeId).run(model, replicaIndex, address)
    await rows.change(id, { state: 'loaded' }, { from: ['loading'] })
    await claims.finish(claim)
    loads.push(`${key} ${nodeId}`)
    return true
  }
  return {
    ...workers,
    clock,
    replicas,
    jobs,
    nodes,
    revisions,
    loads,
    createServer,
    addNode: (id: string, fields: Partial<ClusterNode> = {}) => {
      nodes.set(id, aNode(id, fields))
      return workers.worker(id)
    },
    setRules: (model: string, rules: { readonly minReplicas?: number; readonly maxReplicas?: number }) =>
      createSchedulingRules({ database, clock }).set({ ...noRules(model), ...rules }),
    /** A row, and its process unless it has none. */
    async addReplica(
      nodeId: string,
      model: string,
      { state = 'loaded', configRevision = 'r1', runs = true }: Partial<Replica> & { readonly runs?: boolean } = {},
    ): Promise<string> {
      const row = { nodeId, model, replicaIndex: 0, backend: 'mock', configRevision, loadRequest: '' }
      const id = (await replicas.add({ ...row, state })) ?? expect.unreachable()
      await replicas.change(id, { address: `${nodeId}:${model}` })
      if (runs) workers.worker(nodeId).run(model, 0, `${nodeId}:${model}`)
      return id
    },
    /** What the rows say, as `<node> <model> <state>`. */
    rows: async () =>
      (await replicas.list()).map(({ nodeId, model, state }) => `${nodeId} ${model} ${state}`).toSorted(),
    /** What the workers run, as `<node> <key>`. */
    processes: () =>
      [...nodes.keys()].flatMap((id) => [...workers.worker(id).processes.keys()].map((key) => `${id} ${key}`)).toSorted(),
    /** Lets time pass for leases and pauses, which the database counts. */
    async expire() {
      await queries.change((db, { instance }) => db.update(instance).set({ updatedAt: 0 }))
      await queries.change((db, { nodeReplicas }) => db.update(nodeReplicas).set({ cleanupNextAt: 0 }))
      await queries.change((db, { modelLoadJobs }) => db.update(modelLoadJobs).set({ leaseUntil: 0 }))
    },
  }
}
