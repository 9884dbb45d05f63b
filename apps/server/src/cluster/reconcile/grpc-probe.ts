import { type ErrorKind, SvcError } from '@svc/errors'
import type { WorkerClients, WorkerNode } from '../routing/worker-clients.ts'
import type { ProbeReplica } from './replica-watch.ts'

/** Longest wait for an answer, milliseconds. */
const ANSWER_MS = 2000

/** Refusals that a process gives by itself: it is there. */
const ANSWERS: readonly ErrorKind[] = ['not_implemented', 'unauthenticated', 'forbidden']

/** Asks processes for their health over gRPC, on the connections of their requests. */
export function createGrpcProbe({
  clients,
  findNode,
}: {
  readonly clients: Pick<WorkerClients, 'take'>
  readonly findNode: (id: string) => WorkerNode | undefined
}): ProbeReplica {
  return async (replica, signal) => {
    let connection: ReturnType<WorkerClients['take']> | undefined
    try {
      connection = clients.take(replica, findNode(replica.nodeId) ?? { httpAddress: '' })
      await connection.client.health({ signal, timeoutMs: ANSWER_MS })
      return true
    } catch (error) {
      if (SvcError.is(error) && ANSWERS.includes(error.kind)) return true
      // A connection to a process that has ended may hang.
      connection?.discard()
      return false
    } finally {
      connection?.release()
    }
  }
}
