import { randomUUID } from 'node:crypto'
import { SvcError } from '@svc/errors'
import type { Clock } from '../../ports.ts'
import type { Messenger } from '../contract/messenger.ts'
import { installProgress, installReply } from '../contract/node-requests.ts'
import type { NodeRegistry } from '../contract/nodes.ts'
import { installProgressSubject, nodeSubject } from '../contract/subjects.ts'
import { isSameHost } from '../contract/worker-address.ts'
import { askUntilReply } from './ask-worker.ts'
import type { LoadStep } from './load-jobs.ts'
import { asNodeFailure, NodeFailure } from './node-failure.ts'
import type { TakenPlace } from './place-replica.ts'

/** Parts of {@link installOnWorker}. */
export interface InstallParts {
  readonly messenger: Pick<Messenger, 'request' | 'subscribe'>
  readonly nodes: Pick<NodeRegistry, 'reportUnreachable'>
  /** Galleries of backends for the workers, JSON text. */
  readonly galleries: () => string
  /** Longest wait for the process, milliseconds. */
  readonly installMs: number
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
}

/** A backend to install for a replica. */
export interface Installing {
  readonly backend: string
  readonly model: string
  readonly place: Pick<TakenPlace, 'nodeId' | 'nodeName' | 'address' | 'replicaIndex'>
  /** Notes that the installation goes on. */
  readonly report: (step: LoadStep) => void
}

/**
 * Has the worker install a backend and start a process for a replica.
 *
 * @returns the address of the process
 * @throws {NodeFailure}; the signal's reason
 */
export async function installOnWorker(
  { backend, model, place: { nodeId, nodeName, address: nodeAddress, replicaIndex }, report }: Installing,
  { messenger, nodes, galleries, installMs: timeoutMs, clock }: InstallParts,
  signal: AbortSignal,
): Promise<string> {
  const operationId = randomUUID()
  let heardAt = 0
  const end = messenger.subscribe(installProgressSubject(nodeId, operationId), (payload) => {
    if (!installProgress.safeParse(payload).success) return
    heardAt = clock.monotonic()
    report({ state: 'installing' })
  })
  const payload = {
    backend,
    model_id: model,
    backend_galleries: galleries(),
    replica_index: replicaIndex,
    op_id: operationId,
  }
  try {
    const ask = (within: AbortSignal): Promise<unknown> =>
      messenger.request(nodeSubject(nodeId, 'backend.install'), payload, { signal: within, timeoutMs })
    const read = installReply.safeParse(await askUntilReply(ask, { signal, heardAt: () => heardAt, clock }))
    if (!read.success) throw new NodeFailure(`the worker "${nodeName}" answers in another form`)
    const { success, address, error } = read.data
    if (success && address !== '') {
      // Who answers for a node on the bus must not lead requests to another machine.
      if (isSameHost(address, nodeAddress)) return address
      throw new NodeFailure(`the worker "${nodeName}" names a process at ${address}, which is not its host`)
    }
    throw new NodeFailure(error === '' ? `the worker "${nodeName}" does not start the backend "${backend}"` : error)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof NodeFailure) throw error
    // Without the bus nobody was asked, and nothing is known of the worker.
    if (!(SvcError.is(error) && error.code === 'bus_disconnected')) await nodes.reportUnreachable(nodeId)
    throw asNodeFailure(error, signal, { isUnreached: true })
  } finally {
    end()
  }
}
