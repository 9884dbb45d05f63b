import type { Messenger } from '../contract/messenger.ts'
import type { Replica } from '../contract/nodes.ts'
import type { ReplicaRows } from '../loads/replica-store.ts'
import { listProcesses, STOP_MS, stopProcess } from './worker-processes.ts'

/** Pause after a stop that failed, milliseconds: it doubles. */
const FIRST_PAUSE_MS = 5000
const LONGEST_PAUSE_MS = 5 * 60_000
/** Time after which another server tries it: the one that stops a replica may die. */
const CLAIM_MS = 2 * STOP_MS

/** Options of {@link stopReplica}. */
export interface StopReplicaOptions {
  readonly messenger: Pick<Messenger, 'request'>
  readonly replicas: Pick<ReplicaRows, 'change' | 'remove'>
  readonly signal: AbortSignal
  /** Whether running requests are cut off. @default false */
  readonly force?: boolean | undefined
  /** Revision that the worker is told. @default that of the replica */
  readonly revision?: string | undefined
}

/**
 * Stops the process of a replica and removes its row. From the beginning the replica gets no requests. Its row stays,
 * and keeps its place on the node, until the worker says that the process is gone or that it does not run it. A process
 * with the same key at another address is left alone. A stop that fails is noted and is due again later.
 *
 * @returns whether the row is gone
 * @throws the signal's reason
 */
export async function stopReplica(replica: Replica, options: StopReplicaOptions): Promise<boolean> {
  const { replicas, signal } = options
  if (!(await replicas.change(replica.id, { state: 'unloading', cleanupInMs: CLAIM_MS }))) return true
  const failure = await tryStop(replica, options)
  if (failure === undefined && (await replicas.remove(replica.id, { address: replica.address }))) return true
  signal.throwIfAborted()
  const attempts = replica.cleanupAttempts ?? 0
  const isThere = await replicas.change(replica.id, {
    cleanupError: failure ?? 'the replica has got another address meanwhile',
    cleanupAttempts: attempts + 1,
    cleanupInMs: Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempts, 10), LONGEST_PAUSE_MS),
  })
  return !isThere
}

/** @returns why the process may still run; undefined: it does not */
async function tryStop(replica: Replica, options: StopReplicaOptions): Promise<string | undefined> {
  const { messenger, signal, force = false, revision = replica.configRevision } = options
  try {
    const address = await findAddress(replica, options)
    if (address === undefined) return undefined
    const { nodeId, model, processKey } = replica
    const reply = await stopProcess(
      messenger,
      { nodeId, model, processKey, address, configRevision: revision, force },
      signal,
    )
    // A worker may have freed a model whose process goes on, and may tell an error of a process that is gone.
    if (reply.terminated || !reply.matched) return undefined
    const atWorker = await findProcess(replica, options)
    if (atWorker === undefined || (atWorker.address !== '' && atWorker.address !== address)) return undefined
    return reply.error === '' ? 'the worker did not stop the process' : reply.error
  } catch (error) {
    signal.throwIfAborted()
    return error instanceof Error ? error.message : String(error)
  }
}

/** The address of the process: that of the row or, while a load has not written it, what the worker says. */
async function findAddress(replica: Replica, options: StopReplicaOptions): Promise<string | undefined> {
  return replica.address === '' ? (await findProcess(replica, options))?.address : replica.address
}

async function findProcess({ nodeId, model, replicaIndex }: Replica, { messenger, signal }: StopReplicaOptions) {
  const processes = await listProcesses(messenger, nodeId, signal)
  return processes.find((each) => each.model === model && each.replicaIndex === replicaIndex)
}
