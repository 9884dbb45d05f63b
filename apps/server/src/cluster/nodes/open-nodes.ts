import { SvcError } from '@svc/errors'
import type { Bus } from '../../bus/bus.ts'
import type { ServerConfig } from '../../config/schema.ts'
import type { Database } from '../../db/database.ts'
import type { Clock, Logger } from '../../ports.ts'
import type { Messenger } from '../contract/messenger.ts'
import { createLostUses, type LostUses } from '../front-ends/lost-uses.ts'
import { createReplicaStore, type ReplicaRows } from '../loads/replica-store.ts'
import { askWorker, createHealthMonitor } from './health-monitor.ts'
import { createNodeRegistry, type NodeDirectory } from './node-registry.ts'
import { createNodeStore } from './node-store.ts'
import { createPendingOps, type PendingOps } from './pending-ops.ts'
import { readScheduling, type SchedulingSources } from './read-scheduling.ts'
import { createSchedulingRules, type SchedulingStore } from './scheduling-rules.ts'
import { createWorkerCalls, type WorkerCalls } from './worker-calls.ts'

const RETRY_MS = 15_000

/** Options of workers. */
type NodesConfig = SchedulingSources & Pick<ServerConfig, 'autoApproveNodes' | 'backendUpgradeTimeoutMs'>

/** Parts of {@link openClusterNodes}. */
export interface NodesParts {
  readonly config: NodesConfig
  readonly database: Database
  readonly bus: Bus
  readonly messenger: Messenger
  /** Id of this server. */
  readonly instanceId: string
  readonly clock: Clock
  readonly logger: Logger
}

/** The workers of a cluster and what belongs to them. */
export interface Nodes {
  readonly directory: NodeDirectory
  readonly scheduling: SchedulingStore
  readonly replicas: ReplicaRows
  readonly calls: WorkerCalls
  readonly lostUses: Pick<LostUses, 'removeAt'>
  readonly pending: PendingOps
  /** Writes the rules of the configuration, and begins to watch heartbeats. */
  start(): Promise<void>
  /** Ends the watch. Resolves when nothing of it runs. */
  close(): Promise<void>
}

/**
 * Opens the workers of a cluster.
 *
 * @throws {StartRefused} for scheduling rules of the configuration that cannot be read
 */
export async function openClusterNodes(parts: NodesParts): Promise<Nodes> {
  const { config, database, bus, messenger, clock, logger } = parts
  const configured = await readScheduling(config)
  const store = createNodeStore(database)
  const replicas = createReplicaStore(database)
  const directory = createNodeRegistry({
    store,
    replicas,
    bus,
    clock,
    logger,
    approvesNew: config.autoApproveNodes,
    ask: (nodeId, signal) => askWorker(messenger, nodeId, signal),
  })
  const scheduling = createSchedulingRules({ database, clock })
  const lostUses = createLostUses({ database, messenger, id: parts.instanceId })
  const calls = createWorkerCalls({ messenger, replicas })
  const pending = createPendingOps({
    database,
    nodes: directory,
    calls,
    logger,
    timeoutMs: config.backendUpgradeTimeoutMs,
  })
  const monitor = createHealthMonitor({ store, nodes: directory, replicas, messenger, clock, logger })
  const closing = new AbortController()
  let running: Promise<unknown> = Promise.resolve()

  async function retryPending(): Promise<void> {
    const { signal } = closing
    while (!signal.aborted) {
      await clock.sleep(RETRY_MS, { signal }).catch(() => undefined)
      if (signal.aborted || !messenger.isConnected) continue
      await pending.retry(signal).catch((error: unknown) => {
        if (!signal.aborted) logger.warn({ err: error }, 'waiting changes of backends could not be looked at')
      })
    }
  }
  return {
    directory,
    scheduling,
    replicas,
    calls,
    lostUses,
    pending,
    async start() {
      await lostUses.start()
      for (const rules of configured) await scheduling.set(rules)
      running = Promise.all([monitor.run(closing.signal), retryPending()])
    },
    async close() {
      closing.abort(new SvcError('cancelled', 'the server stops'))
      directory.close()
      lostUses.close()
      await running
    },
  }
}
