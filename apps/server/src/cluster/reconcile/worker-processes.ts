import { SvcError } from '@svc/errors'
import type * as z from 'zod'
import type { Messenger } from '../contract/messenger.ts'
import { runningReply, stopReply } from '../contract/node-requests.ts'
import { nodeSubject } from '../contract/subjects.ts'
import type { RunningProcess } from '../decisions/reconcile-types.ts'

/** A list is answered from memory. */
const LIST_MS = 5000
/** A stop waits for the process to end. */
export const STOP_MS = 60_000

/** The process to stop: its key and its address must both fit. */
export interface ProcessToStop {
  readonly nodeId: string
  readonly model: string
  /** `<model>#<index>` */
  readonly processKey: string
  /** `host:port`; empty: any. */
  readonly address: string
  readonly configRevision: string
  /** Whether running requests are cut off. */
  readonly force: boolean
}

type Asks = Pick<Messenger, 'request'>

/**
 * Asks a worker which processes it runs.
 *
 * @throws {SvcError} as {@link Messenger.request}; `upstream_failed`, code `node_reply`, for an error of the worker
 */
export async function listProcesses(
  messenger: Asks,
  nodeId: string,
  signal: AbortSignal,
  { timeoutMs = LIST_MS }: { readonly timeoutMs?: number } = {},
): Promise<readonly RunningProcess[]> {
  const subject = nodeSubject(nodeId, 'models.running')
  const reply = read(runningReply, await messenger.request(subject, {}, { signal, timeoutMs }))
  if (reply.error !== '') throw badReply(reply.error)
  return reply.models.map(({ model_id, replica_index, address }) => ({
    model: model_id,
    replicaIndex: replica_index,
    address,
  }))
}

/** Asks a worker to stop a process. @throws {SvcError} as {@link listProcesses} */
export async function stopProcess(
  messenger: Asks,
  { nodeId, model, processKey, address, configRevision, force }: ProcessToStop,
  signal: AbortSignal,
): Promise<z.output<typeof stopReply>> {
  const request = {
    model_name: model,
    process_key: processKey,
    expected_address: address,
    force,
    config_revision: configRevision,
  }
  const subject = nodeSubject(nodeId, 'model.stop')
  return read(stopReply, await messenger.request(subject, request, { signal, timeoutMs: STOP_MS }))
}

function read<S extends z.ZodType>(schema: S, reply: unknown): z.output<S> {
  const result = schema.safeParse(reply)
  if (!result.success) throw badReply('the worker answers in another form')
  return result.data
}

function badReply(message: string): SvcError {
  return new SvcError('upstream_failed', message, { code: 'node_reply', details: { type: 'node_error' } })
}
