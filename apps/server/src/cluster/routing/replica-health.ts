import { SvcError } from '@svc/errors'
import type { Bus } from '../../bus/bus.ts'
import type { Clock, Logger } from '../../ports.ts'
import type { Messenger } from '../contract/messenger.ts'
import type { NodeRegistry, Replica } from '../contract/nodes.ts'
import type { ReplicaRows } from '../loads/replica-store.ts'
import { listProcesses } from '../reconcile/worker-processes.ts'
import type { ClusterCopy } from './cluster-copy.ts'
import type { WorkerClients, WorkerNode } from './worker-clients.ts'

/** Time for which an answer of a process counts, milliseconds. */
const TRUST_MS = 30_000
const HEALTH_MS = 2000
const ASK_MS = 2000
/** Time for which a process that could not be reached gets no request, milliseconds. */
const AVOID_MS = 10_000
const MAX_VERDICTS = 10_000

/** What this server has seen of the processes of replicas. */
export interface ReplicaHealth {
  /** Whether a replica may get requests as far as this server has seen. */
  isAvoided(replica: Replica): boolean
  /** Whether it was seen to answer a short time ago. */
  isTrusted(replica: Replica): boolean
  /** Asks its process. One that cannot be reached is avoided for a while, and its worker is asked what it runs. */
  check(replica: Replica, node: WorkerNode, signal: AbortSignal): Promise<boolean>
  /** A call has failed: the next request asks the process first. */
  suspect(replica: Replica): void
  /** The process does not hold the model of its row: the row goes. Never rejects. */
  drop(replica: Replica): Promise<void>
}

/** Parts of {@link createReplicaHealth}. */
export interface ReplicaHealthParts {
  readonly clients: WorkerClients
  readonly copy: Pick<ClusterCopy, 'touch'>
  readonly replicas: Pick<ReplicaRows, 'remove'>
  readonly nodes: Pick<NodeRegistry, 'reportUnreachable'>
  readonly messenger: Pick<Messenger, 'request' | 'isConnected'>
  readonly bus: Pick<Bus, 'publish'>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly logger: Logger
}

interface Verdict {
  readonly address: string
  readonly isGood: boolean
  /** Monotonic milliseconds. */
  readonly until: number
}

/** Creates the health of replicas, of which nothing is known. */
export function createReplicaHealth(parts: ReplicaHealthParts): ReplicaHealth {
  const { clients, copy, replicas, nodes, messenger, bus, clock, logger } = parts
  const verdicts = new Map<string, Verdict>()

  function note({ id, address }: Replica, isGood: boolean): void {
    verdicts.delete(id)
    verdicts.set(id, { address, isGood, until: clock.monotonic() + (isGood ? TRUST_MS : AVOID_MS) })
    const [oldest] = verdicts.keys()
    if (verdicts.size > MAX_VERDICTS && oldest !== undefined) verdicts.delete(oldest)
  }
  function read({ id, address }: Replica): Verdict | undefined {
    const verdict = verdicts.get(id)
    return verdict?.address === address && verdict.until > clock.monotonic() ? verdict : undefined
  }
  async function drop(replica: Replica): Promise<void> {
    const { id, address, model } = replica
    // The copy of the rows has it for a moment more, and a process that holds another model answers well.
    note(replica, false)
    try {
      if (!(await replicas.remove(id, { address }))) return
      logger.warn({ model, address }, 'a process at a worker does not hold its model, its row is removed')
    } catch (error) {
      logger.warn({ model, err: error }, 'the row of a lost replica could not be removed')
    } finally {
      copy.touch()
      bus.publish('loads.changed', { model })
    }
  }
  /** Whether the worker says that it runs the process; undefined when it does not answer. */
  async function isRunning({ nodeId, model, replicaIndex, address }: Replica, signal: AbortSignal) {
    try {
      const processes = await listProcesses(messenger, nodeId, signal, { timeoutMs: ASK_MS })
      return processes.some(
        (each) =>
          each.model === model &&
          each.replicaIndex === replicaIndex &&
          (each.address === '' || each.address === address),
      )
    } catch {
      signal.throwIfAborted()
      return undefined
    }
  }
  async function look(replica: Replica, signal: AbortSignal): Promise<void> {
    if (!messenger.isConnected) return
    const running = await isRunning(replica, signal)
    if (running === false) await drop(replica)
    if (running === undefined && messenger.isConnected) await nodes.reportUnreachable(replica.nodeId)
    copy.touch()
  }
  return {
    isAvoided: (replica) => read(replica)?.isGood === false,
    isTrusted: (replica) => read(replica)?.isGood === true,
    async check(replica, node, signal) {
      const { client, release } = clients.take(replica, node)
      try {
        await client.health({ timeoutMs: HEALTH_MS, signal })
      } catch (error) {
        signal.throwIfAborted()
        // A backend that computes may answer too late.
        if (!SvcError.is(error) || error.kind !== 'timeout') {
          note(replica, false)
          await look(replica, signal)
          return false
        }
      } finally {
        release()
      }
      note(replica, true)
      return true
    },
    suspect(replica) {
      if (read(replica)?.isGood === true) verdicts.delete(replica.id)
    },
    drop,
  }
}
