import { SvcError } from '@svc/errors'
import type { Bus } from '../../bus/bus.ts'
import type { Database } from '../../db/database.ts'
import type { Clock, Logger } from '../../ports.ts'
import type { Messenger } from '../contract/messenger.ts'
import type { ReplicaStore } from '../contract/nodes.ts'
import { askWorker, createHealthMonitor } from './health-monitor.ts'
import { createNodeRegistry, type NodeDirectory } from './node-registry.ts'
import { createNodeStore } from './node-store.ts'
import { createPendingOps, type PendingOps } from './pending-ops.ts'
import { createReplicaRows } from './replica-rows.ts'
import type { SchedulingDraft } from './scheduling-config.ts'
import { createSchedulingRules, type SchedulingStore } from './scheduling-rules.ts'
import { createWorkerCalls, type WorkerCalls } from './worker-calls.ts'

const RETRY_MS = 15_000

/** Parts of {@link openNodes}. */
export interface NodesParts {
  readonly database: Database
  readonly bus: Bus
  readonly messenger: Messenger
  readonly clock: Clock
  readonly logger: Logger
  readonly approvesNew: boolean
  /** Longest upgrade of a backend, milliseconds. */
  readonly changeTimeoutMs: number
  /** Rules of the configuration, which replace those of the database. */
  readonly scheduling: readonly SchedulingDraft[]
  /** @default the rows of the database */
  readonly replicas?: ReplicaStore | undefined
}

/** The workers of a cluster and what belongs to them. */
export interface Nodes {
  readonly directory: NodeDirectory
  readonly scheduling: SchedulingStore
  readonly replicas: ReplicaStore
  readonly calls: WorkerCalls
  readonly pending: PendingOps
  /** Writes the rules of the configuration, and begins to watch heartbeats. */
  start(): Promise<void>
  /** Ends the watch. Resolves when nothing of it runs. */
  close(): Promise<void>
}

/** Opens the workers of a cluster. */
export function openNodes(parts: NodesParts): Nodes {
  const { database, bus, messenger, clock, logger } = parts
  const store = createNodeStore(database)
  const replicas = parts.replicas ?? createReplicaRows(database)
  const directory = createNodeRegistry({
    store,
    replicas,
    bus,
    clock,
    logger,
    approvesNew: parts.approvesNew,
    isAnswering: async (nodeId, signal) => (await askWorker(messenger, nodeId, signal)) === true,
  })
  const scheduling = createSchedulingRules({ database, clock })
  const calls = createWorkerCalls({ messenger, replicas })
  const pending = createPendingOps({
    database,
    nodes: directory,
    calls,
    logger,
    timeoutMs: parts.changeTimeoutMs,
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
    pending,
    async start() {
      for (const rules of parts.scheduling) await scheduling.set(rules)
      running = Promise.all([monitor.run(closing.signal), retryPending()])
    },
    async close() {
      closing.abort(new SvcError('cancelled', 'the server stops'))
      directory.close()
      await running
    },
  }
}
