import { SvcError } from '@svc/errors'
import type * as z from 'zod'
import type { Messenger } from '../contract/messenger.ts'
import { changeReply, installProgress, installReply, listReply, simpleReply } from '../contract/node-requests.ts'
import type { ReplicaStore } from '../contract/nodes.ts'
import { installProgressSubject, type NodeTopic, nodeSubject } from '../contract/subjects.ts'

const LIST_MS = 10_000
const MODEL_MS = 60_000
const DETAILS = { type: 'node_error' }

/** A backend to install: a name of the galleries, or an address with a name. */
export interface NodeBackend {
  readonly backend: string
  readonly galleries?: string | undefined
  readonly uri?: string | undefined
  readonly name?: string | undefined
  readonly alias?: string | undefined
}

/** Progress of an installation, as a worker tells it. */
export type InstallProgress = z.output<typeof installProgress>

/** Requests to workers. All fail with `unavailable`, code `node_unreachable`, when the worker does not answer. */
export interface WorkerCalls {
  backends(nodeId: string, signal: AbortSignal): Promise<z.output<typeof listReply>['backends']>
  install(
    nodeId: string,
    backend: NodeBackend,
    options: CallOptions & { readonly operationId: string; readonly onProgress: (progress: InstallProgress) => void },
  ): Promise<void>
  upgrade(nodeId: string, backend: NodeBackend, options: CallOptions): Promise<void>
  deleteBackend(nodeId: string, backend: string, options: Pick<CallOptions, 'signal'>): Promise<void>
  changeModel(nodeId: string, topic: 'model.unload' | 'model.delete', model: string, signal: AbortSignal): Promise<void>
}

interface CallOptions {
  readonly signal: AbortSignal
  /** Milliseconds. */
  readonly timeoutMs: number
}

/** Whether an error says that the worker was not reached or did not answer. */
export function isUnreachable(error: unknown): error is SvcError {
  return SvcError.is(error) && error.code === 'node_unreachable'
}

/** @param parts `replicas` loses those whose processes a worker has stopped */
export function createWorkerCalls({
  messenger,
  replicas,
}: {
  readonly messenger: Pick<Messenger, 'request' | 'subscribe'>
  readonly replicas: Pick<ReplicaStore, 'removeByKeys'>
}): WorkerCalls {
  async function ask<S extends z.ZodType>(
    [nodeId, topic]: readonly [string, NodeTopic],
    payload: unknown,
    { schema, ...options }: CallOptions & { readonly schema: S },
  ): Promise<z.output<S>> {
    let reply: unknown
    try {
      reply = await messenger.request(nodeSubject(nodeId, topic), payload, options)
    } catch (error) {
      options.signal.throwIfAborted()
      const reason = error instanceof Error ? error.message : String(error)
      throw new SvcError('unavailable', `the worker does not answer: ${reason}`, {
        code: 'node_unreachable',
        details: DETAILS,
        cause: error,
      })
    }
    const read = schema.safeParse(reply)
    if (read.success) return read.data
    throw new SvcError('upstream_failed', 'the worker answers in another form', {
      code: 'node_reply',
      details: DETAILS,
    })
  }
  /** The worker may have stopped processes although it failed. */
  async function change(nodeId: string, topic: NodeTopic, payload: unknown, options: CallOptions): Promise<void> {
    const reply = await ask([nodeId, topic], payload, { ...options, schema: changeReply })
    await replicas.removeByKeys(nodeId, reply.stopped_process_keys)
    checkSuccess(reply)
  }
  return {
    async backends(nodeId, signal) {
      const reply = await ask([nodeId, 'backend.list'], {}, { schema: listReply, signal, timeoutMs: LIST_MS })
      if (reply.error !== '') throw failed(reply.error)
      return reply.backends
    },
    async install(nodeId, backend, { operationId, onProgress, signal, timeoutMs }) {
      const end = messenger.subscribe(installProgressSubject(nodeId, operationId), (payload) => {
        const read = installProgress.safeParse(payload)
        if (read.success) onProgress(read.data)
      })
      try {
        const payload = { ...toPayload(backend), op_id: operationId }
        checkSuccess(await ask([nodeId, 'backend.install'], payload, { schema: installReply, signal, timeoutMs }))
      } finally {
        end()
      }
    },
    upgrade: (nodeId, backend, options) => change(nodeId, 'backend.upgrade', toPayload(backend), options),
    deleteBackend: (nodeId, backend, { signal }) =>
      change(nodeId, 'backend.delete', { backend }, { signal, timeoutMs: MODEL_MS }),
    async changeModel(nodeId, topic, model, signal) {
      const options = { schema: simpleReply, signal, timeoutMs: MODEL_MS }
      checkSuccess(await ask([nodeId, topic], { model_name: model }, options))
    },
  }
}

function toPayload({ backend, galleries, uri, name, alias }: NodeBackend): Record<string, string> {
  return {
    backend,
    ...(galleries ? { backend_galleries: galleries } : {}),
    ...(uri ? { uri } : {}),
    ...(name ? { name } : {}),
    ...(alias ? { alias } : {}),
  }
}

function checkSuccess({ success, error }: { readonly success: boolean; readonly error: string }): void {
  if (!success) throw failed(error === '' ? 'the worker gives no reason' : error)
}

function failed(message: string): SvcError {
  return new SvcError('upstream_failed', message, { code: 'node_failed', details: DETAILS })
}
