import type { ModelConfig } from '../../catalog/model-config.ts'
import type { Residency } from '../../residency/residency.ts'
import type { LoadedModel } from '../../residency/resident-table.ts'
import type { Replica } from '../contract/nodes.ts'
import type { ShutdownModel } from '../reconcile/shutdown-model.ts'
import { stopEverywhere } from '../reconcile/stop-everywhere.ts'
import type { ClusterCopy } from './cluster-copy.ts'
import type { RunningUses } from './running-uses.ts'
import type { WorkerClients } from './worker-clients.ts'

/** Time limit of a status call, milliseconds. */
const STATUS_TIMEOUT_MS = 10_000

/** Parts of {@link createClusterResidency}. */
export interface ClusterResidencyParts {
  /** The models of this server. */
  readonly local: Residency
  readonly load: (model: ModelConfig, options: { readonly signal: AbortSignal }) => Promise<void>
  readonly shutdownModel: ShutdownModel
  /** Ends the wait for workers. */
  readonly signal: AbortSignal
  readonly copy: Pick<ClusterCopy, 'current'>
  readonly uses: Pick<RunningUses, 'count'>
  readonly clients: WorkerClients
}

/** The models of this server and of all workers, for people who look at them and stop them. */
export function createClusterResidency(parts: ClusterResidencyParts): Residency {
  const { local, load, shutdownModel, signal: closing, copy, uses, clients } = parts

  function loadedReplicas(): readonly Replica[] {
    const view = copy.current()?.view
    if (view === undefined) return []
    return [...view.nodes()].flatMap(({ id }) =>
      [...view.onNode(id).values()].filter(({ state }) => state === 'loaded'),
    )
  }
  function loadedOnWorkers(): readonly LoadedModel[] {
    const byModel = new Map<string, LoadedModel>()
    for (const replica of loadedReplicas()) {
      const { model, backend, createdAt, usedAt } = replica
      const known = byModel.get(model)
      byModel.set(model, {
        name: model,
        backend,
        startedAt: Math.min(createdAt, known?.startedAt ?? createdAt),
        inFlight: (known?.inFlight ?? 0) + replica.inFlight + uses.count(replica.id),
        lastUsed: Math.max(usedAt, known?.lastUsed ?? usedAt),
      })
    }
    return [...byModel.values()]
  }
  return {
    ...local,
    ...stopEverywhere({ residency: local, shutdownModel, signal: closing }),
    load,
    loaded() {
      const here = local.loaded()
      const names = new Set(here.map(({ name }) => name))
      return [...here, ...loadedOnWorkers().filter(({ name }) => !names.has(name))]
    },
    async readStatus(name, { signal }) {
      const here = await local.readStatus(name, { signal })
      if (here !== undefined) return here
      const replica = loadedReplicas().find(({ model }) => model === name)
      const node = replica && copy.current()?.view.node(replica.nodeId)
      if (replica === undefined || node === undefined) return undefined
      const { client, release } = clients.take(replica, node)
      try {
        return await client.status({}, { signal, timeoutMs: STATUS_TIMEOUT_MS })
      } finally {
        release()
      }
    },
  }
}
